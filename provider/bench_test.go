package provider_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// wide returns an object with n counters.
func wide(n int) *provider.Object {
	o := &provider.Object{Index: 2, Name: "Wide", Multi: true}
	for i := range n {
		o.Counters = append(o.Counters, provider.Counter{Index: uint32(100 + 2*i),
			Name: fmt.Sprint("Counter ", i), Type: counter.BulkCount})
	}
	return o
}

// BenchmarkSet writes 20 values of one instance.
func BenchmarkSet(b *testing.B) {
	l := layout(b, wide(20))
	d := newDispatcher(b, provider.Options{CollectTimeout: time.Hour}, writes(func(w *provider.Writer) {
		o := w.Object(l)
		o.Instance(provider.Instance{Name: "x"})
		for b.Loop() {
			for i := range 20 {
				o.Set(i, uint64(i))
			}
		}
		o.End()
	}, l))
	if _, err := d.Collect(b.Context(), everything(), nil); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20, "ns/value")
}

// BenchmarkPutUint64 is the reference of BenchmarkSet: the same bytes without
// a layout and without marks of missing values.
func BenchmarkPutUint64(b *testing.B) {
	block := make([]byte, 168)
	for b.Loop() {
		for i := range 20 {
			binary.LittleEndian.PutUint64(block[8+8*i:], uint64(i))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20, "ns/value")
}

// BenchmarkAsk collects nothing from one provider and from eight: what the
// dispatcher adds.
func BenchmarkAsk(b *testing.B) {
	for _, n := range []int{1, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var list []provider.Provider
			for i := range n {
				list = append(list, &fake{name: "empty",
					objects: []*provider.Object{simple(uint32(2+2*i), false)}})
			}
			collect := collector(b, newDispatcher(b, provider.Options{Clocks: testClocks}, list...))
			for b.Loop() {
				collect()
			}
		})
	}
}

// BenchmarkCollect collects 1,000 instances with 20 counters in all, from one
// provider and from eight.
func BenchmarkCollect(b *testing.B) {
	const instances, counters = 1000, 20
	for _, n := range []int{1, 8} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var list []provider.Provider
			for i := range n {
				o := wide(counters)
				o.Index, o.Name = uint32(2+2*i), fmt.Sprint("Wide ", i)
				l := layout(b, o)
				list = append(list, writes(func(w *provider.Writer) { writeWide(w, l, instances/n) }, l))
			}
			collect := collector(b, newDispatcher(b, provider.Options{Clocks: testClocks}, list...))
			for b.Loop() {
				collect()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(instances*counters), "ns/value")
		})
	}
}

// writeWide writes instances with all values.
func writeWide(w *provider.Writer, l *provider.Layout, instances int) {
	o := w.Object(l)
	for i := range instances {
		o.Instance(provider.Instance{Name: "instance_name"})
		for k := range l.Object().Counters {
			o.Set(k, uint64(i))
		}
	}
	o.End()
}

// collector returns a function that collects everything into one buffer, which
// has grown already.
func collector(b *testing.B, d *provider.Dispatcher) func() {
	var buf []byte
	q := everything()
	collect := func() {
		var err error
		if buf, err = d.Collect(b.Context(), q, buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
	collect()
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	return collect
}
