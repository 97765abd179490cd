package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/queue"
)

// Route configures the delivery to one sink. Name and Sink are required, all else has defaults.
type Route struct {
	// Name identifies the route in states, messages and the queue on disk.
	Name string
	Sink Sink
	// Records and Bytes limit a batch; 0 means 500 records and 1 MiB. A single record may be larger.
	Records int
	Bytes   int64
	// Linger is the time that a record may wait for more records; 0 means 100 ms, below 0 it does not
	// wait.
	Linger time.Duration
	// First is the pause after a failure. It doubles with each further failure up to Most; 0 means 1 s
	// and 1 min. Pauses vary randomly by half, so that many programs do not retry at once.
	First, Most time.Duration
	// Timeout is the longest time of a Deliver call; 0 means 30 s.
	Timeout time.Duration
}

func (r *Route) setDefaults() {
	for _, d := range []struct {
		value *time.Duration
		is    time.Duration
	}{
		{&r.Linger, 100 * time.Millisecond}, {&r.Timeout, 30 * time.Second},
		{&r.First, time.Second}, {&r.Most, time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.is
		}
	}
	if r.Records <= 0 {
		r.Records = 500
	}
	if r.Bytes <= 0 {
		r.Bytes = 1 << 20
	}
}

// Options configure a delivery. Routes may also be added later.
type Options struct {
	Routes []Route
	// Records and Bytes limit the queue in memory; 0 means 10,000 records and 64 MiB.
	Records int
	Bytes   int64
	// Disk, if not nil, replaces the queue in memory. Records left by an earlier run are delivered first,
	// also to routes that are new.
	Disk *Disk
}

// Disk is a queue on disk.
type Disk struct {
	// Dir is its directory, created if missing.
	Dir string
	// Bytes limits its size; 0 means 1 GiB. Age is how long an undelivered record is kept; 0 means
	// forever. Older records beyond these limits are dropped and counted.
	Bytes int64
	Age   time.Duration
	// Sync is how long records may be only in the system's write cache, where they survive the end of the
	// program but not of the system; 0 means 1 s, below 0 means no time.
	Sync time.Duration
}

type entryQueue interface {
	Append(items ...*[]byte) error
	AddReader(name string) *queue.Reader[[]byte]
	RemoveReader(name string)
	Stats() queue.Stats
	Close() error
}

type entryReader interface {
	Next(ctx context.Context, data *[]byte) (number uint64, err error)
	After() uint64
	Done(number uint64) error
}

func checkRoutes(routes []Route) error {
	for i, r := range routes {
		switch {
		case r.Name == "" || r.Sink == nil:
			return errors.New("a route needs a name and a sink")
		case slices.ContainsFunc(routes[:i], func(other Route) bool { return other.Name == r.Name }):
			return fmt.Errorf("two routes have the name %q", r.Name)
		}
	}
	return nil
}

func (o *Options) open() (*queue.Queue[[]byte], error) {
	if err := checkRoutes(o.Routes); err != nil {
		return nil, err
	}
	var names []string
	for _, r := range o.Routes {
		names = append(names, r.Name)
	}
	if o.Disk != nil {
		return o.Disk.open(o.Disk.Dir, names...)
	}
	return queue.NewMemory(queue.Options{
		Readers: names, MaxItems: o.Records, MaxBytes: cmp.Or(max(o.Bytes, 0), 64<<20),
	}), nil
}

func (d *Disk) open(dir string, readers ...string) (*queue.Queue[[]byte], error) {
	return queue.OpenEntries(dir, queue.Options{
		Readers: readers, MaxBytes: cmp.Or(max(d.Bytes, 0), 1<<30), MaxAge: d.Age, Sync: d.Sync,
	})
}

// Delivery delivers records to sinks. It may be used from several goroutines, except for Put and Run:
// only one of them may run at a time.
type Delivery struct {
	queue entryQueue
	ctx   context.Context
	stop  context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex
	routes  []*route
	leaving []string
	over    bool
	failing error

	space chan struct{}
	once  sync.Once
	open  context.Context // ends with Close
	shut  context.CancelFunc
	err   error
}

// New starts a delivery. Close ends it.
func New(o Options) (*Delivery, error) {
	q, err := o.open()
	if err != nil {
		return nil, err
	}
	d := newDelivery(q)
	for _, r := range o.Routes {
		d.begin(r, q.Reader(r.Name))
	}
	return d, nil
}

func newDelivery(q entryQueue) *Delivery {
	d := &Delivery{queue: q, space: make(chan struct{}, 1)}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.open, d.shut = context.WithCancel(context.Background())
	return d
}

func (d *Delivery) begin(r Route, reader entryReader) {
	r.setDefaults()
	ctx, stop := context.WithCancel(d.ctx)
	way := newRoute(r, reader, d.space)
	way.stop = stop
	d.routes = append(d.routes, way)
	d.group.Go(func() { way.run(ctx) })
}

// Add adds a route. It gets the records put from now on; the only route also gets the records that wait.
// A removed route's name can be used again after Remove has returned.
func (d *Delivery) Add(r Route) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return fmt.Errorf("the delivery is closed: %w", winperf.ErrState)
	}
	if slices.Contains(d.leaving, r.Name) {
		return fmt.Errorf("%w: the route %q is still being removed", winperf.ErrState, r.Name)
	}
	if err := checkRoutes(append(d.list(), r)); err != nil {
		return err
	}
	d.begin(r, d.queue.AddReader(r.Name))
	return nil
}

func (d *Delivery) list() (all []Route) {
	for _, r := range d.routes {
		all = append(all, r.Route)
	}
	return all
}

// Remove stops a route, closes its sink, and drops the records that waited only for it. It reports
// whether the route existed.
func (d *Delivery) Remove(ctx context.Context, name string) (bool, error) {
	d.mu.Lock()
	i := slices.IndexFunc(d.routes, func(r *route) bool { return r.Name == name })
	if i < 0 {
		d.mu.Unlock()
		return false, nil
	}
	r, over := d.routes[i], d.over
	if !over {
		d.routes = slices.Delete(d.routes, i, i+1)
		d.leaving = append(d.leaving, name) // the queue still has a reader of this name
	}
	d.mu.Unlock()

	r.stop()
	<-r.done
	if over {
		return true, nil
	}
	d.queue.RemoveReader(name)
	signal(d.space)
	err := r.Sink.Close(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leaving = slices.DeleteFunc(d.leaving, func(other string) bool { return other == name })
	return true, err
}

// Put queues records for all sinks, in the order of their numbers. While the queue is full it waits; if
// ctx ends, the error is the context's and taken is the number of queued records. After Close the error
// wraps winperf.ErrState. It wraps winperf.ErrBadData at a record without a number, such as the records
// of Experiment.Summaries.
func (d *Delivery) Put(ctx context.Context, records ...*experiment.Record) (taken int, err error) {
	for _, r := range records {
		if r.Number == 0 {
			return taken, errNoNumber
		}
		if err := d.put(ctx, newItem(r).JSON); err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}

func (d *Delivery) put(ctx context.Context, line []byte) error {
	for {
		err := d.add(line)
		if !errors.Is(err, queue.ErrFull) {
			return err
		}
		select {
		case <-d.space:
		case <-d.open.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add puts a record into the queue and wakes the routes. Holding the lock makes Close wait, so that the
// record is delivered.
func (d *Delivery) add(line []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return fmt.Errorf("the delivery is closed: %w", winperf.ErrState)
	}
	if err := d.queue.Append(&line); err != nil {
		return err
	}
	for _, r := range d.routes {
		signal(r.more)
	}
	return nil
}

// SendNow makes the next batches start without waiting for more records. It is meant for
// experiment.Options.OnLimit.
func (d *Delivery) SendNow(int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.routes {
		signal(r.sendNow)
	}
}

// Close delivers the remaining records until ctx ends or a sink fails permanently, and closes the sinks,
// within a further second. The error joins the errors of the sinks, and wraps ErrUndelivered where
// records are left: with a queue on disk they are delivered in the next run. A sink that does not return
// is abandoned. Closing again returns the same error.
func (d *Delivery) Close(ctx context.Context) error {
	d.once.Do(func() { d.err = d.close(ctx) })
	return d.err
}

func (d *Delivery) close(ctx context.Context) error {
	d.mu.Lock()
	d.over = true
	d.shut()
	routes := slices.Clone(d.routes)
	d.mu.Unlock()

	for _, r := range routes {
		close(r.last)
	}
	for _, r := range routes {
		select {
		case <-r.done:
		case <-ctx.Done():
		}
	}

	d.stop()
	d.await(ctx)
	var errs []error
	for _, r := range routes {
		errs = append(errs, r.close(ctx))
	}
	return errors.Join(append(errs, d.queue.Close())...)
}

// await waits until all stopped routes have ended, at most a second.
func (d *Delivery) await(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		d.group.Wait()
		close(ended)
	}()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	select {
	case <-ended:
	case <-grace.Done():
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
