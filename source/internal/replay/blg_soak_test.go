package replay_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/pdhlog"
)

// TestSoakBLG writes and reads a binary log that is as large as can be written in
// the time that WINPERF_SOAK says, at most 2 GB, in each layout. What that takes
// must not grow with the log.
func TestSoakBLG(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	const maxSize, maxHeap = 2 << 30, 32 << 20
	samples := series(t)
	names := namesOf(samples[0])
	for _, layout := range []pdhlog.Layout{pdhlog.Counters, pdhlog.Objects} {
		file := filepath.Join(t.TempDir(), "long.blg")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w, err := pdhlog.NewWriter(out, pdhlog.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		written := 0
		for end := time.Now().Add(duration / 4); time.Now().Before(end) && w.Size() < maxSize; written++ {
			if err := w.Write(samples[written%len(samples)], names); err != nil {
				t.Fatal(err)
			}
		}
		writing := heap() - before
		if err := errors.Join(w.Close(), out.Close()); err != nil {
			t.Fatal(err)
		}
		src := openBLG(t, file)
		q, err := src.Compile(t.Context(), winperf.Selection{Global: true})
		if err != nil {
			t.Fatal(err)
		}
		var sample winperf.Sample
		read, reading := 0, int64(0)
		begin := time.Now()
		for ; ; read++ {
			if err := q.Next(t.Context(), &sample); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if read%10_000 == 0 {
				reading = max(reading, heap()-before)
			}
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		if read != written || writing > maxHeap || reading > maxHeap {
			t.Errorf("layout %d: %d samples of %d, %d bytes of memory to write and %d to read", layout, read, written, writing, reading)
		}
		t.Logf("layout %d: %d samples, %d MB read in %v, memory %d KB to write, %d KB to read",
			layout, read, w.Size()>>20, time.Since(begin).Round(time.Millisecond), writing>>10, reading>>10)
	}
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
