package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealLogs shows and converts both real binary logs, and reads back what was
// made of them.
func TestRealLogs(t *testing.T) {
	for _, log := range []struct {
		file, machine     string
		samples, interval int
		firstUTC, lastUTC string
		objects           string
	}{
		{"PAL_SampleLog.blg", "ZACH-PC", 11, 60, "2007-08-14T19:40:38.6", "2007-08-14T19:50:38.5", "LogicalDisk Memory Network Interface PhysicalDisk Process Processor System TCPv4"},
		{"Tx_BasicPerfCounters.blg", "GEORGIS3", 601, 1, "2013-02-20T02:50:17.8", "2013-02-20T03:00:17.8", "PhysicalDisk Processor"},
	} {
		t.Run(log.file, func(t *testing.T) {
			file := filepath.Join(realData(t), "blg", log.file)
			dir := t.TempDir()
			to := func(name string) string { return filepath.Join(dir, name) }
			check := func(name string) {
				t.Helper()
				s := infoOf(t, name)
				var objects []string
				for _, o := range s.Objects {
					objects = append(objects, o.Name)
				}
				if strings.Join(s.Machines, " ") != log.machine || s.Samples != log.samples || s.Interval < float64(log.interval)-0.1 ||
					s.Interval > float64(log.interval)+0.1 || s.GapCount != 0 || s.Damage != 0 || strings.Join(objects, " ") != log.objects {
					t.Errorf("%s: %+v", name, s)
				}
				const form = "2006-01-02T15:04:05.0"
				if first, last := s.First.UTC().Format(form), s.Last.UTC().Format(form); first != log.firstUTC || last != log.lastUTC {
					t.Errorf("%s: from %s to %s", name, first, last)
				}
			}
			check(file)
			const zone = "--zone=-05:00"
			// In the PAL log rundll32#1 ends, and another process has the name: it has no column.
			told := func(from, to string) string {
				of := strings.TrimPrefix(filepath.Ext(to), ".")
				if log.machine != "ZACH-PC" || strings.HasSuffix(from, "sv") || !strings.HasSuffix(of, "sv") {
					return ""
				}
				return "winperf: 28 counters and instances have no place in " + of +
					": they came after the first sample, or have the name of one that had ended\n"
			}
			for _, name := range []string{"a.csv", "a.tsv", "a.jsonl", "a.json", "a.blg", "a.capture"} {
				runTold(t, told(file, name), "convert", file, zone, "-o", to(name))
				if !strings.Contains(name, ".json") {
					check(to(name))
				}
			}
			if was, is := infoOf(t, file).System, infoOf(t, to("a.blg")).System; was == "" || is != was {
				t.Errorf("the system is %q, want %q", is, was)
			}
			want := readFile(t, to("a.csv"))
			for _, from := range []string{"a.csv", "a.tsv", "a.blg", "a.capture"} {
				runTold(t, told(from, "again.csv"), "convert", to(from), zone, "--overwrite", "-o", to("again.csv"))
				if !bytes.Equal(readFile(t, to("again.csv")), want) {
					t.Errorf("%s holds other values than the log", from)
				}
			}
			var readings []json.RawMessage
			if err := json.Unmarshal(readFile(t, to("a.json")), &readings); err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(readFile(t, to("a.jsonl")), []byte("\n")); lines != len(readings) || lines == 0 {
				t.Errorf("%d readings in a.json and %d lines in a.jsonl", len(readings), lines)
			}
		})
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// infoOf reads what info shows of a log.
func infoOf(t *testing.T, name string) *logSummary {
	t.Helper()
	var logs []*logSummary
	if err := json.Unmarshal(run(t, "info", name, "-o", "json"), &logs); err != nil || len(logs) != 1 {
		t.Fatalf("%s: %v", name, err)
	}
	return logs[0]
}

// TestRealProcessor compares with what Windows showed: the first four values of
// typeperf, and least, greatest and mean of perfmon over the whole log.
func TestRealProcessor(t *testing.T) {
	file := filepath.Join(realData(t), "blg", "Tx_BasicPerfCounters.blg")
	out := run(t, "convert", file, "--path", `\Processor(_Total)\% Processor Time`, "-o", "jsonl")
	var values []float64
	lines := bufio.NewScanner(bytes.NewReader(out))
	for n := 0; lines.Scan(); n++ {
		var r struct {
			Value  *float64
			Status string
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if (r.Value == nil) != (n == 0) {
			t.Fatalf("line %d: %s", n+1, lines.Text())
		}
		if r.Value != nil {
			values = append(values, *r.Value)
		}
	}
	if len(values) != 600 {
		t.Fatalf("%d values, want 600", len(values))
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if diff := got - want; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: %v, Windows showed %v", what, got, want)
		}
	}
	for i, want := range []float64{9.37826238255423, 5.86541344045712, 8.20410303650782, 3.1283808195094} {
		near("a value", values[i], want)
	}
	least, greatest, sum := values[0], values[0], 0.0
	for _, v := range values {
		least, greatest, sum = min(least, v), max(greatest, v), sum+v
	}
	near("least", least, 1.568819282)
	near("greatest", greatest, 53.907872443)
	near("mean", sum/600, 11.527341637)
	near("last", values[599], 32.815778590)
}
