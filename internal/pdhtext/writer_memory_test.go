package pdhtext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// scratch are the names of one counter of many instances. Each series is made when it is asked for.
type scratch struct {
	counter *winperf.Series
	names   []string
}

func newScratch(n int) []winperf.Column {
	path := winperf.Path{Machine: "HOST", Object: "Big", HasInstance: true, Counter: "N"}
	s := &scratch{counter: winperf.NewSeries(path)}
	c := winperf.Column{Kind: counter.KindInt, Names: s, Status: make([]counter.Status, n)}
	for i := range n {
		s.names, c.Bits = append(s.names, fmt.Sprintf("%07d", i)), append(c.Bits, uint64(i))
	}
	return []winperf.Column{c}
}

func (s *scratch) Counter(int) *winperf.Series { return s.counter }

func (s *scratch) ID(n int) winperf.SeriesID {
	return winperf.SeriesID{Counter: s.counter, Instance: uint32(n + 1)}
}

func (s *scratch) Describe(to *winperf.Series, n int) {
	to.ID, to.Path.Instance = s.ID(n), s.names[n]
}

func (s *scratch) Series(int) *winperf.Series { panic("a kept series") }

func (s *scratch) AllSeries() []*winperf.Series { panic("kept series") }

func (s *scratch) Kind(int) counter.Kind { return counter.KindNone }

func (s *scratch) Text(int) string { return "" }

// TestWriterMemory bounds what a log keeps of a column in addition to its row: the text of
// its path, and little more. What it allocates in all is no more than twice that:
// nothing grows step by step.
func TestWriterMemory(t *testing.T) {
	const (
		columns = 100_000
		path    = len(`\\HOST\Big(0000000)\N`)
		row     = len(`,"100000.000000"`)
		most    = 45 // bytes a column
	)
	readings := newScratch(columns)
	for _, named := range []bool{false, true} {
		opt := Options{Dialect: Typeperf, Location: time.UTC}
		for i := range columns {
			if !named {
				break
			}
			var s winperf.Series
			readings[0].Describe(&s, i)
			opt.Columns = append(opt.Columns, s.Path.String())
		}

		before := live()
		var w *Writer
		all := allocated(func() {
			w = NewWriter(io.Discard, opt)
			for second := range 3 {
				if err := w.Write(sampleTime.Add(time.Duration(second)*time.Second), readings); err != nil {
					t.Fatal(err)
				}
			}
		})
		used := live() - before
		runtime.KeepAlive(w)
		runtime.KeepAlive(opt)

		t.Logf("%d bytes a column, %d allocated", used/columns, all/columns)
		if most := path + row + most; used > most*columns || all > 2*most*columns {
			t.Errorf("columns named %v: %d bytes a column and %d allocated, want at most %d and %d",
				named, used/columns, all/columns, most, 2*most)
		}
	}
}

// live is how much memory is in use when all that is not needed is given back.
func live() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// calls keeps what each call writes.
type calls struct{ texts []string }

func (c *calls) Write(p []byte) (int, error) {
	c.texts = append(c.texts, string(p))
	return len(p), nil
}

// Each row reaches the writer in one call, however long it is; the first one with
// what is left of its head.
func TestOneCallPerRow(t *testing.T) {
	for _, columns := range []int{1, 1000, 50_000} {
		var c calls
		w := NewWriter(&c, Options{Location: time.UTC})
		for _, at := range []time.Time{sampleTime, sampleTime.Add(time.Second)} {
			if err := w.Write(at, newScratch(columns)); err != nil {
				t.Fatal(err)
			}
		}
		n := len(c.texts)
		if n < 2 || !strings.HasPrefix(c.texts[n-1], `"06/30/2007 19:40:39.659",`) || strings.Count(c.texts[n-1], "\n") != 1 {
			t.Errorf("%d columns: the last of %d calls is no row", columns, n)
		}
		if n < 2 || strings.Count(c.texts[n-2], "\n") != 2 || !strings.HasSuffix(c.texts[n-2], "\r\n") {
			t.Errorf("%d columns: the last but one of %d calls does not end a head and a row", columns, n)
		}
		for _, piece := range c.texts[:n-2] {
			if len(piece) < chunkSize || len(piece) > chunkSize+100 || strings.Contains(piece, "\n") {
				t.Errorf("%d columns: a piece of a head has %d bytes", columns, len(piece))
			}
		}
		if head := columns * len(`,"\\HOST\Big(0000000)\N"`); n-2 != head/chunkSize {
			t.Errorf("%d columns: a head of %d bytes comes in %d pieces", columns, head, n-2)
		}
	}
}

// A head that cannot be written is not gone on with.
func TestHeadError(t *testing.T) {
	full := &brokenWriter{good: 2, err: io.ErrClosedPipe}
	w := NewWriter(full, Options{})
	for range 2 {
		if err := w.Write(sampleTime, newScratch(20_000)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v", err)
		}
	}
	if full.good != -1 {
		t.Errorf("%d calls after the one that failed", -1-full.good)
	}
}

// TestChurn compares rows with those of a plain map, while series come, go,
// change places, and come back as others under the same path.
func TestChurn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	w := NewWriter(&out, Options{Location: time.UTC, NoZone: true})
	of := winperf.NewSeries(winperf.Path{Machine: "HOST", Object: "Big", HasInstance: true, Counter: "N"})
	columns, late := map[string]int{}, map[string]bool{}
	for second := range 60 {
		var readings []winperf.Reading
		fields := make([]string, len(columns))
		for i := range 300 {
			if random.IntN(4) == 0 {
				continue
			}
			path := of.Path
			path.Instance = fmt.Sprintf("%07d", i)
			r := winperf.Reading{Series: &winperf.Series{Path: path}, Value: counter.Int(uint64(i))} // without an ID
			if another := random.IntN(3); another > 0 {
				r.ID = winperf.SeriesID{Counter: of, Instance: uint32(3*i + another)}
			}
			readings = append(readings, r)
		}
		random.Shuffle(len(readings)*random.IntN(2), func(i, j int) { readings[i], readings[j] = readings[j], readings[i] })
		for _, r := range readings {
			path := r.Series.String()
			if _, known := columns[path]; !known && second == 0 {
				columns[path] = len(fields)
				fields = append(fields, "")
			} else if !known {
				late[path] = true
				continue
			}
			fields[columns[path]] = r.Value.String()
		}

		out.Reset()
		if err := w.Write(sampleTime.UTC(), winperf.ColumnsOf(readings)); err != nil {
			t.Fatal(err)
		}
		want := `"06/30/2007 19:40:38.659"`
		for _, f := range fields {
			want += `,"` + strings.Repeat(" ", max(1-len(f), 0)) + f + `"`
		}
		if row := out.String()[strings.LastIndexByte(strings.TrimSuffix(out.String(), "\r\n"), '\n')+1:]; row != want+"\r\n" {
			t.Fatalf("second %d:\n%swant\n%s", second, row, want)
		}
	}
	if w.Late() != len(late) || len(late) < 20 {
		t.Errorf("%d series came late, want %d", w.Late(), len(late))
	}
}
