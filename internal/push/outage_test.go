package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics"
)

// away is a target without a network, as a bubble of synctest needs it. It takes requests, or refuses
// connections.
type away struct {
	mu       sync.Mutex
	refuses  bool
	keep     bool // all points
	points   []point
	order    map[string]*order
	requests int // that were taken
	tried    int // that were not
}

// order is what a target has of a series, where each value is the number of a sample, at a time that
// tells the same.
type order struct {
	last  float64
	at    int64
	gaps  [][2]float64 // the values around what is missing
	count int
}

// RoundTrip implements http.RoundTripper.
func (a *away) RoundTrip(r *http.Request) (*http.Response, error) {
	points, err := decode(r)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuses {
		a.tried++
		return nil, errors.New("connection refused")
	}

	a.requests++
	if a.keep {
		a.points = append(a.points, points...)
	}
	for _, p := range points {
		if a.order[p.series] == nil {
			a.order[p.series] = &order{}
		}
		a.order[p.series].add(p)
	}
	header := http.Header{writtenHeader: {fmt.Sprint(len(points))}}
	return &http.Response{StatusCode: http.StatusNoContent, Header: header, Body: io.NopCloser(bytes.NewReader(nil))}, nil
}

func (o *order) add(p point) {
	if p.value <= o.last {
		return // it came before
	}
	if p.value != o.last+1 {
		o.gaps = append(o.gaps, [2]float64{o.last, p.value})
	}
	o.last, o.at = p.value, p.ms
	o.count++
}

func (a *away) set(refuses bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuses = refuses
}

// wide maps the first value of a frame to as many series.
type wide struct {
	rows *metrics.Rows
	set  metrics.Set
	bits []uint64
}

func newWide(n int) Mapper {
	w := &wide{bits: make([]uint64, n)}
	var labels [][]metrics.Label
	for i := range n {
		labels = append(labels, []metrics.Label{{Name: "name", Value: fmt.Sprint(i)}})
	}
	w.rows = metrics.NewRows(labels, nil)
	return w
}

func (w *wide) Map(f frame.Frame, _ *nametable.Names) (*metrics.Set, error) {
	v, ok := f.Object(0).Raw(0, 0)
	if !ok {
		return nil, errors.New("no value")
	}
	for i := range w.bits {
		w.bits[i] = v
	}
	w.set = metrics.Set{Time: f.Time(), Families: []metrics.Family{
		{Name: "value", Columns: []metrics.Column{{Rows: w.rows, Bits: w.bits}}},
	}}
	return &w.set, nil
}

// heap is what the program holds.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools held is gone by the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// onDisk is the length of all files in a directory, of which some may go meanwhile.
func onDisk(t *testing.T, dir string) (size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil && !d.IsDir() {
			info, err = d.Info()
		}
		if info != nil {
			size += info.Size()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// realClock tells the time outside of a bubble.
func realClock(t *testing.T) func() time.Time {
	t.Helper()
	ask, answer := make(chan bool), make(chan time.Time)
	go func() {
		for range ask {
			answer <- time.Now()
		}
	}()
	t.Cleanup(func() { close(ask) })
	return func() time.Time { ask <- true; return <-answer }
}

// A target that is away for a day, 5,760 samples, costs memory for one request and disk up to the bound.
// When it is back it gets all that is left, in order; what did not fit is counted, and the oldest.
func TestOutageOfADay(t *testing.T) {
	for name, most := range map[string]int64{"all is kept": 0, "half of it is kept": 400_000} {
		t.Run(name, func(t *testing.T) {
			now := realClock(t)
			synctest.Test(t, func(t *testing.T) { outageOfADay(t, most, now) })
		})
	}
}

func outageOfADay(t *testing.T, most int64, now func() time.Time) {
	t.Helper()
	const series, day, interval = 20, 24 * time.Hour, 15 * time.Second
	target, dir, src := &away{order: map[string]*order{}}, t.TempDir(), &counting{}
	p, err := New(Options{
		Target: Target{URL: "remote-write+http://host"}, Source: src, Interval: interval, Dir: dir,
		NewMapper: func() Mapper { return newWide(series) },
		Queue:     queue.Options{MaxBytes: most, Sync: 1000 * time.Hour}, // a disk takes its time, in a bubble too
	})
	if err != nil {
		t.Fatal(err)
	}
	p.sender.client.http.Transport = target
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()

	time.Sleep(time.Hour + interval/2) // between two samples
	synctest.Wait()
	target.set(true)
	before, begun := heap(), src.taken.Load()
	for range int(day / time.Hour) {
		time.Sleep(time.Hour)
		if size := onDisk(t, dir); most > 0 && size > most+1000 { // position and lock
			t.Errorf("%d bytes on the disk, want at most %d", size, most)
		}
	}
	synctest.Wait()
	during, st, disk := heap(), p.Stats(), onDisk(t, dir)
	missed := src.taken.Load() - begun

	target.set(false)
	start, back := now(), time.Now()
	for p.Stats().Queued.Items > 0 {
		time.Sleep(time.Second)
	}
	took, waited := now().Sub(start), time.Since(back)
	cancel()
	<-ended
	if err := p.Close(); err != nil {
		t.Error(err)
	}

	t.Logf("%d samples waited, %d bytes on disk, %d dropped; heap %d, %d more at the end; %d tries", missed,
		disk, st.Queued.Dropped, before, during-before, target.tried)
	t.Logf("%d values in %v of real time, %v after the target was back", (missed-st.Queued.Dropped)*series, took, waited)
	if missed != uint64(day/interval) || during-before > 2<<20 || st.Lost+st.MeasureErrors+st.Refused > 0 {
		t.Errorf("%d samples, %d bytes more, %+v", missed, during-before, st)
	}
	if (st.Queued.Dropped > 0) != (most > 0) || waited > 2*time.Minute {
		t.Errorf("%d samples were dropped; all was sent %v after the target was back", st.Queued.Dropped, waited)
	}
	if len(target.order) != series {
		t.Errorf("%d series, want %d", len(target.order), series)
	}
	for name, o := range target.order {
		o.check(t, name, float64(src.n), st.Queued.Dropped)
	}
}

// check tells what is wrong with a series: all must be there up to the last one, but for one gap of what was
// dropped. The sample under way when the target went comes too, though it is dropped then.
func (o *order) check(t *testing.T, name string, last float64, dropped uint64) {
	t.Helper()
	missing := uint64(last) - uint64(o.count)
	if o.last != last || missing > dropped || missing+1 < dropped || len(o.gaps) > 1 {
		t.Errorf("%s: %d values up to %v with gaps %v, want up to %v without %d", name, o.count, o.last, o.gaps, last, dropped)
	}
	if len(o.gaps) == 1 && o.gaps[0][1]-o.gaps[0][0]-1 != float64(missing) {
		t.Errorf("%s: the gap is %v, %d are missing", name, o.gaps[0], missing)
	}
}
