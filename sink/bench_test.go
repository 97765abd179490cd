package sink

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// benchReadings returns the readings of ten counters of a hundred processes.
func benchReadings() []winperf.Reading {
	var readings []winperf.Reading
	for i := range 1000 {
		path := fmt.Sprintf(`\\HOST\Process(process%d)\Counter %d`, i/10, i%10)
		if i%2 == 0 {
			readings = append(readings, value(path, counter.Int(uint64(i)*4096), counter.Count))
		} else {
			readings = append(readings, value(path, counter.Float(float64(i)*1.2345678), counter.Percent))
		}
	}
	return readings
}

// perReading reports the time of one reading.
func perReading(b *testing.B, readings int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*readings), "ns/reading")
}

func BenchmarkSink(b *testing.B) {
	size := func() (int, int) { return 120, 50 }
	sinks := []struct {
		name string
		make func(io.Writer) Sink
	}{
		{"jsonl", plainJSONL},
		{"paths", newPaths},
		{"table", func(w io.Writer) Sink { return newTable(w, Options{}) }},
		{"terminal", func(w io.Writer) Sink { return newTable(w, Options{Terminal: true, Size: size}) }},
	}
	for _, s := range sinks {
		b.Run(s.name, func(b *testing.B) {
			readings := benchReadings()
			out := s.make(io.Discard)
			b.ReportAllocs()
			for b.Loop() {
				if err := out.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
					b.Fatal(err)
				}
			}
			perReading(b, len(readings))
		})
	}
}

// BenchmarkReference writes the same JSON lines with Fprintf and with
// encoding/json.
func BenchmarkReference(b *testing.B) {
	b.Run("fprintf", func(b *testing.B) {
		readings := benchReadings()
		b.ReportAllocs()
		for b.Loop() {
			for i := range readings {
				r := &readings[i]
				f, _ := r.Value.Float64()
				_, err := fmt.Fprintf(io.Discard, "{\"time\":%q,\"path\":%q,\"value\":%v,\"unit\":%q,\"status\":%q}\n",
					sampleTime.Format(time.RFC3339Nano), r.Series.String(), f, r.Unit.String(), r.Status.String())
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		perReading(b, len(readings))
	})
	b.Run("encoding-json", func(b *testing.B) {
		readings := benchReadings()
		encoder := json.NewEncoder(io.Discard)
		encoder.SetEscapeHTML(false)
		b.ReportAllocs()
		for b.Loop() {
			for i := range readings {
				r := &readings[i]
				err := encoder.Encode(jsonShape{
					Time: sampleTime.Format(time.RFC3339Nano), Path: r.Series.String(), Value: r.Value,
					Unit: r.Unit.String(), Status: r.Status.String(),
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		perReading(b, len(readings))
	})
}
