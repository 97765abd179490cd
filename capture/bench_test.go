package capture_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
)

// quiet are samples of a machine where little happens: one value of a hundred
// changes from one to the next.
func quiet(size perftest.Size, n int) []winperf.Raw {
	first := perftest.Block(size)
	var raws []winperf.Raw
	for i := range n {
		b := bytes.Clone(first)
		for at := 800; at < len(b); at += 800 {
			b[at] += byte(i)
		}
		raws = append(raws, winperf.Raw{Format: winperf.FormatV1, Bytes: b, Schema: schema})
	}
	return raws
}

func benchmarkSets() map[string][]winperf.Raw {
	return map[string][]winperf.Raw{
		"busy": samples(perftest.Desktop, 8), "quiet": quiet(perftest.Desktop, 8),
	}
}

func length(raws []winperf.Raw) (n int64) {
	for i := range raws {
		n += int64(len(raws[i].Bytes))
	}
	return n
}

// BenchmarkWrite writes samples to a file: as a capture, and as they are.
func BenchmarkWrite(b *testing.B) {
	for name, raws := range benchmarkSets() {
		b.Run(name+"/capture", func(b *testing.B) {
			b.SetBytes(length(raws))
			f := create(b)
			w := capture.NewWriter(f, capture.Options{})
			for range b.N {
				for i := range raws {
					if err := w.Write(raws[i].Sample()); err != nil {
						b.Fatal(err)
					}
				}
				if err := f.Truncate(0); err != nil { // the disk is not what is measured
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(length(raws))*float64(b.N)/float64(w.Size()), "ratio")
		})
		b.Run(name+"/plain", func(b *testing.B) {
			b.SetBytes(length(raws))
			f := create(b)
			for range b.N {
				for i := range raws {
					if _, err := f.Write(raws[i].Bytes); err != nil {
						b.Fatal(err)
					}
				}
				if err := f.Truncate(0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func create(b *testing.B) *os.File {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return f
}

// BenchmarkRead reads samples: from a capture, and as they are.
func BenchmarkRead(b *testing.B) {
	for name, raws := range benchmarkSets() {
		b.Run(name+"/capture", func(b *testing.B) {
			file := open(b, write(b, raws, capture.Options{}))
			b.SetBytes(length(raws))
			b.ReportAllocs()
			c := file.Cursor()
			var s winperf.Sample
			for b.Loop() {
				if err := c.SeekSample(0); err != nil {
					b.Fatal(err)
				}
				for range raws {
					if err := c.Next(context.Background(), &s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(name+"/plain", func(b *testing.B) {
			var all []byte
			for i := range raws {
				all = append(all, raws[i].Bytes...)
			}
			b.SetBytes(length(raws))
			buf := make([]byte, len(raws[0].Bytes))
			for b.Loop() {
				r := bytes.NewReader(all)
				for {
					if _, err := io.ReadFull(r, buf); err != nil {
						break
					}
				}
			}
		})
	}
}

// many are small samples.
func many() []winperf.Raw {
	var raws []winperf.Raw
	for i := range 20_000 {
		raws = append(raws, winperf.Raw{Format: winperf.FormatNone, Bytes: bytes.Repeat([]byte{byte(i)}, 500)})
	}
	return raws
}

// BenchmarkOpen opens a capture of 20,000 samples: by its index, and by the
// heads of its records where it was not closed.
func BenchmarkOpen(b *testing.B) {
	file := write(b, many(), capture.Options{})
	for name, file := range map[string][]byte{"closed": file, "killed": file[:len(file)-1]} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n := open(b, file).Samples(); n != 20_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

// BenchmarkSeek goes to samples of a large file and reads them.
func BenchmarkSeek(b *testing.B) {
	raws := many()
	c := open(b, write(b, raws, capture.Options{})).Cursor()
	var s winperf.Sample
	n := 0
	for b.Loop() {
		n = (n + 7919) % len(raws)
		err := c.SeekSample(n)
		if err == nil {
			err = c.Next(context.Background(), &s)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}
