package logs

import (
	"io"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink"
)

// BenchmarkOutput writes all values of the second of two samples of the desktop block.
// "float" formats the same values with strconv.AppendFloat and does nothing else. "record" writes both samples
// to a capture in turn, as the command of this name does.
func BenchmarkOutput(b *testing.B) {
	b.Chdir(b.TempDir())
	writeReference(b, "desktop.capture", perftest.Desktop, 2, 0)
	m := measure.New(openReference(b, "desktop.capture").Source, all, measure.Options{})
	defer m.Close()
	var cycle *measure.Cycle
	for range 2 {
		var err error
		if cycle, err = m.Cycle(b.Context()); err != nil {
			b.Fatal(err)
		}
	}

	columns, values := cycle.Columns(), float64(cycle.Len())
	each := func(name string, write func() error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			if err := write(); err != nil { // names and texts that later samples use again
				b.Fatal(err)
			}
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/values, "ns/value")
		})
	}

	var text []byte
	each("float", func() error {
		text = appendFloats(text[:0], columns)
		return nil
	})
	for _, format := range []string{"jsonl", "csv"} {
		out, err := sink.New(format, io.Discard, sink.Options{File: true, Location: time.UTC})
		if err != nil {
			b.Fatal(err)
		}
		each(format, func() error { return out.Write(cycle.Time, columns) })
	}

	log, err := NewWriter(io.Discard, Capture, Options{})
	if err != nil {
		b.Fatal(err)
	}
	var moments [2]Moment
	for i, reference := range perftest.Series(perftest.Desktop, len(moments), 0, 1) {
		raw := winperf.Raw{Format: winperf.FormatV1, Schema: &winperf.Schema{}, Bytes: reference.Bytes}
		moments[i].Cycles = []*measure.Cycle{{Sample: raw.Sample()}}
	}
	written := 0
	each("record", func() error {
		written++
		return log.Write(&moments[written%len(moments)])
	})
}

// appendFloats appends all numbers of columns.
func appendFloats(dst []byte, columns []winperf.Column) []byte {
	for i := range columns {
		c := &columns[i]
		for n, bits := range c.Bits {
			f := float64(bits)
			if c.Kind == counter.KindFloat {
				f = math.Float64frombits(bits)
			}
			if c.Status[n] == counter.OK && c.Kind != counter.KindText {
				dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
			}
		}
	}
	return dst
}
