package replay

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/pdhtext"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

const textLog = `"(PDH-CSV 4.0) (UTC)(0)","\\H\Process(a)\% Time","\\H\Process(a#1)\% Time","\\H\Memory\Bytes","\\OTHER\Memory\Bytes"
"01/02/2026 12:00:00.000"," "," ","100","7"
"01/02/2026 12:00:01.000","1.5","2.5","200","8"
"01/02/2026 12:00:02.000","1.5
"(PDH-CSV 4.0) (UTC)(0)","\\H\Memory\Bytes","\\H\Process(a)\% Time","\\H\Process(b)\% Time"
"01/02/2026 12:00:03.000","300"," ","4.5"
"01/02/2026 12:00:04.000","400","3.5`

func writeLog(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func openTextLog(t *testing.T, text string) winperf.Source {
	t.Helper()
	src, err := OpenText(At(writeLog(t, text)), TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// watchLog tells the cycles of a log.
func watchLog(t *testing.T, text string, sel winperf.Selection) (string, []error) {
	t.Helper()
	var b strings.Builder
	var damage []error
	for cycle, err := range measure.Watch(t.Context(), openTextLog(t, text), sel, measure.Options{KeepFirst: true}) {
		if err != nil {
			damage = append(damage, err)
			break
		}
		damage = append(damage, cycle.Damage...)
		for _, r := range cycle.Readings() {
			value := r.Status.String()
			if r.Status == counter.OK {
				value = r.Value.String()
			}
			b.WriteString(cycle.Time.Format("05 ") + r.Series.String() + " " + value + "\n")
		}
	}
	return b.String(), damage
}

func paths(t *testing.T, texts ...string) (sel winperf.Selection) {
	t.Helper()
	for _, text := range texts {
		p, err := winperf.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		sel.Paths = append(sel.Paths, p)
	}
	return sel
}

func TestTextSelection(t *testing.T) {
	tests := []struct {
		sel  winperf.Selection
		want string
	}{
		{paths(t, `\Memory\*`, `\Process(a)\% Time`), `00 \\H\Memory\Bytes 100
00 \\OTHER\Memory\Bytes 7
00 \\H\Process(a)\% Time no_previous
01 \\H\Memory\Bytes 200
01 \\OTHER\Memory\Bytes 8
01 \\H\Process(a)\% Time 1.5
02 \\H\Memory\Bytes invalid_data
02 \\OTHER\Memory\Bytes invalid_data
02 \\H\Process(a)\% Time invalid_data
03 \\H\Memory\Bytes 300
03 \\H\Process(a)\% Time no_previous
04 \\H\Memory\Bytes 400
04 \\H\Process(a)\% Time invalid_data
`},
		{paths(t, `\\other\memory(*)\bytes`), "00 \\\\OTHER\\Memory\\Bytes 7\n01 \\\\OTHER\\Memory\\Bytes 8\n02 \\\\OTHER\\Memory\\Bytes invalid_data\n" +
			"03 \\\\other\\memory(*)\\bytes no_object\n04 \\\\other\\memory(*)\\bytes no_object\n"},
	}
	for _, tt := range tests {
		got, damage := watchLog(t, textLog, tt.sel)
		if got != tt.want {
			t.Errorf("%v: got\n%swant\n%s", tt.sel.Paths, got, tt.want)
		}
		if len(damage) != 2 || !errors.Is(damage[0], winperf.ErrBadData) || !strings.Contains(damage[0].Error(), "a.csv: bad data in line 4") {
			t.Errorf("damage %v", damage)
		}
	}
	if got, _ := watchLog(t, textLog, winperf.Selection{Global: true}); strings.Count(got, "\n") != 3*4+2*3 {
		t.Errorf("all:\n%s", got)
	}
}

// As of other records, the first sample only serves the second where counters
// need two.
func TestTextFirstRow(t *testing.T) {
	for text, want := range map[string]string{
		textLog: "01",
		"\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\c\"\n\"01/02/2026 12:00:00.000\",\" \"\n":  "00",
		"\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\H\\O\\c\"\n\"01/02/2026 12:00:00.000\",\"17\"\n": "00",
	} {
		for cycle, err := range measure.Watch(t.Context(), openTextLog(t, text), winperf.Selection{Global: true}, measure.Options{Count: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			if got := cycle.Time.Format("05"); got != want {
				t.Errorf("first is %s, want %s:\n%s", got, want, text)
			}
		}
	}
	head := "\"(PDH-CSV 4.0) (UTC)(0)\",\"no path\",\"\\\\H\\O\\c\"\n\"01/02/2026 12:00:00.000\",\"1\",\" \"\n\"01/02/2026 12:00:01.000\",\"1\",\"2\"\n"
	for cycle, err := range measure.Watch(t.Context(), openTextLog(t, head), winperf.Selection{Global: true}, measure.Options{}) {
		if err != nil || len(cycle.Damage) != 1 || cycle.Time.Second() != 1 {
			t.Errorf("damage of a row that is not shown: %v, %v", cycle, err)
		}
	}
}

// What is not there is told as far as it is.
func TestTextLacks(t *testing.T) {
	for path, want := range map[string]counter.Status{
		`\Nothing\Bytes`:    counter.NoObject,
		`\Memory\Pages`:     counter.NoCounter,
		`\Process(z)\*`:     counter.NoInstance,
		`\Process(a#2)\*`:   counter.NoInstance,
		`\Process(a)\Pages`: counter.NoCounter,
		`\\X\Memory\Bytes`:  counter.NoObject,
		`\Memory(z)\Bytes`:  counter.NoInstance,
		`\Process\% Time`:   counter.NoInstance,
	} {
		for cycle, err := range measure.Watch(t.Context(), openTextLog(t, textLog), paths(t, path), measure.Options{Count: 1, KeepFirst: true}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(cycle.Readings()) != 1 || cycle.Readings()[0].Status != want {
				t.Errorf("%s: %v, want %v", path, cycle.Readings(), want)
			}
		}
	}
}

func TestTextSource(t *testing.T) {
	src := openTextLog(t, textLog)
	if src.Describe().Machine != "H" || src.Describe().Samples != -1 {
		t.Errorf("machine %q, %d samples", src.Describe().Machine, src.Describe().Samples)
	}
	info := src.Describe().Log
	if info.Format != "PDH-CSV 4.0" || info.Zone != "UTC" || info.Location == nil || info.Encoding != "code page 65001" {
		t.Errorf("info %+v", info)
	}
	q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if !src.Describe().Cooked {
		t.Error("the source does not say that its values are cooked")
	}
	definitions, err := src.Compile(t.Context(), winperf.Selection{Global: true, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	defer definitions.Close()
	all, err := perftest.Readings(t.Context(), definitions)
	if err != nil || len(all) != 5 || all[4].Series.String() != `\\H\Process(b)\% Time` || all[4].Status == counter.OK {
		t.Errorf("series %v, %v", all, err)
	}
	if _, err := perftest.Readings(t.Context(), definitions); !errors.Is(err, io.EOF) {
		t.Errorf("behind the series: %v", err)
	}
	var first []*winperf.Series
	var sample winperf.Sample
	for n := 0; ; n++ {
		err := q.Next(t.Context(), &sample)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		readings, err := perftest.Displayed(&sample)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range readings {
			if n == 0 {
				first = append(first, r.Series)
			} else if n < 3 && first[i] != r.Series {
				t.Errorf("row %d: another series for %s", n, r.Series)
			}
		}
	}
	if sample.At != sample.Of || sample.Of != int64(len(textLog)) {
		t.Errorf("position %d of %d", sample.At, sample.Of)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := perftest.Readings(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

// TestTextSharesSeries checks that the queries of a log keep its columns once.
func TestTextSharesSeries(t *testing.T) {
	head, row := `"(PDH-CSV 4.0) (UTC)(0)","\\H\O\a","\\H\O\b"`, `"01/02/2026 15:04:05.000","1","2"`
	src := openTextLog(t, head+"\n"+row+"\n")
	var first []winperf.Reading
	for range 2 {
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		readings, err := perftest.Readings(t.Context(), q)
		if err != nil || len(readings) != 2 {
			t.Fatalf("%d readings, %v", len(readings), err)
		}
		for i, r := range first {
			if readings[i].Series != r.Series {
				t.Errorf("reading %d of another query has another series", i)
			}
		}
		first = readings
	}
}

// Without a bias the zone is not known.
func TestTextUnknownZone(t *testing.T) {
	info := openTextLog(t, `"(PDH-CSV 4.0) (RTZ 2 (","\\H\O\c"`).Describe().Log
	if info.Location != nil || info.Zone != "RTZ 2 (" {
		t.Errorf("%+v", info)
	}
}

func TestTextErrors(t *testing.T) {
	if _, err := OpenText(At(filepath.Join(t.TempDir(), "a.csv")), TextOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := OpenText(At(t.TempDir()), TextOptions{}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("a directory: %v", err)
	}
	if _, err := OpenText(At(writeLog(t, "time,value\n")), TextOptions{}); !errors.Is(err, pdhtext.ErrNoHead) || !strings.Contains(err.Error(), "a.csv") {
		t.Errorf("no log: %v", err)
	}
}
