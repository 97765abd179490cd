package sink

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// many are the names of one counter of very many instances. Each series is made when it is asked for.
type many struct {
	counter *winperf.Series
	names   []string
	gauge   *gauge // measures whenever the last one is asked for
}

func newMany(n int) (*many, winperf.Column) {
	m := &many{counter: series(`\\HOST\Big(0)\N`, counter.Count)}
	c := winperf.Column{Time: sampleTime, Kind: counter.KindInt, Names: m, Status: make([]counter.Status, n)}
	for i := range n {
		m.names, c.Bits = append(m.names, fmt.Sprintf("%07d", i)), append(c.Bits, uint64(i))
	}
	return m, c
}

func (m *many) Counter(int) *winperf.Series { return m.counter }

func (m *many) ID(n int) winperf.SeriesID {
	if n == len(m.names)-1 {
		m.gauge.measure()
	}
	return winperf.SeriesID{Counter: m.counter, Instance: uint32(n + 1)}
}

func (m *many) Describe(s *winperf.Series, n int) {
	s.ID, s.Path.Instance = m.ID(n), m.names[n]
}

func (m *many) Series(int) *winperf.Series { panic("a kept series") }

func (m *many) AllSeries() []*winperf.Series { panic("kept series") }

func (m *many) Kind(int) counter.Kind { return counter.KindNone }

func (m *many) Text(int) string { return "" }

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
	names, column := newMany(instances)
	for _, f := range Formats() {
		for _, terminal := range []bool{false, true} {
			before, beforeAll := live(), allocated()
			names.gauge = &gauge{}
			s := newNamed(t, f.Name, Options{Terminal: terminal})(names.gauge)
			for range 2 {
				if err := s.Write(sampleTime, []winperf.Column{column}); err != nil {
					t.Fatal(err)
				}
			}
			used, all := max(names.gauge.most, live())-before, allocated()-beforeAll
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
