package sink

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// TestScaled shows bytes and large rates as people say them, and all else as ever.
func TestScaled(t *testing.T) {
	workingSet := value(`\\HOST\Process(a)\Arbeitsseiten`, counter.Int(152784896), counter.Count)
	workingSet.Series.CounterID = winperf.CounterID{Index: 180}
	for _, tt := range []struct {
		path  string
		value counter.Value
		unit  counter.Unit
		want  string
	}{
		{"Private Bytes", counter.Int(1023), counter.Count, "1023 B"},
		{"Private Bytes", counter.Int(1024), counter.Count, "1.0 KiB"},
		{"Private Bytes", counter.Int(1048575), counter.Count, "1.0 MiB"},
		{"Private Bytes", counter.Int(152784896), counter.Count, "145.7 MiB"},
		{"Avg. Disk Bytes/Read", counter.Float(4096.5), counter.Count, "4.0 KiB"},
		{"Disk Bytes/sec", counter.Float(10500000), counter.PerSecond, "10.5 MB/s"},
		{"Disk Bytes/sec", counter.Float(0), counter.PerSecond, "0 B/s"},
		{"Disk Bytes/sec", counter.Float(0.004), counter.PerSecond, "0.004 B/s"},
		{"Disk Bytes/sec", counter.Float(999.96), counter.PerSecond, "1.0 kB/s"},
		{"Page Faults/sec", counter.Float(1234567), counter.PerSecond, "1.2 M/s"},
		{"Page Faults/sec", counter.Float(999.5), counter.PerSecond, "999.50"},
		{"ID Process", counter.Int(1234567), counter.Count, "1234567"},
		{"Available MBytes", counter.Int(1234567), counter.Count, "1234567"},
		{"% Committed Bytes In Use", counter.Float(12), counter.Percent, "12.00"},
	} {
		r := value(`\\HOST\Object\`+tt.path, tt.value, tt.unit)
		s := section{human: true}
		if got, _ := s.value(&r); string(got) != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.path, tt.value, got, tt.want)
		}
	}

	readings := []winperf.Reading{
		workingSet,
		value(`\\HOST\Process(a)\Page Faults/sec with a very long name, so that there is a list`,
			counter.Float(2345), counter.PerSecond),
		value(`\\HOST\Process(a)\Switches/sec`, counter.Float(2), counter.PerSecond),
	}
	got := tableOf(t, 0, Options{Single: true, Human: true}, readings)
	const want = `Process(a)
Arbeitsseiten                                                   145.7 MiB
Page Faults/sec with a very long name, so that there is a list    2.3 k/s
Switches/sec                                                         2.00  /s
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
