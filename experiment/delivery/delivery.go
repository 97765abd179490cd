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

// Route is the way to one sink. Name and Sink are needed, all else has defaults.
type Route struct {
	// Name tells the route from the others, in states, messages and the queue on disk.
	Name string
	Sink Sink
	// Records and Bytes bound a batch; 0 means 500 records and 1 MiB. A single record may
	// be larger.
	Records int
	Bytes   int64
	// Linger is how long a record may wait for others to come along; 0 means 100 ms, and
	// below 0 it does not wait.
	Linger time.Duration
	// First is the gap after a failure, which doubles with each further one up to Most; 0
	// means 1 s and 1 min. Gaps vary by half, so that many programs do not come at once.
	First, Most time.Duration
	// Timeout is how long a sink may take for a batch; 0 means 30 s.
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

// Options say what a delivery is. Routes may be added later, too.
type Options struct {
	Routes []Route
	// Records and Bytes bound the queue in memory; 0 means 10,000 records and 64 MiB.
	Records int
	Bytes   int64
	// Disk, where it is not nil, is the queue instead. What was not delivered before its
	// last end comes first. A route that it did not have then gets all of that, too.
	Disk *Disk
}

// Disk is a queue on disk.
type Disk struct {
	// Dir is its directory, which is made where it is not there.
	Dir string
	// Bytes bounds it; 0 means 1 GiB. Age is how long a record that some sink did not take is
	// kept; 0 is for ever. What is beyond, the oldest first, is dropped and counted.
	Bytes int64
	Age   time.Duration
	// Sync is how long records may be in the system's memory only, where the end of the
	// program does not lose them, but that of the system; 0 means 1 s, below 0 not at all.
	Sync time.Duration
}

// entryQueue is the queue of a delivery, a *queue.Queue.
type entryQueue interface {
	Append(items ...*[]byte) error
	AddReader(name string) *queue.Reader[[]byte]
	RemoveReader(name string)
	Stats() queue.Stats
	Close() error
}

// entryReader is how a route reads it, a *queue.Reader.
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

// open opens the queue.
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

// open opens the queue in a directory.
func (d *Disk) open(dir string, readers ...string) (*queue.Queue[[]byte], error) {
	return queue.OpenEntries(dir, queue.Options{
		Readers: readers, MaxBytes: cmp.Or(max(d.Bytes, 0), 1<<30), MaxAge: d.Age, Sync: d.Sync,
	})
}

// Delivery brings records to sinks. It may be used from several goroutines, but for Put
// and Run, which one at a time may call.
type Delivery struct {
	queue entryQueue
	ctx   context.Context // of the routes
	stop  context.CancelFunc
	group sync.WaitGroup

	mu      sync.Mutex
	routes  []*route
	leaving []string // names of routes that are being removed
	over    bool     // Close was called
	// failing is why Run does not get on; nil where it does.
	failing error

	room chan struct{} // gets a value when a sink took something
	once sync.Once
	open context.Context // ends with Close
	shut context.CancelFunc
	err  error // of Close
}

// New begins a delivery. It ends with Close.
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
	d := &Delivery{queue: q, room: make(chan struct{}, 1)}
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.open, d.shut = context.WithCancel(context.Background())
	return d
}

// begin begins to deliver by a route.
func (d *Delivery) begin(r Route, reader entryReader) {
	r.setDefaults()
	ctx, stop := context.WithCancel(d.ctx)
	way := newRoute(r, reader, d.room)
	way.stop = stop
	d.routes = append(d.routes, way)
	d.group.Go(func() { way.run(ctx) })
}

// Add adds a route. It gets the records that come from now on, and where it is the only
// one those, too, that wait. Before Remove of a route has returned there is none of its name.
func (d *Delivery) Add(r Route) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return fmt.Errorf("%w: a closed delivery", winperf.ErrState)
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

// list are the routes; the lock is held.
func (d *Delivery) list() (all []Route) {
	for _, r := range d.routes {
		all = append(all, r.Route)
	}
	return all
}

// Remove ends a route: it delivers nothing more, its sink is closed, and what waited for it
// alone is forgotten. It reports whether there is such a route.
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
		d.leaving = append(d.leaving, name) // the queue still knows it, and would forget a new one
	}
	d.mu.Unlock()

	r.stop()
	<-r.done
	if over {
		return true, nil // Close does the rest
	}
	d.queue.RemoveReader(name)
	signal(d.room)
	err := r.Sink.Close(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.leaving = slices.DeleteFunc(d.leaving, func(other string) bool { return other == name })
	return true, err
}

// Put takes records for all sinks, in the order of their numbers. Where the queue is full
// it waits until there is room, or ctx ends; the error then says so, and the records
// before that one, taken, were taken. After Close the error wraps winperf.ErrState, and
// winperf.ErrBadData at a record without a number, such as those of Experiment.Summaries are.
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
		case <-d.room:
		case <-d.open.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add puts a record into the queue and tells the routes. Close waits for that, so that what
// was taken is delivered.
func (d *Delivery) add(line []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return fmt.Errorf("%w: a closed delivery", winperf.ErrState)
	}
	if err := d.queue.Append(&line); err != nil {
		return err
	}
	for _, r := range d.routes {
		signal(r.more)
	}
	return nil
}

// Hurry is what an experiment calls when too many records wait (experiment.Options.OnLimit):
// the next batches do not wait for more records to come along.
func (d *Delivery) Hurry(int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.routes {
		signal(r.hurry)
	}
}

// Close delivers what is there, as long as ctx lasts and a sink does not fail for good,
// and closes the sinks, which have a second of their own for that. Its error joins those
// of the sinks, and wraps ErrUndelivered where records are left: with a queue on disk they
// come in the next run. A sink that does not return then, such as one that writes to what nobody reads,
// is left behind. Closing again returns the same error.
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

// await waits until all routes have ended that were told to, but not for good: a sink need not obey.
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

// signal puts a value into a channel for one, unless there is one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
