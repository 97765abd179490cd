package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/source"
)

var everything = winperf.Selection{Paths: []winperf.Path{
	{Object: "Processor Information", Instance: "*", HasInstance: true, Counter: "*"},
}}

// made is a capture that the program just made.
func made(t *testing.T) winperf.Source {
	t.Helper()
	name := filepath.Join(t.TempDir(), "made.capture")
	if err := run(name); err != nil {
		t.Fatal(err)
	}
	return opened(t, name)
}

func opened(t *testing.T, name string) winperf.Source {
	t.Helper()
	src, err := source.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// The capture in testdata is the one that the program makes.
func TestTestdata(t *testing.T) {
	got, want := blocks(t, opened(t, "../testdata/processors.capture")), blocks(t, made(t))
	if len(want) != samples || len(got) != len(want) {
		t.Fatalf("%d samples in testdata, %d made, want %d", len(got), len(want), samples)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("sample %d differs: make testdata again as README says", i)
		}
	}
}

// blocks are the bytes of all samples.
func blocks(t *testing.T, src winperf.Source) (all [][]byte) {
	t.Helper()
	query, err := src.Compile(t.Context(), everything)
	if err != nil {
		t.Fatal(err)
	}
	defer query.Close()

	var sample winperf.Sample
	for {
		err := query.Next(t.Context(), &sample)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := sample.Raw()
		if err != nil || raw.Format != winperf.FormatV2 {
			t.Fatalf("format %d, %v", raw.Format, err)
		}
		all = append(all, bytes.Clone(raw.Bytes))
	}
}

// Every counter of every processor has a value, and each value is that of its processor.
func TestValues(t *testing.T) {
	want := map[string]float64{
		`0,0 % Processor Time`: 75, `0,1 % Processor Time`: 25, `_Total % Processor Time`: 50,
		`0,0 % Idle Time`: 25, `0,1 % Idle Time`: 75, `0,0 Average Idle Time`: 25, `0,1 Average Idle Time`: 75,
		`0,0 % Processor Performance`: 100, `0,1 % Processor Performance`: 75,
		`0,0 % Processor Utility`: 75, `0,1 % Processor Utility`: 25, `0,0 % Privileged Utility`: 25,
		`0,0 DPCs Queued/sec`: 40, `0,1 DPCs Queued/sec`: 20, `0,_Total DPCs Queued/sec`: 60,
		`0,1 % Priority Time`: 25, `0,1 % of Maximum Frequency`: 75, `0,0 C1 Transitions/sec`: 100,
	}

	cycles := 0
	for cycle, err := range measure.Watch(t.Context(), made(t), everything, measure.Options{}) {
		if err != nil || len(cycle.Damage) > 0 {
			t.Fatal(err, cycle.Damage)
		}
		readings := cycle.Readings()
		const bases = 3
		if n := len(processors) * (len(counters) - bases); len(readings) != n {
			t.Errorf("%d values, want %d", len(readings), n)
		}

		found := 0
		for _, r := range readings {
			key := r.Series.Path.Instance + " " + r.Series.Path.Counter
			if r.Status != counter.OK {
				t.Errorf("%s: %v", key, r.Status)
			}
			if value, ok := want[key]; ok {
				found++
				if got, _ := r.Value.Float64(); got != value {
					t.Errorf("%s is %v, want %v", key, got, value)
				}
			}
		}
		if found != len(want) {
			t.Errorf("found %d of %d counters", found, len(want))
		}
		cycles++
	}
	if cycles != samples-1 {
		t.Errorf("%d cycles, want %d", cycles, samples-1)
	}
}
