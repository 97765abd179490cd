package sink

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// many are readings of one counter of very many instances, of which only the one
// that was asked for last is there.
type many struct {
	counter *winperf.Series
	names   []string
	at      winperf.Reading
	series  winperf.Series
	gauge   *gauge // measures whenever the last one is asked for
}

func newMany(n int) *many {
	m := &many{counter: series(`\\HOST\Big(0)\N`, counter.Count)}
	for i := range n {
		m.names = append(m.names, fmt.Sprintf("%07d", i))
	}
	return m
}

func (m *many) Len() int { return len(m.names) }

func (m *many) At(i int) *winperf.Reading {
	if i == len(m.names)-1 {
		m.gauge.measure()
	}
	m.series = winperf.Series{ID: winperf.SeriesID{Counter: m.counter, Instance: uint32(i + 1)}, Path: m.counter.Path}
	m.series.Path.Instance = m.names[i]
	m.at = winperf.Reading{Series: &m.series, Time: sampleTime, Value: counter.Int(uint64(i))}
	return &m.at
}

// gauge is a writer, and the most memory that was ever found in use.
type gauge struct{ most int64 }

func (g *gauge) measure() { g.most = max(g.most, live()) }

func (g *gauge) Write(p []byte) (int, error) {
	if g.most == 0 {
		g.measure() // what is there when output begins
	}
	return len(p), nil
}

// live is how much memory is in use when all that is not needed is given back.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// allocated is how much memory was ever asked for.
func allocated() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

// TestMemory bounds what a reading takes in each sink, while it is written and
// between two moments, and what is asked for in all.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const (
		instances = 100_000
		name      = len("(0000000)")
		path      = len(`\\HOST\Big(0000000)\N`)
		row       = len(`,"100000.000000"`)
	)
	most := map[string]int{
		"table": name + 25,
		"csv":   path + row + 45,
		"tsv":   path + row + 45,
		"jsonl": 3,
		"json":  3,
		"paths": path + 35, // it grows
	}
	readings := newMany(instances)
	for _, f := range Formats() {
		for _, terminal := range []bool{false, true} {
			before, beforeAll := live(), allocated()
			readings.gauge = &gauge{}
			s := newNamed(t, f.Name, Options{Terminal: terminal})(readings.gauge)
			for range 2 {
				if err := s.Write(sampleTime, readings); err != nil {
					t.Fatal(err)
				}
			}
			used, all := max(readings.gauge.most, live())-before, allocated()-beforeAll
			runtime.KeepAlive(s)

			bound := int64(most[f.Name] * instances)
			t.Logf("%s, on a terminal %v: %.1f bytes an instance, %.1f allocated",
				f.Name, terminal, float64(used)/instances, float64(all)/instances)
			if used > bound || all > 4*bound {
				t.Errorf("%s, on a terminal %v: %d bytes, want at most %d; %d allocated", f.Name, terminal, used, bound, all)
			}
		}
	}
}
