package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/perftest"
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
			file := filepath.Join(perftest.Data(t), "blg", log.file)
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
					s.Interval > float64(log.interval)+0.1 || s.Gaps != 0 || s.Damage != 0 || strings.Join(objects, " ") != log.objects {
					t.Errorf("%s: %+v", name, s)
				}
				const form = "2006-01-02T15:04:05.0"
				if first, last := s.First.UTC().Format(form), s.Last.UTC().Format(form); first != log.firstUTC || last != log.lastUTC {
					t.Errorf("%s: from %s to %s", name, first, last)
				}
			}
			check(file)
			const zone = "--zone=-05:00"
			for _, name := range []string{"a.csv", "a.tsv", "a.jsonl", "a.json", "a.blg", "a.capture"} {
				runTold(t, "", "convert", file, zone, "-o", to(name))
				if !strings.Contains(name, ".json") {
					check(to(name))
				}
			}
			if was, is := infoOf(t, file).System, infoOf(t, to("a.blg")).System; was == "" || is != was {
				t.Errorf("the system is %q, want %q", is, was)
			}
			want := readFile(t, to("a.csv"))
			for _, from := range []string{"a.csv", "a.tsv", "a.blg", "a.capture"} {
				runTold(t, "", "convert", to(from), zone, "--overwrite", "-o", to("again.csv"))
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

// shownInfo is what the tests read of info's output.
type shownInfo struct {
	Machines    []string
	System      string
	First, Last time.Time
	Samples     int
	Interval    float64 `json:"interval_seconds"`
	Gaps        int     `json:"gap_count"`
	Damage      int     `json:"damage_count"`
	Objects     []struct{ Name string }
}

// infoOf reads the output of info for a log.
func infoOf(t *testing.T, name string) *shownInfo {
	t.Helper()
	var logs []*shownInfo
	if err := json.Unmarshal(run(t, "info", name, "-o", "json"), &logs); err != nil || len(logs) != 1 {
		t.Fatalf("%s: %v", name, err)
	}
	return logs[0]
}

// TestRealProcessor compares with what Windows showed: the first four values of
// typeperf, and least, greatest and mean of perfmon over the whole log.
func TestRealProcessor(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "Tx_BasicPerfCounters.blg")
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

// TestConvertKeepsNames counts the values of a real log in jsonl, which has each instance by itself, and in csv,
// where processes that had one name one after the other share a column. Only the first rates of the later ones
// are missing.
func TestConvertKeepsNames(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	const path = `\Process(*)\*`
	counts := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(run(t, "convert", file, "--path", path, "-o", "jsonl")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct{ Path, Status string }
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Status == "ok" {
			counts[r.Path]++
		}
	}

	rows, err := csv.NewReader(bytes.NewReader(run(t, "convert", file, "--path", path, "-o", "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	again := 0
	for column, name := range rows[0] {
		if column == 0 {
			continue
		}
		n := 0
		for _, row := range rows[1:] {
			if row[column] != " " {
				n++
			}
		}
		if n != counts[name] {
			t.Errorf("%s: %d values in csv, %d in jsonl", name, n, counts[name])
		}
		if strings.Contains(name, "(rundll32#1)") && n > 0 {
			again++
		}
		delete(counts, name)
	}
	if len(counts) > 0 || again == 0 {
		t.Errorf("no column for %d series; rundll32#1 has values of %d counters", len(counts), again)
	}
}

// TestSummaryCountsFromZero finds the process that used 33 s of processor time in its first minute of a real log.
// It ended before the next sample.
func TestSummaryCountsFromZero(t *testing.T) {
	file := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	var r struct {
		Key   string
		Count int
		Total float64
	}
	out := run(t, "summary", file, `\Process(PowerStarter)\% Processor Time`, "-o", "jsonl", "--quiet")
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if r.Key != "3472@128315940491228571" || r.Count != 1 || r.Total < 33.249 || r.Total > 33.251 {
		t.Errorf("the process has %+v, want 33.25 s in one value of process 3472", r)
	}
}
