package pdhtext

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

// benchReadings returns the readings of ten counters of a hundred processes.
func benchReadings(b *testing.B) []winperf.Reading {
	var readings []winperf.Reading
	for i := range 1000 {
		s := series(b, fmt.Sprintf(`\\HOST\Process(process%d)\Counter %d`, i/10, i%10))
		v := counter.Float(float64(i) * 1.2345678)
		if i%2 == 0 {
			v = counter.Int(uint64(i) * 4096)
		}
		readings = append(readings, reading(s, v))
	}
	return readings
}

func BenchmarkWrite(b *testing.B) {
	for name, dialect := range map[string]Dialect{"log": Log, "typeperf": Typeperf} {
		b.Run(name, func(b *testing.B) {
			readings := benchReadings(b)
			w := NewWriter(io.Discard, Options{Dialect: dialect, Location: time.UTC})
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(sampleTime, winperf.ColumnsOf(readings)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(readings)), "ns/reading")
		})
	}
}

// BenchmarkFprintf is the reference: the same row with Fprintf.
func BenchmarkFprintf(b *testing.B) {
	for name, format := range map[string]string{"log": `,"%.17g"`, "typeperf": `,"%.6f"`} {
		b.Run(name, func(b *testing.B) {
			readings := benchReadings(b)
			b.ReportAllocs()
			for b.Loop() {
				row := bufio.NewWriter(io.Discard) // keeps the first error
				fmt.Fprintf(row, `"%s"`, sampleTime.Format("01/02/2006 15:04:05.000"))
				for i := range readings {
					f, _ := readings[i].Value.Float64()
					fmt.Fprintf(row, format, f)
				}
				fmt.Fprint(row, "\r\n")
				if err := row.Flush(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(readings)), "ns/reading")
		})
	}
}

func TestNoAllocations(t *testing.T) {
	var readings []winperf.Reading
	for i := range 100 {
		s := series(t, fmt.Sprintf(`\\HOST\Process(p#%d)\ID Process`, i))
		readings = append(readings,
			reading(s, counter.Int(uint64(i))),
			reading(series(t, fmt.Sprintf(`\\HOST\Process(p#%d)\%% Processor Time`, i)), counter.Float(math.Pi)),
			missing(series(t, fmt.Sprintf(`\\HOST\Process(p#%d)\%% User Time`, i)), counter.NoPrevious))
	}
	all := winperf.ColumnsOf(readings)
	for _, dialect := range []Dialect{Log, Typeperf} {
		w := NewWriter(io.Discard, Options{Dialect: dialect, Location: time.UTC})
		if allocs := testing.AllocsPerRun(10, func() {
			if err := w.Write(sampleTime, all); err != nil {
				t.Fatal(err)
			}
		}); allocs != 0 {
			t.Errorf("dialect %d: %v allocations a row, want 0", dialect, allocs)
		}
	}
}
