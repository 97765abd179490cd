package verify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/measure"
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
