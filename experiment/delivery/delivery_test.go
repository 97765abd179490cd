package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/sink"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// record makes a record that tells its number in its values.
func record(session string, n uint64) *experiment.Record {
	at := time.Unix(1_800_000_000+int64(n), 0).UTC()
	return &experiment.Record{
		Experiment: "load", Session: session, Number: n, Begun: at,
		Event: experiment.EventInfo{Name: "tick", Time: at},
		Values: []experiment.Value{
			{Path: `\\HOST\Object(a)\Counter`, Value: counter.Int(n), Unit: counter.Count},
			{Path: `\\HOST\Object(b)\Counter`, Status: counter.NoPrevious, Unit: counter.Count},
		},
	}
}

func records(session string, from, to uint64) (all []*experiment.Record) {
	for n := from; n <= to; n++ {
		all = append(all, record(session, n))
	}
	return all
}

// testSink keeps what it takes. fail, where it is set, is asked first.
type testSink struct {
	fail   func(ctx context.Context, batch []Item) error
	mu     sync.Mutex
	taken  []string // session/number
	sizes  []int
	times  []time.Time
	closed bool
}

func (s *testSink) Deliver(ctx context.Context, batch []Item) error {
	s.mu.Lock()
	s.times = append(s.times, time.Now())
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(ctx, batch); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes = append(s.sizes, len(batch))
	for _, i := range batch {
		rec, err := i.Record()
		if err != nil || rec.Number != i.Number || rec.Session != i.Session {
			return fmt.Errorf("record %v %d: %w", i, rec.Number, err)
		}
		s.taken = append(s.taken, fmt.Sprintf("%s/%d", i.Session, i.Number))
	}
	return nil
}

func (s *testSink) Close(context.Context) error {
	s.closed = true
	return nil
}

func names(session string, from, to uint64) (all []string) {
	for n := from; n <= to; n++ {
		all = append(all, fmt.Sprintf("%s/%d", session, n))
	}
	return all
}

func (s *testSink) expect(t *testing.T, want ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.taken, want) {
		t.Errorf("got %v, want %v", s.taken, want)
	}
}

func begin(t *testing.T, o Options) *Delivery {
	t.Helper()
	d, err := New(o)
	must(t, err)
	t.Cleanup(func() { // most were closed before
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = d.Close(ctx)
	})
	return d
}

func put(t *testing.T, d *Delivery, all ...*experiment.Record) {
	t.Helper()
	n, err := d.Put(t.Context(), all...)
	if n != len(all) {
		t.Fatal(n, err)
	}
	must(t, err)
}

// Records come in order and in batches of one session.
func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s, Records: 4}}})
		put(t, d, append(records("x", 1, 6), records("y", 1, 2)...)...)
		synctest.Wait()
		s.expect(t) // it waits for others
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		s.expect(t, append(names("x", 1, 6), names("y", 1, 2)...)...)
		if want := []int{4, 2, 2}; !slices.Equal(s.sizes, want) {
			t.Errorf("batches of %v, want %v", s.sizes, want)
		}
		put(t, d, records("y", 3, 3)...)
		must(t, d.Close(t.Context()))
		s.expect(t, append(names("x", 1, 6), names("y", 1, 3)...)...)
		if got := d.State().Routes[0]; got.Delivered != 9 || got.Session != "y" || got.Number != 3 || !s.closed {
			t.Errorf("%+v", got)
		}
		if _, err := d.Put(t.Context(), record("y", 4)); !errors.Is(err, winperf.ErrState) {
			t.Errorf("put after Close: %v", err)
		}
	})
}

// Routes are added, asked about and removed in several goroutines, while another one puts records.
func TestManyUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s}}})
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				name := fmt.Sprint("other ", n)
				for range 10 {
					if err := d.Add(Route{Name: name, Sink: &testSink{}}); err != nil {
						t.Error(err)
					}
					d.SendNow(0)
					if len(d.State().Routes) < 2 {
						t.Error("a route is missing")
					}
					if there, err := d.Remove(t.Context(), name); !there || err != nil {
						t.Errorf("removed: %v, %v", there, err)
					}
				}
			})
		}
		for n := range uint64(50) {
			put(t, d, record("x", n+1))
		}
		all.Wait()
		must(t, d.Close(t.Context()))
		s.expect(t, names("x", 1, 50)...)
	})
}

// What fails comes again, with gaps that grow, and as late as the sink asked.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		tries := 0
		s := &testSink{fail: func(context.Context, []Item) error {
			tries++
			switch {
			case tries == 4:
				return RetryAfter(time.Hour, down)
			case tries <= 8:
				return down
			}
			return nil
		}}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s, Linger: -1, First: time.Second, Most: 10 * time.Second}}})
		put(t, d, records("x", 1, 3)...)
		time.Sleep(5 * time.Second)
		if got := d.State().Routes[0]; !errors.Is(got.Err, down) || got.Failures == 0 {
			t.Errorf("%+v", got)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		s.expect(t, names("x", 1, 3)...)
		if got := d.State().Routes[0]; got.Failures != 8 || got.Err != nil {
			t.Errorf("%+v", got)
		}

		gaps := [][2]time.Duration{
			{time.Second / 2, time.Second}, {time.Second, 2 * time.Second}, {2 * time.Second, 4 * time.Second},
			{mostWait, mostWait}, {5 * time.Second, 10 * time.Second}, {5 * time.Second, 10 * time.Second},
		}
		for i, want := range gaps {
			if got := s.times[i+1].Sub(s.times[i]); got < want[0] || got > want[1] {
				t.Errorf("gap %d is %v, want %v", i, got, want)
			}
		}
		must(t, d.Close(t.Context()))
	})
}

// The errors that a sink returns for a batch keep the reason.
func TestSinkErrors(t *testing.T) {
	cause := errors.New("odd")
	for _, err := range []error{Refuse(cause), RetryAfter(time.Second, cause)} {
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "odd") {
			t.Errorf("%v does not wrap its cause", err)
		}
	}
}

// What a sink refuses costs that record only.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{fail: func(_ context.Context, batch []Item) error {
			if slices.ContainsFunc(batch, func(i Item) bool { return i.Number%3 == 0 }) {
				return fmt.Errorf("no: %w", Refuse(errors.New("odd")))
			}
			return nil
		}}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s}}})
		put(t, d, records("x", 1, 6)...)
		must(t, d.Close(t.Context()))
		s.expect(t, "x/1", "x/2", "x/4", "x/5")
		if got := d.State().Routes[0]; got.Refused != 2 || got.Delivered != 4 ||
			got.Refusal == nil || got.Refusal.Error() != "odd" {
			t.Errorf("%+v", got)
		}
	})
}

// What was taken or refused of a batch is counted once, and does not come again with what failed.
func TestRefusedAndFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		s := &testSink{fail: func(_ context.Context, batch []Item) error {
			switch {
			case slices.ContainsFunc(batch, func(i Item) bool { return i.Number == 2 }):
				return Refuse(errors.New("odd"))
			case slices.ContainsFunc(batch, func(i Item) bool { return i.Number == 3 }):
				if tries++; tries < 4 {
					return errors.New("later")
				}
			}
			return nil
		}}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s}}})
		put(t, d, records("x", 1, 4)...)
		time.Sleep(time.Minute)
		s.expect(t, "x/1", "x/3", "x/4")
		if got := d.State().Routes[0]; got.Refused != 1 || got.Delivered != 3 || got.Number != 4 {
			t.Errorf("%+v", got)
		}
		if n := d.State().Waiting; n != 0 {
			t.Errorf("%d wait", n)
		}
		must(t, d.Close(t.Context()))
	})
}

// A sink that hangs is left alone after its time, holds up no other one, and loses what
// there is no space for, which is counted.
func TestSlowSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var awake atomic.Bool
		slow := &testSink{fail: func(ctx context.Context, _ []Item) error {
			if awake.Load() {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}}
		fast := &testSink{}
		d := begin(t, Options{
			Routes:  []Route{{Name: "slow", Sink: slow, Records: 2}, {Name: "fast", Sink: fast, Linger: -1}},
			Records: 10,
		})
		for n := uint64(1); n <= 100; n++ {
			put(t, d, record("x", n))
		}
		time.Sleep(time.Second)
		fast.expect(t, names("x", 1, 100)...)

		awake.Store(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		got := d.State().Routes[0]
		if got.Lost+got.Delivered != 100 || got.Lost < 80 || got.Number != 100 {
			t.Errorf("%+v", got)
		}
		if n := d.State().Dropped; n < got.Lost || n > got.Lost+2 { // what was on its way came all the same
			t.Errorf("%d dropped, %d lost", n, got.Lost)
		}
		must(t, d.Close(t.Context()))
	})
}

// While no sink takes anything Put waits, and so leaves records to their storage.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		s := &testSink{fail: func(context.Context, []Item) error { return down }}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s}}, Records: 5})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if n, err := d.Put(ctx, records("x", 1, 10)...); n != 5 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d taken, %v", n, err)
		}

		short, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		err := d.Close(short)
		if !errors.Is(err, ErrUndelivered) || !errors.Is(err, down) || !s.closed {
			t.Errorf("Close: %v", err)
		}
		if again := d.Close(t.Context()); again == nil || again.Error() != err.Error() {
			t.Errorf("Close again: %v", again)
		}
	})
}

// When too many records wait somewhere, those that are here do not wait for others.
func TestHurry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{}
		d := begin(t, Options{Routes: []Route{{Name: "a", Sink: s, Linger: time.Hour}}})
		time.Sleep(2 * time.Hour)
		put(t, d, records("x", 1, 3)...)
		synctest.Wait()
		s.expect(t)
		d.SendNow(3)
		synctest.Wait()
		s.expect(t, names("x", 1, 3)...)
	})
}

// The reference writes the same lines without any queue.
func BenchmarkDelivery(b *testing.B) {
	all := records("x", 1, 1000)
	b.Run("delivery", func(b *testing.B) {
		for b.Loop() {
			s, err := NewWriter(io.Discard, FormatRecords, sink.Options{})
			must(b, err)
			d, err := New(Options{Routes: []Route{{Name: "a", Sink: s, Linger: -1}}})
			must(b, err)
			_, err = d.Put(b.Context(), all...)
			must(b, errors.Join(err, d.Close(b.Context())))
		}
	})
	b.Run("lines", func(b *testing.B) {
		var line []byte
		for b.Loop() {
			for _, r := range all {
				line = append(r.AppendJSON(line[:0]), '\n')
				_, err := io.Discard.Write(line)
				must(b, err)
			}
		}
	})
}

// testRecords is an experiment that gives what it has.
type testRecords struct {
	left   []*experiment.Record
	forgot uint64
}

func (r *testRecords) Next(_ context.Context, n int) ([]*experiment.Record, error) {
	if len(r.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(r.left))
	next := r.left[:n]
	r.left = r.left[n:]
	return next, nil
}

func (r *testRecords) Done(through uint64) error {
	r.forgot = through
	return nil
}

// With a queue on disk nothing that was taken is lost with the program, each route goes on
// where it was, and what an experiment gave may be forgotten there.
func TestDisk(t *testing.T) {
	dir := t.TempDir()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	down := errors.New("down")
	good, bad := &testSink{}, &testSink{fail: func(context.Context, []Item) error { return down }}
	o := Options{
		Routes: []Route{{Name: "good", Sink: good, Linger: -1}, {Name: "bad", Sink: bad, Linger: -1}},
		Disk:   &Disk{Dir: dir},
	}
	d := begin(t, o)
	from := &testRecords{left: records("x", 1, 250)}
	must(t, d.Run(t.Context(), from))
	if from.forgot != 250 {
		t.Errorf("forgot %d", from.forgot)
	}
	for end := time.Now().Add(5 * time.Minute); d.State().Routes[0].Delivered < 250; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%+v", d.State())
		}
	}
	if err := d.Close(stopped); !errors.Is(err, ErrUndelivered) {
		t.Error(err)
	}

	good, bad = &testSink{}, &testSink{}
	o.Routes = []Route{{Name: "good", Sink: good}, {Name: "bad", Sink: bad}}
	d = begin(t, o)
	put(t, d, records("y", 1, 2)...)
	must(t, d.Close(t.Context()))
	good.expect(t, names("y", 1, 2)...)
	bad.expect(t, append(names("x", 1, 250), names("y", 1, 2)...)...)
}

func TestOptions(t *testing.T) {
	s := &testSink{}
	for _, routes := range [][]Route{{{Sink: s}}, {{Name: "a"}}, {{Name: "a", Sink: s}, {Name: "a", Sink: s}}} {
		if _, err := New(Options{Routes: routes}); err == nil {
			t.Errorf("%v is a delivery", routes)
		}
	}
}
