package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink"
	"github.com/winperf/winperf/source"
)

// TestSameLogs writes binary logs, and text logs of them in place of relog's.
func TestSameLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("lasts six seconds")
	}
	for name, layout := range map[string]pdhlog.Layout{"counters": pdhlog.Counters, "objects": pdhlog.Objects} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			dir := t.TempDir()
			blg, csv := filepath.Join(dir, "own.blg"), filepath.Join(dir, "relog.csv")
			if err := writeBLG(t.Context(), newMachine(t, processes, &n), blg, []string{`\Process(*)\*`}, layout); err != nil {
				t.Fatal(err)
			}
			writeCSV(t, blg, csv)

			// 3 counters of 4 instances.
			if detail, err := sameLogs(t.Context(), blg, csv); err != nil || detail != "12 of 12 values are the same" {
				t.Errorf("%q, %v", detail, err)
			}
			l, err := lookAtLog(t.Context(), "typeperf", "Process", csv)
			if err != nil {
				t.Fatal(err)
			}
			c := l.Counters[Name{"Process", "Handles"}]
			if c == nil || len(c.Values) != 4 || c.Names[2] != "notepad#1" || c.Values[2] != 6 || !c.Timeless {
				t.Errorf("%+v in %v", c, l.Counters)
			}

			text, err := os.ReadFile(csv)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.ReplaceAll(string(text), "4712", "4714")
			if err := os.WriteFile(csv, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			const want = `1 of 12 values differ: \process(notepad)\id process is 4714, winperf computes 4712`
			if _, err := sameLogs(t.Context(), blg, csv); err == nil || err.Error() != want {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// writeCSV converts a log.
func writeCSV(t *testing.T, from, to string) {
	t.Helper()
	src, err := source.Open(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	w, err := logs.NewWriter(f, "csv", logs.Options{Sink: sink.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	all := winperf.Selection{Global: true}
	for m, err := range logs.Read(t.Context(), []*logs.Log{{Source: src}}, all, measure.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Cycles) == 0 {
			break
		}
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMain is relog or typeperf if the program has that name.
func TestMain(m *testing.M) {
	fakes := map[string]func(args []string) error{"relog": fakeRelog, "typeperf": fakeTypeperf}
	if fake := fakes[filepath.Base(os.Args[0])]; fake != nil {
		if err := fake(os.Args[1:]); err != nil {
			fmt.Println("Error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// faked returns the path of a fake program.
func faked(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links of programs need a right")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(program, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// germanMachine has names with letters outside ASCII. The program and the test see the same numbers.
func germanMachine(number *int) (*machine, error) {
	texts := map[uint32]string{230: "Prozess", 784: "Prozesskennung", 10: "Lesevorgänge/s", 12: "Anzahl geöffneter Handles"}
	names, err := nametable.FromMap(nametable.Counter, texts)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(processes, "explorer", "Müllers Größe")
	return &machine{text: text, number: number, names: &winperf.Schema{Names: []winperf.NameTable{names.NameTable("007")}}}, nil
}

// fakeTypeperf accepts the arguments that verify uses. Its text logs have the form of typeperf on a German Windows: in
// the code page 1252, six digits, and no values of rates in the first row.
func fakeTypeperf(args []string) error {
	output := args[slices.Index(args, "-o")+1]
	n := 100
	m, err := germanMachine(&n)
	if err != nil {
		return err
	}
	if slices.Contains(args, "BIN") {
		return writeBLG(context.Background(), m, output, []string{`\Prozess(*)\*`}, pdhlog.Counters)
	}
	if args[0] != `\Prozess(*)\*` || !slices.Equal(args[1:5], []string{"-sc", "1", "-f", "CSV"}) || args[7] != "-y" {
		return fmt.Errorf("arguments %q", args)
	}

	values := map[string]string{
		"Prozesskennung": "4711.000000 4712.000000 4713.000000 0.000000", "Lesevorgänge/s": "",
		"Anzahl geöffneter Handles": "5.000000 6.000000 " + os.Getenv("FAKE_HANDLES") + " 17.000000",
	}
	head, row := `"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)"`, `"11/28/2026 10:11:12.123"`
	for _, counter := range []string{"Prozesskennung", "Lesevorgänge/s", "Anzahl geöffneter Handles"} {
		for i, instance := range []string{"Müllers Größe", "notepad", "notepad#1", "_Total"} {
			head += fmt.Sprintf(`,"\\SECRETHOST\Prozess(%s)\%s"`, instance, counter)
			value := " "
			if all := strings.Fields(values[counter]); len(all) > 0 {
				value = all[i]
			}
			row += `,"` + value + `"`
		}
	}
	text, err := wire.EncodeText(head+"\r\n"+row+"\r\n", 1252)
	if err != nil {
		return err
	}
	return os.WriteFile(output, text[:len(text)-1], 0o600)
}

// fakeRelog converts a binary log to a text log in the form of relog: all digits, in the code page 1252, and in the
// time of a zone with a German name.
func fakeRelog(args []string) error {
	if len(args) != 6 || args[1] != "-f" || args[2] != "CSV" || args[3] != "-o" || args[5] != "-y" {
		return fmt.Errorf("arguments %q", args)
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	if size := int(b[0]) | int(b[1])<<8 | int(b[2])<<16; size == 0 || len(b)%size != 0 {
		return fmt.Errorf("%d bytes in buffers of %d", len(b), size)
	}
	src, err := source.Open(context.Background(), args[0])
	if err != nil {
		return err
	}
	defer src.Close()

	var lines []string
	all := winperf.Selection{Global: true}
	for cycle, err := range measure.Watch(context.Background(), src, all, measure.Options{KeepFirst: true}) {
		if err != nil {
			return err
		}
		head, row := `"(PDH-CSV 4.0) (Mitteleuropäische Zeit)(-60)"`, `"11/28/2026 10:11:`+fmt.Sprintf(`%02d.000"`, len(lines))
		for _, r := range cycle.Readings() {
			head += `,"` + r.Path.String() + `"`
			value := " "
			if v, ok := r.Value.Float64(); ok && len(lines) > 0 {
				value = fmt.Sprintf("%.20g", v)
			}
			row += `,"` + value + `"`
		}
		if lines == nil {
			lines = append(lines, head)
		}
		lines = append(lines, row)
	}
	text, err := wire.EncodeText(strings.Join(lines, "\r\n")+"\r\n", 1252)
	if err != nil {
		return err
	}
	return os.WriteFile(args[4], text[:len(text)-1], 0o600)
}

// TestTypeperf compares what typeperf shows with a base.
func TestTypeperf(t *testing.T) {
	for _, tt := range []struct {
		handles string
		want    []string
	}{
		{"6.000000", nil},
		{"7.000000", []string{`\Prozess\Anzahl geöffneter Handles (notepad#1) gauge`}},
	} {
		t.Setenv("FAKE_HANDLES", tt.handles)
		n := 0
		m, err := germanMachine(&n)
		if err != nil {
			t.Fatal(err)
		}
		r, base := &Report{}, newDriver("registry:", m)
		program, err := typeperf(base, faked(t, "typeperf"))
		if err != nil {
			t.Fatal(err)
		}
		tasks := r.tasks(t.Context(), []reader{base.reader(), program})
		for pass := range minGauge {
			for i := range tasks {
				r.compareObject(t.Context(), &tasks[i], pass, &r.comparison, Options{})
			}
		}
		r.Results = r.comparison.Results()
		if diff := cmp.Diff(tt.want, differing(r)); diff != "" || len(r.Skipped) > 0 {
			t.Errorf("%s: %s, %v", tt.handles, diff, r.Skipped)
		}
		if r.Compared() != 2*4*minGauge { // no rates
			t.Errorf("%d values compared: %+v", r.Compared(), r.Results)
		}
	}
}

// TestCheckLogs gives binary logs to relog, and reads one of typeperf.
func TestCheckLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("lasts six seconds")
	}
	n := 0
	m, err := germanMachine(&n)
	if err != nil {
		t.Fatal(err)
	}
	r, base := &Report{}, newDriver("registry:", m)
	if _, err := base.objects(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.checkLogs(t.Context(), base, faked(t, "relog"), faked(t, "typeperf"))
	want := []Check{
		{"a .blg of counters in relog", false, "12 of 12 values are the same"},
		{"a .blg of objects in relog", false, "12 of 12 values are the same"},
		{"a .blg of typeperf in winperf", false, "12 values"},
	}
	if diff := cmp.Diff(want, r.Checks); diff != "" || len(r.Skipped) > 0 {
		t.Errorf("%s, %v", diff, r.Skipped)
	}
}
