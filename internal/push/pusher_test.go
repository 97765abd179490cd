package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/sink/metrics"
)

// begin runs a Pusher until the test ends, or stop is called.
func begin(t *testing.T, opt Options) (p *Pusher, stop func()) {
	t.Helper()
	if opt.NewMapper == nil {
		opt.NewMapper = newPlain
	}
	if opt.Interval == 0 {
		opt.Interval = 100 * time.Millisecond
	}
	opt.Target.Gap, opt.Target.MaxGap = time.Millisecond, 20*time.Millisecond
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { p.Run(ctx); close(ended) }()
	closed := false
	stop = func() {
		if closed {
			return
		}
		closed = true
		cancel()
		<-ended
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return p, stop
}

// check tells what is wrong with what a receiver has: every value from 1 on must be there, in
// order, at a time of its own. What is the same as before came twice, which may be.
func check(t *testing.T, points []point) (last float64) {
	t.Helper()
	when := map[float64]int64{}
	for _, p := range points {
		if at, ok := when[p.value]; ok && at != p.ms {
			t.Errorf("%v has the times %d and %d", p.value, at, p.ms)
		}
		when[p.value] = p.ms
		if p.value > last+1 {
			t.Errorf("%v follows %v", p.value, last)
		}
		last = max(last, p.value)
	}
	return last
}

// Every sample comes, once, as long as nothing goes wrong.
func TestPush(t *testing.T) {
	r := newReceiver(t, takes)
	p, stop := begin(t, Options{Target: Target{URL: r.url("remote-write")}, Source: &counting{}, Dir: t.TempDir()})
	until(t, "five samples", func() bool { return p.Stats().Sent >= 5 })
	stop()
	points := r.has()
	if last := check(t, points); int(last) != len(points) {
		t.Errorf("%d points up to %v", len(points), last)
	}
	st, came := p.Stats(), uint64(len(points))
	// The end may break off the answer to the last one.
	if st.Sent != came && st.Sent+1 != came || st.Retries+st.Refused+st.Lost+st.MeasureErrors+st.Queued.Dropped > 0 {
		t.Errorf("%+v", st)
	}
}

// Damage that is in every sample is reported once a minute, and the rest is sent.
func TestPushDamaged(t *testing.T) {
	const elapsed = counter.Type(0x30240500)
	noClock := perfdata.Object{Title: 6, Form: perfdata.Single, DefaultCounter: -1}
	noClock.Counters = []perfdata.Counter{perfdata.NewCounter(8, elapsed), perfdata.NewCounter(10, elapsed)}
	if _, err := noClock.AddInstance(""); err != nil {
		t.Fatal(err)
	}
	noClock.Layout(false)

	r, told := newReceiver(t, takes), &teller{}
	p, stop := begin(t, Options{
		Target: Target{URL: r.url("remote-write")}, Sender: SenderOptions{Report: told.tell},
		Source: &counting{more: []perfdata.Object{noClock}}, Dir: t.TempDir(),
	})
	until(t, "five samples", func() bool { return p.Stats().Sent >= 5 })
	stop()

	check(t, r.has())
	damage := slices.DeleteFunc(told.all(), func(s string) bool { return !strings.Contains(s, "bad time base") })
	if len(damage) == 0 || !strings.HasSuffix(damage[0], "(and 1 more)") {
		t.Errorf("%q", damage)
	}
	if sent := p.Stats().Sent; uint64(len(damage)) > sent/2 {
		t.Errorf("%d reports of %d samples", len(damage), sent)
	}
}

// What an old receiver swallowed as 2.0 is sent again as 1.0.
func TestPushFallback(t *testing.T) {
	for _, status := range []int{http.StatusNoContent, http.StatusUnsupportedMediaType} {
		var first []point // of the request of version 2.0; one after the other, as there is one sender
		r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
			if strings.Contains(q.Header.Get("Content-Type"), "v2") && status/100 == 2 {
				first = append(first, points...)
				return http.StatusAlreadyReported // it is kept, to be told from the rest by nobody but the test
			}
			return old(status)(w, q, points)
		})
		p, stop := begin(t, Options{Target: Target{URL: r.url("remote-write")}, Source: &counting{}, Dir: t.TempDir()})
		until(t, "samples", func() bool { return p.Stats().Sent >= 5 })
		stop()
		points := r.has()
		if status/100 == 2 { // what was in the first request came twice
			n := len(first)
			if n == 0 || !slices.Equal(points[:n], points[n:2*n]) {
				t.Errorf("the points begin with %v, want %v twice", points[:2*n], first)
			}
			points = points[n:]
		}
		if last := check(t, points); int(last) != len(points) {
			t.Errorf("%d: %d points up to %v", status, len(points), last)
		}
	}
}

// A target that is away for a while gets all when it is back, though the program was started
// again meanwhile; memory holds none of it.
func TestPushOutage(t *testing.T) {
	var away atomic.Bool
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
		if away.Load() {
			return http.StatusServiceUnavailable
		}
		return takes(w, q, points)
	})
	src, dir, told := &counting{}, t.TempDir(), &teller{}
	opt := Options{
		Target: Target{URL: r.url("remote-write")}, Sender: SenderOptions{Report: told.tell}, Source: src, Dir: dir,
	}
	p, stop := begin(t, opt)
	until(t, "samples", func() bool { return len(r.has()) >= 2 })
	away.Store(true)
	until(t, "samples in the queue", func() bool { return p.Stats().Queued.Items >= 4 })
	if st := p.Stats(); st.Failing.IsZero() || st.Queued.Oldest.IsZero() || st.Queued.Bytes == 0 {
		t.Errorf("%+v", st)
	}
	stop()
	waiting := p.Stats().Queued.Items

	p, stop = begin(t, opt)
	if got := p.Stats().Queued.Items; got < waiting {
		t.Errorf("%d samples wait after a start, want %d", got, waiting)
	}
	until(t, "more samples in the queue", func() bool {
		st := p.Stats()
		return st.Queued.Items >= waiting+2 && !st.Failing.IsZero()
	})
	away.Store(false)
	until(t, "an empty queue", func() bool { st := p.Stats(); return st.Queued.Items == 0 && st.Sent > 0 })
	stop()
	if last := check(t, r.has()); last < float64(waiting+4) {
		t.Errorf("the last value is %v", last)
	}
	all := strings.Join(told.all(), "\n")
	if !strings.Contains(all, "503 Service Unavailable; trying again") || !strings.Contains(all, "answers again") {
		t.Errorf("told %s", all)
	}
}

// A source that fails is asked again; its failures are counted and told.
func TestPushSourceFails(t *testing.T) {
	r, told := newReceiver(t, takes), &teller{}
	calls := 0
	src := &counting{before: func(context.Context) error {
		if calls++; calls%3 == 0 {
			return errors.New("away")
		}
		return nil
	}}
	p, stop := begin(t, Options{
		Target: Target{URL: r.url("remote-write")}, Source: src, Dir: t.TempDir(), Sender: SenderOptions{Report: told.tell},
	})
	until(t, "samples", func() bool { return len(r.has()) >= 5 })
	stop()
	check(t, r.has())
	if p.Stats().MeasureErrors == 0 || !strings.Contains(strings.Join(told.all(), "\n"), "away") {
		t.Errorf("%+v, told %q", p.Stats(), told.all())
	}
}

// A source without raw values cannot be pushed, and two cannot share a queue.
func TestNewFails(t *testing.T) {
	opt := Options{Target: Target{URL: "otlp+http://127.0.0.1"}, Source: cooked{&counting{}}, Dir: t.TempDir()}
	if _, err := New(opt); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("%v, want %v", err, winperf.ErrNotSupported)
	}
	opt.Source = &counting{}
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := New(opt); !errors.Is(err, queue.ErrInUse) {
		t.Errorf("%v, want %v", err, queue.ErrInUse)
	}
}

// While the disk takes no file, samples are sent from memory, and told once; then they are on the disk again.
func TestPushFullDisk(t *testing.T) {
	dir, told, r := t.TempDir(), &teller{}, newReceiver(t, takes)
	blocked := func(change func(name string) error) {
		for i := range 100 {
			if err := change(filepath.Join(dir, fmt.Sprintf("%012d.capture", i+1))); err != nil {
				t.Error(err)
			}
		}
	}
	src := &counting{}
	src.before = func(context.Context) error {
		switch src.n {
		case 0:
			blocked(func(name string) error { return os.Mkdir(name, 0o700) })
		case 10:
			blocked(os.Remove)
		}
		return nil
	}

	p, stop := begin(t, Options{
		Target: Target{URL: r.url("remote-write")}, Source: src, Dir: dir, Interval: 30 * time.Millisecond,
		Sender: SenderOptions{Report: told.tell},
	})
	until(t, "samples", func() bool { return len(r.has()) >= 15 && p.Stats().Queued.Items == 0 })
	stop()
	if last := check(t, r.has()); last < 15 {
		t.Errorf("values up to %v", last)
	}
	st, all := p.Stats(), told.all()
	if st.Queued.Unwritten != 10 || st.Queued.Memory+int64(st.Queued.Dropped+st.MeasureErrors) > 0 {
		t.Errorf("%+v", st)
	}
	if len(all) != 2 || !strings.Contains(all[0], "in memory only") || !strings.Contains(all[1], "10 were in memory only") {
		t.Errorf("told %q", all)
	}
}

type cooked struct{ winperf.Source }

func (cooked) Describe() winperf.Description { return winperf.Description{Cooked: true} }

// A backlog is sent in few requests, each as full as it may be, and acknowledged on the way.
func TestPushBacklog(t *testing.T) {
	dir, src := t.TempDir(), &counting{}
	q, err := queue.OpenSamples(dir, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sample winperf.Sample
	for range 1500 { // more than one file
		if err := errors.Join(src.Next(t.Context(), &sample), q.Append(&sample)); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}

	var away atomic.Bool
	r := newReceiver(t, func(w http.ResponseWriter, q *http.Request, points []point) int {
		if away.Load() {
			return http.StatusServiceUnavailable
		}
		if points[len(points)-1].value >= 1200 && points[0].value < 1200 {
			away.Store(true)
		}
		return takes(w, q, points)
	})
	opt := Options{
		Target: Target{URL: r.url("remote-write"), MaxSamples: 100}, Source: src, Dir: dir, Interval: time.Hour,
	}
	p, stop := begin(t, opt)
	until(t, "the end of the target", func() bool { return away.Load() && p.Stats().Retries > 0 })
	stop()
	if got := p.Stats().Queued.Items; got < 300 || got > 402 {
		t.Errorf("%d samples are not acknowledged, want about 300", got)
	}

	away.Store(false)
	p, stop = begin(t, opt)
	until(t, "an empty queue", func() bool { return p.Stats().Queued.Items == 0 })
	stop()
	if last := check(t, r.has()); last < 1500 || r.requests > 40 {
		t.Errorf("up to %v in %d requests", last, r.requests)
	}
}

// program is a Program with one metric, the number of samples taken.
type program struct {
	taken, failed, old atomic.Uint64
	rows               *metrics.Rows
}

func (p *program) Taken(_ *measure.Cycle, err error) {
	if err != nil {
		p.failed.Add(1)
	}
	p.taken.Add(1)
}

func (p *program) About(_ *measure.Cycle, set *metrics.Set, recent bool) []metrics.Family {
	if !recent {
		p.old.Add(1)
		return nil
	}
	return []metrics.Family{{
		Name: "taken_total", Type: metrics.Counter,
		Columns: []metrics.Column{{Rows: p.rows, Bits: []uint64{p.taken.Load()}}},
	}}
}

// Recent samples carry metrics about the program. A sample that waited, or is of an earlier run, has none.
func TestPushProgram(t *testing.T) {
	dir := t.TempDir()
	away := newReceiver(t, func(http.ResponseWriter, *http.Request, []point) int { return http.StatusBadGateway })
	p, stop := begin(t, Options{Target: Target{URL: away.url("remote-write")}, Source: &counting{}, Dir: dir})
	until(t, "five samples in the queue", func() bool { return p.Stats().Queued.Items >= 5 })
	stop()

	about := &program{rows: metrics.NewRows([][]metrics.Label{nil}, nil)}
	r := newReceiver(t, takes)
	opt := Options{Target: Target{URL: r.url("remote-write")}, Source: &counting{}, Dir: dir, Program: about}
	_, stop = begin(t, opt)
	const series = "__name__=taken_total,"
	values := func() (of map[int64]float64, samples map[int64]bool) {
		of, samples = map[int64]float64{}, map[int64]bool{}
		for _, p := range r.has() {
			switch {
			case p.series != series:
				samples[p.ms] = true
			case !p.ended:
				of[p.ms] = p.value
			}
		}
		return of, samples
	}
	until(t, "five values about the program", func() bool { of, _ := values(); return len(of) >= 5 })
	stop()

	of, samples := values()
	if about.old.Load() < 5 || len(samples) < len(of)+5 || about.failed.Load() > 0 {
		t.Errorf("%d old samples, %d samples, %d with the program, %d failures",
			about.old.Load(), len(samples), len(of), about.failed.Load())
	}
	for ms, value := range of {
		if !samples[ms] || value < 1 {
			t.Errorf("the program has the value %v at %d; a sample: %v", value, ms, samples[ms])
		}
	}
}
