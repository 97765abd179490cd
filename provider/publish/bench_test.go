package publish

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/winperf/winperf/provider"
)

// BenchmarkAdd is what counting costs, compared with a bare atomic addition. At 1 a
// single goroutine counts, at 16 as many do: all at one counter, or each at an
// instance of its own.
func BenchmarkAdd(b *testing.B) {
	p := start(b, tempDir(b), schemaText)
	counters := make([]*Counter, 16)
	type padded struct {
		n uint64
		_ [120]byte // so that no two share a cache line
	}
	bare := make([]padded, len(counters))
	for i := range counters {
		counters[i] = must(b, add(b, p, "Job", fmt.Sprint(i), nil).Counter, "Done")
	}
	narrow := must(b, p.Counter2, "Bytes Sent")
	for _, n := range []int{1, 16} {
		run := func(name string, work func(g, times int)) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var all sync.WaitGroup
				for g := range n {
					all.Go(func() { work(g, b.N/n+1) })
				}
				all.Wait()
			})
		}
		run("bare", func(_, times int) {
			for range times {
				atomic.AddUint64(&bare[0].n, 1)
			}
		})
		run("counter", func(_, times int) {
			for range times {
				counters[0].Add(1)
			}
		})
		run("counter of 4 bytes", func(_, times int) {
			for range times {
				narrow.Add(1)
			}
		})
		run("bare, own", func(g, times int) {
			for range times {
				atomic.AddUint64(&bare[g].n, 1)
			}
		})
		run("counter, own", func(g, times int) {
			for range times {
				counters[g].Add(1)
			}
		})
	}
}

// BenchmarkSample reads what is published by one process, compared with a plain read of
// the same bytes.
func BenchmarkSample(b *testing.B) {
	for _, n := range []int{10, 1000} {
		dir := tempDir(b)
		p := start(b, dir, schemaText)
		for i := range n {
			add(b, p, "Job", fmt.Sprintf("job number %d", i), nil)
		}
		w := watch(b, ReaderOptions{Dirs: []string{dir}})
		d, err := provider.NewDispatcher(provider.Options{}, w.Refresh())
		if err != nil {
			b.Fatal(err)
		}
		defer d.Close()
		query := provider.ParseQuery("Global")
		b.Run(fmt.Sprint("refresh and collect/", n), func(b *testing.B) {
			b.ReportAllocs()
			var block []byte
			for b.Loop() {
				w.Refresh()
				if block, err = d.Collect(b.Context(), query, block[:0]); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(p.memory.used)
		})
		b.Run(fmt.Sprint("plain read/", n), func(b *testing.B) {
			f, err := openFile(p.Path())
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			buf := make([]byte, p.memory.used)
			for b.Loop() {
				if _, err := f.ReadAt(buf, 0); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(p.memory.used)
		})
	}
}

// BenchmarkRefreshNothing is what a reader costs a program where nobody publishes.
func BenchmarkRefreshNothing(b *testing.B) {
	w := watch(b, ReaderOptions{Dirs: []string{tempDir(b) + "/none"}})
	for b.Loop() {
		w.Refresh()
	}
}
