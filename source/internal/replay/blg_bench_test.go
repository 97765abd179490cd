package replay_test

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/pdhlog"
)

// BenchmarkBLG reads a log of 1,000 samples from a file: "plain" its bytes, a
// buffer at a time, "sample" as performance data blocks, "decode" as frames.
func BenchmarkBLG(b *testing.B) {
	for name, layout := range map[string]pdhlog.Layout{"counters": pdhlog.Counters, "objects": pdhlog.Objects} {
		file, values := longBLG(b, layout)
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		report := func(b *testing.B) {
			b.ReportMetric(float64(values)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		}
		b.Run(name+"/plain", func(b *testing.B) {
			b.SetBytes(info.Size())
			buf := make([]byte, 64<<10)
			for b.Loop() {
				f, err := os.Open(file)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = io.ReadFull(f, buf)
				}
				if err := f.Close(); err != nil {
					b.Fatal(err)
				}
			}
			report(b)
		})
		for _, decode := range []bool{false, true} {
			b.Run(name+map[bool]string{false: "/sample", true: "/decode"}[decode], func(b *testing.B) {
				b.SetBytes(info.Size())
				b.ReportAllocs()
				for b.Loop() {
					readBLG(b, file, decode)
				}
				report(b)
			})
		}
	}
}

// longBLG writes a log of 1,000 samples and returns how many values it has.
func longBLG(b *testing.B, layout pdhlog.Layout) (file string, values int) {
	b.Helper()
	file = b.TempDir() + "/long.blg"
	out, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	w, err := pdhlog.NewWriter(out, pdhlog.Options{Layout: layout})
	if err != nil {
		b.Fatal(err)
	}
	samples := series(b)
	names := namesOf(samples[0])
	for i := range 1000 {
		f := samples[i%len(samples)]
		if err := w.Write(f, names); err != nil {
			b.Fatal(err)
		}
		values += len(rawValues(f))
	}
	if err := errors.Join(w.Close(), out.Close()); err != nil {
		b.Fatal(err)
	}
	return file, values
}

// readBLG reads all samples of a log.
func readBLG(b *testing.B, file string, decode bool) {
	src := openBLG(b, file)
	q, err := src.Compile(b.Context(), winperf.Selection{Global: true})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	var pool frame.Pool
	var before frame.Frame
	var samples [2]winperf.Sample // the frame before needs its own
	for n := 0; ; n++ {
		sample := &samples[n%len(samples)]
		if err := q.Next(b.Context(), sample); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			b.Fatal(err)
		}
		if !decode {
			continue
		}
		f, err := pool.Decode(sample, before)
		if err != nil {
			b.Fatal(err)
		}
		before = f
	}
}
