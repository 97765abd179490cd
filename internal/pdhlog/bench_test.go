package pdhlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
)

// benchLogs are logs of each layout and how many raw values they hold.
func benchLogs(b *testing.B) map[string]struct {
	log    []byte
	values int
} {
	list := []Counter{}
	for i := range 60 {
		list = append(list,
			Counter{Kind: Single, Path: winperf.Path{Machine: "H", Object: "Memory", Counter: fmt.Sprint("c", i)}, Type: counter.RawCount},
			Counter{Kind: Array, Path: winperf.Path{Machine: "H", Object: "Process", Instance: "*", HasInstance: true, Counter: fmt.Sprint("c", i)}, Type: counter.Timer100NSec, TimeBase: 1e7})
	}
	samples := testSamples(list, 100)
	values := 0
	for i := range samples {
		for k := range samples[i].Values {
			v := &samples[i].Values[k]
			for n := range 100 {
				if v.Kind == Array {
					v.Items = append(v.Items, Item{Name: utf16Name(fmt.Sprint("process ", n)), First: int64(n), Second: v.Items[0].Second})
				}
			}
			values += max(1, len(v.Items))
		}
	}
	small := []Counter{testList()[0], testList()[3]}
	few := testSamples(small, 50_000)
	objects, n := objectLog(b)
	return map[string]struct {
		log    []byte
		values int
	}{
		"many counters": {makeBLG(b, testHead(), list, samples), values},
		"few counters":  {makeBLG(b, testHead(), small, few), len(few) * 5},
		"whole objects": {objects, n},
	}
}

// objectLog writes a log of the desktop block.
func objectLog(b *testing.B) (log []byte, values int) {
	var out seekBuffer
	w, err := NewWriter(&out, Options{Layout: Objects, Location: time.UTC})
	if err != nil {
		b.Fatal(err)
	}
	names, _ := nametable.FromSchema(nil)
	var pool frame.Pool
	for _, s := range perftest.Series(perftest.Desktop, 20, 100, 1) {
		f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: s.Bytes}.Sample(), frame.Frame{})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.Write(f, names); err != nil {
			b.Fatal(err)
		}
		for o := range f.Objects() {
			values += o.Len() * o.NumCounters()
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.b, values
}

// BenchmarkRead reads logs in memory: "plain" copies their bytes, a buffer at
// a time; "read" gives every raw value of single counters and arrays, and every
// block of whole objects.
func BenchmarkRead(b *testing.B) {
	for name, l := range benchLogs(b) {
		b.Run(name+"/plain", func(b *testing.B) {
			b.SetBytes(int64(len(l.log)))
			buf := make([]byte, 64<<10)
			for b.Loop() {
				r := bytes.NewReader(l.log)
				for {
					if _, err := io.ReadFull(r, buf); err != nil {
						break
					}
				}
			}
			b.ReportMetric(float64(l.values)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
		b.Run(name+"/read", func(b *testing.B) {
			b.SetBytes(int64(len(l.log)))
			b.ReportAllocs()
			var s Sample
			var sum int64
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(l.log))
				if err != nil {
					b.Fatal(err)
				}
				for err = r.Next(&s); err == nil; err = r.Next(&s) {
					for i := range s.Values {
						v := &s.Values[i]
						sum += v.First + int64(len(v.Block))
						for k := range v.Items {
							sum += v.Items[k].First
						}
					}
				}
				if !errors.Is(err, io.EOF) || len(r.Damage()) > 0 {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(l.values)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
	}
}

// BenchmarkWrite writes a frame of the desktop block in each layout; "plain"
// copies its bytes.
func BenchmarkWrite(b *testing.B) {
	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: perftest.Series(perftest.Desktop, 1, 0, 1)[0].Bytes}.Sample(), frame.Frame{})
	if err != nil {
		b.Fatal(err)
	}
	names, _ := nametable.FromSchema(nil)
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(int64(len(bytesOf(f))))
		buf := make([]byte, len(bytesOf(f)))
		for b.Loop() {
			copy(buf, bytesOf(f))
		}
	})
	for name, layout := range map[string]Layout{"counters": Counters, "objects": Objects} {
		b.Run(name, func(b *testing.B) {
			w, err := NewWriter(io.Discard, Options{Layout: layout})
			if err == nil {
				err = w.Write(f, names)
			}
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(bytesOf(f))))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(f, names); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestReadAllocates nothing for a sample, so that the memory it takes does not
// grow with the log.
func TestReadAllocates(t *testing.T) {
	list := testList()
	log := makeBLG(t, testHead(), list, testSamples(list, 500))
	r, err := NewReader(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	var s Sample
	if err := r.Next(&s); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(400, func() {
		if err := r.Next(&s); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a sample", n)
	}
}
