package delivery

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/internal/spool"
)

// fullQueue is a queue that takes nothing as long as full is not nil.
type fullQueue struct {
	queue
	full, stuck atomic.Value // errors of append, and of forget
}

// fault is an error, or none.
type fault struct{ err error }

func faultOf(v *atomic.Value) error {
	f, _ := v.Load().(fault)
	return f.err
}

func (q *fullQueue) append(data []byte) error {
	if err := faultOf(&q.full); err != nil {
		return err
	}
	return q.queue.append(data)
}

func (q *fullQueue) reader(name string) queueReader {
	return &fullReader{q, q.queue.reader(name)}
}

type fullReader struct {
	queue *fullQueue
	queueReader
}

func (r *fullReader) Forget(through uint64) error {
	if err := faultOf(&r.queue.stuck); err != nil {
		return err
	}
	return r.queueReader.Forget(through)
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
	q := &fullQueue{queue: memoryQueue{spool.NewMemory(10_000, 64<<20, []string{"a"}, time.Now)}}
	ctx, stop := context.WithCancel(context.Background())
	d := &Delivery{queue: q, ctx: ctx, stop: stop, room: make(chan struct{}, 1), closed: make(chan struct{})}
	d.begin(Route{Name: "a", Sink: sink, Records: append(batch, 500)[0]}, q.reader("a"))
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
		const want = "records were not delivered: 42 that were on their way into the queue: no space left on device"
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
