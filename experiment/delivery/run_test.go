package delivery

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/sink"
)

// fullQueue is a queue that takes nothing as long as full is not nil.
type fullQueue struct {
	*queue.Queue[[]byte]
	full, stuck atomic.Value // errors of Append, and of Done
}

// fault is an error, or none.
type fault struct{ err error }

func faultOf(v *atomic.Value) error {
	f, _ := v.Load().(fault)
	return f.err
}

func (q *fullQueue) Append(items ...*[]byte) error {
	if err := faultOf(&q.full); err != nil {
		return err
	}
	return q.Queue.Append(items...)
}

type fullReader struct {
	queue *fullQueue
	*queue.Reader[[]byte]
}

func (r *fullReader) Done(through uint64) error {
	if err := faultOf(&r.queue.stuck); err != nil {
		return err
	}
	return r.Reader.Done(through)
}

// storedRecords are where records come from; failing is asked first.
type storedRecords struct {
	left    []*experiment.Record
	failing atomic.Value // a fault
	done    atomic.Uint64
}

func (s *storedRecords) Next(_ context.Context, n int) ([]*experiment.Record, error) {
	if err := faultOf(&s.failing); err != nil {
		return nil, err
	}
	if len(s.left) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(s.left))
	some := s.left[:n]
	s.left = s.left[n:]
	return some, nil
}

func (s *storedRecords) Done(through uint64) error {
	s.done.Store(through)
	return faultOf(&s.failing)
}

// newFull begins a delivery whose queue is full.
func newFull(sink Sink, batch ...int) (*Delivery, *fullQueue) {
	q := &fullQueue{Queue: queue.NewMemory(queue.Options{Readers: []string{"a"}})}
	d := newDelivery(q)
	d.begin(Route{Name: "a", Sink: sink, Records: append(batch, 500)[0]}, &fullReader{q, q.Reader("a")})
	return d, q
}

var (
	errDisk  = errors.New("no space left on device")
	errFiles = errors.New("too many open files")
)

// What fails for a while, here the disk of the queue and then that of the spill, costs no record:
// it is told meanwhile, and tried again.
func TestRunFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{}
		d, q := newFull(s)
		from := &storedRecords{left: records("x", 1, 250)}
		q.full.Store(fault{errDisk})
		ended := make(chan error, 1)
		go func() { ended <- d.Run(t.Context(), from) }()

		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if err := d.State().Err; !errors.Is(err, errDisk) || from.done.Load() > 0 {
			t.Errorf("it tells %v, and %d are done", err, from.done.Load())
		}
		q.full.Store(fault{})
		from.failing.Store(fault{errFiles})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		s.expect(t, names("x", 1, 100)...)
		if err := d.State().Err; !errors.Is(err, errFiles) {
			t.Errorf("it tells %v", err)
		}
		from.failing.Store(fault{})
		must(t, <-ended)
		must(t, d.Close(t.Context()))
		s.expect(t, names("x", 1, 250)...)
		if err := d.State().Err; err != nil || from.done.Load() != 250 {
			t.Errorf("it tells %v, and %d are done", err, from.done.Load())
		}
	})
}

// A delivery that is closed while its queue is full says how many records that costs.
func TestRunClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, q := newFull(&testSink{})
		q.full.Store(fault{errDisk})
		ended := make(chan error, 1)
		go func() { ended <- d.Run(context.Background(), &storedRecords{left: records("x", 1, 42)}) }()
		synctest.Wait()
		must(t, d.Close(t.Context()))
		err := <-ended
		const want = "records were not delivered: 42 records did not reach the queue: no space left on device"
		if !errors.Is(err, ErrUndelivered) || err.Error() != want {
			t.Errorf("it says %v, want %s", err, want)
		}
	})
}

// A queue that cannot note what was delivered holds up no sink.
func TestForgetFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &testSink{}
		d, q := newFull(s, 10)
		q.stuck.Store(fault{errDisk})
		began := time.Now()
		put(t, d, records("x", 1, 100)...)
		must(t, d.Close(t.Context()))
		s.expect(t, names("x", 1, 100)...)
		if took := time.Since(began); took > time.Second {
			t.Errorf("the sink was held up for %v", took)
		}
		if r := d.State().Routes[0]; !errors.Is(r.Err, errDisk) {
			t.Errorf("its state is %+v", r)
		}
	})
}

// A record without a number, such as a summary that is not stored, is refused, and costs no other.
func TestNoNumber(t *testing.T) {
	d, err := New(Options{})
	must(t, err)
	s := new(testSink)
	must(t, d.Add(Route{Name: "a", Sink: s, Records: 1}))
	if n, err := d.Put(t.Context(), record("s", 1), record("s", 0), record("s", 2)); n != 1 || !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("%d were taken, error %v", n, err)
	}
	from := &storedRecords{left: []*experiment.Record{record("s", 2), record("s", 0)}}
	if err := d.Run(t.Context(), from); !errors.Is(err, ErrUndelivered) || !errors.Is(err, winperf.ErrBadData) {
		t.Error(err)
	}

	strange := []byte("{}")
	must(t, d.queue.Append(&strange)) // what is in a queue on disk may be anybody's
	if n, err := d.Put(t.Context(), record("s", 3)); n != 1 || err != nil {
		t.Errorf("%d were taken, error %v", n, err)
	}
	must(t, d.Close(t.Context()))
	if want := []string{"s/1", "s/2", "s/3"}; !slices.Equal(s.taken, want) || d.State().Routes[0].Lost != 1 {
		t.Errorf("%v, want %v; %+v", s.taken, want, d.State())
	}
}

// A route that takes the place of another one gets all that comes from then on, however long the other
// takes to leave.
func TestReplace(t *testing.T) {
	for _, disk := range []*Disk{nil, {Dir: t.TempDir()}} {
		d, err := New(Options{Disk: disk})
		must(t, err)
		entered, leave, removed := make(chan struct{}), make(chan struct{}), make(chan error)
		old, other, replacement := new(testSink), new(testSink), new(testSink)
		old.fail = func(context.Context, []Item) error {
			close(entered)
			<-leave
			return nil
		}
		must(t, d.Add(Route{Name: "a", Sink: old, Linger: -1}))
		must(t, d.Add(Route{Name: "b", Sink: other, Linger: -1}))
		_, err = d.Put(t.Context(), record("s", 1))
		must(t, err)
		<-entered

		go func() {
			_, err := d.Remove(t.Context(), "a")
			removed <- err
		}()
		end := time.Now().Add(5 * time.Minute)
		for len(d.State().Routes) > 1 && time.Now().Before(end) {
			time.Sleep(time.Millisecond)
		}
		if err := d.Add(Route{Name: "a", Sink: replacement}); !errors.Is(err, winperf.ErrState) {
			t.Errorf("error %v of a name that is not free", err)
		}
		close(leave)
		must(t, <-removed)

		must(t, d.Add(Route{Name: "a", Sink: replacement, Linger: time.Hour}))
		_, err = d.Put(t.Context(), records("s", 2, 9)...)
		must(t, err)
		for d.State().Routes[0].Number < 9 && time.Now().Before(end) { // only the replacement has not got them
			time.Sleep(time.Millisecond)
		}
		_, err = d.Put(t.Context(), record("s", 10))
		must(t, err)
		must(t, d.Close(t.Context()))
		if len(replacement.taken) != 9 || replacement.taken[0] != "s/2" || len(other.taken) != 10 {
			t.Errorf("%v instead of %v", replacement.taken, other.taken)
		}
	}
}

// A sink that does not return is left behind a while after the end of the context: others are closed.
func TestCloseStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, w := io.Pipe() // which nobody reads
		stuck, err := NewWriter(w, FormatRecords, sink.Options{})
		must(t, err)
		other := new(testSink)
		d, err := New(Options{Routes: []Route{{Name: "stuck", Sink: stuck, Linger: -1}, {Name: "other", Sink: other}}})
		must(t, err)
		_, err = d.Put(t.Context(), record("s", 1))
		must(t, err)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := d.Close(ctx); !errors.Is(err, ErrUndelivered) || !errors.Is(err, errStuck) {
			t.Errorf("error %v, want %v", err, errStuck)
		}
		if !other.closed || len(other.taken) != 1 {
			t.Errorf("the other sink took %v, closed: %t", other.taken, other.closed)
		}
		must(t, reader.Close()) // the write that is under way fails, and its goroutine ends
	})
}
