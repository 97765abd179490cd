package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// writeMachines makes a capture of the machines A and B: both have an object Queue, and B
// an object Pool.
func writeMachines(t *testing.T) (file string) {
	t.Helper()
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{100: "Queue", 102: "Length", 104: "Pool"})
	if err != nil {
		t.Fatal(err)
	}
	schema := &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}}
	part := func(machine string, n int, objects ...int) winperf.Part {
		text := fmt.Sprintf("block name=%q perftime=%d perffreq=1000 time100ns=%d\n", machine, n*1000, 133500000000000000+int64(n)*1e7)
		for _, title := range objects {
			text += fmt.Sprintf("object %d\n counter 102 PERF_COUNTER_RAWCOUNT\n instance \"of %s\" : %d\n", title, machine, n)
		}
		b, err := perfdata.ParseText([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		raw := winperf.Raw{Format: winperf.FormatV1}
		if raw.Bytes, err = b.Encode(); err != nil {
			t.Fatal(err)
		}
		return winperf.Part{Name: machine, Block: raw.Block()}
	}

	var out bytes.Buffer
	w := capture.NewWriter(&out, capture.Options{})
	for n := range 3 {
		s := &winperf.Sample{Schema: schema, Parts: []winperf.Part{part("A", n, 100), part("B", n, 104, 100)}}
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(t.TempDir(), "two.capture")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestConvertMachines converts samples of several machines to binary logs: what is read of
// them is what was there.
func TestConvertMachines(t *testing.T) {
	file := writeMachines(t)
	want := string(run(t, "convert", file, "--path", `\*(*)\*`, "-o", "jsonl"))
	if n := strings.Count(want, "\n"); n != 9 {
		t.Fatalf("%d readings", n)
	}
	for name, args := range map[string][]string{"whole": nil, "counters": {"--path", `\*(*)\*`}} {
		log := filepath.Join(t.TempDir(), "two.blg")
		run(t, append([]string{"convert", file, "-o", log}, args...)...)
		got := string(run(t, "convert", log, "--path", `\*(*)\*`, "-o", "jsonl"))
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSeveralMachines shows what a log of several machines has of each.
func TestSeveralMachines(t *testing.T) {
	file := writeMachines(t)
	object := func(machine, name string) string { return fmt.Sprintf("\"name\":%q,\"machine\":%q", name, machine) }
	tests := []struct {
		args   string
		status int
		want   []string // in this order
		not    string
	}{
		{"list --source FILE -o paths", 0, []string{`\\B\Pool(*)\Length`, `\\A\Queue(*)\Length`, `\\B\Queue(*)\Length`}, ""},
		{"list --source FILE --instances", 0, []string{`\\A\Queue(of A)\Length`, `\\B\Queue(of B)\Length`}, ""},
		{"list --source FILE -o sensors", 0, []string{"/Pool/Length#*", "/Queue/Length#*"}, "A"},
		{"list --source FILE", 0, []string{`\\B\Pool `, `\\A\Queue `, `\\B\Queue `}, ""},
		{"list --source FILE Queue", 0, []string{`\\A\Queue`, "of A", `\\B\Queue`, "of B"}, ""},
		{"list --source FILE Queue -o jsonl", 0, []string{`"machine":"A"`, "of A", `"machine":"B"`, "of B"}, ""},
		{"dump FILE -o json", 0, []string{object("A", "Queue"), "of A", object("B", "Pool"), object("B", "Queue"), "of B"}, ""},
		{"dump FILE -o json --machine b", 0, []string{`"name":"Pool"`, `"name":"Queue"`, "of B"}, "of A"},
		{"dump FILE -o json --object Pool", 0, []string{object("B", "Pool"), "of B"}, "Queue"},
		{"dump FILE", 0, []string{`name="A"`, "object 100", "of A", `name="B"`, "object 104", "object 100", "of B"}, ""},
		{`dump FILE --machine \\B --object 100`, 0, []string{`name="B"`, "object 100", "of B"}, "104"},
		{"dump FILE -o bin", 1, []string{"the sample has 2 machines: select one with --machine: A, B"}, "PERF"},
		{"dump FILE -o bin --machine A", 0, []string{"P\x00E\x00R\x00F\x00"}, "B\x00"},
		{"dump FILE --machine A --object Pool", 1, []string{`--object "Pool": no such object in the sample`}, ""},
		{"dump FILE --machine C", 1, []string{"--machine C: no such machine in the sample, which has A, B"}, ""},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		args := strings.Fields(tt.args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "FILE", file)
		}
		status := Run(t.Context(), args, nil, &out, &out)
		rest := out.String()
		for _, want := range tt.want {
			_, after, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: no %q in its place in\n%s", tt.args, want, &out)
			}
			rest = after
		}
		if status != tt.status || tt.not != "" && strings.Contains(out.String(), tt.not) {
			t.Errorf("%s: status %d, output\n%s", tt.args, status, &out)
		}
	}
}
