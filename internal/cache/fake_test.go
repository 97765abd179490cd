package cache

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
)

// clock is a measure.Clock that is moved by hand.
type clock struct {
	measure.Clock // the cache waits for no time

	mu      sync.Mutex
	t       time.Time
	elapsed time.Duration
}

// newClock starts on a day that a FILETIME can hold to the full.
func newClock() *clock { return &clock{t: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

func (c *clock) advance(d time.Duration) {
	c.set(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += d
}

// set sets the time of day.
func (c *clock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(by)
}

// Title indices of the fake's objects: Thread is costly.
const (
	system    = 2
	memory    = 4
	process   = 230
	thread    = 232
	titleWork = 6 // of the one counter that every object has
)

// fake is a source whose objects have one counter, Work, that grows with its
// clock and, for Process, the instances worker and worker.
type fake struct {
	clock   *clock
	schema  *winperf.Schema
	objects []uint32            // that there are, in the order of samples
	unasked map[uint32][]uint32 // what comes along with an object
	// before, if not nil, is called inside Sample and may fail it.
	before            func(ctx context.Context, sel winperf.Selection) error
	damage            func(b []byte) []byte
	passed            []error // damage that comes along with every sample, also with an error
	lost              []error // interfaces that have no part of a sample
	noSchema, noQuery error   // errors of Schema and Compile

	mu       sync.Mutex
	asked    [][]uint32        // objects of every sample, without those of Compile
	last     winperf.Selection // of the last of them
	compiled int
	open     int
	noMeta   bool
}

func newFake(c *clock) *fake {
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{
		system: "System", memory: "Memory", process: "Process", thread: "Thread", titleWork: "Work",
	})
	if err != nil {
		panic(err)
	}
	return &fake{
		clock: c, objects: []uint32{system, memory, process, thread},
		schema: &winperf.Schema{Names: []winperf.NameTable{table.NameTable(nametable.English)}, Costly: []uint32{thread}},
	}
}

func (f *fake) Describe() winperf.Description                   { return winperf.Description{Machine: "HOST"} }
func (f *fake) Schema(context.Context) (*winperf.Schema, error) { return f.schema, f.noSchema }
func (f *fake) Close() error                                    { return nil }

func (f *fake) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compiled++
	if f.noQuery != nil {
		return nil, f.noQuery
	}
	if sel.Metadata && f.noMeta {
		return nil, fmt.Errorf("definitions: %w", winperf.ErrNotSupported)
	}
	f.open++
	return &fakeQuery{fake: f, sel: sel}, nil
}

type fakeQuery struct {
	*fake
	sel winperf.Selection
}

func (q *fakeQuery) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open--
	return nil
}

func (q *fakeQuery) Next(ctx context.Context, s *winperf.Sample) error {
	err := perftest.Fill(s, func(raw *winperf.Raw) error { return q.fill(ctx, raw) })
	s.Damage = append(s.Damage, q.passed...)
	for _, lost := range q.lost {
		s.Parts = append(s.Parts, winperf.Part{Name: "lost", Err: lost})
	}
	return err
}

func (q *fakeQuery) fill(ctx context.Context, raw *winperf.Raw) error {
	if q.before != nil && !q.sel.Metadata {
		if err := q.before(ctx, q.sel); err != nil {
			return err
		}
	}
	q.mu.Lock()
	wanted := q.wanted()
	if !q.sel.Metadata {
		q.asked, q.last = append(q.asked, wanted), q.sel
	}
	q.mu.Unlock()
	raw.Format, raw.Schema = winperf.FormatV1, q.schema
	raw.Bytes = append(raw.Bytes[:0], block(q.clock.Now(), wanted)...)
	if q.damage != nil {
		raw.Bytes = q.damage(raw.Bytes)
	}
	return nil
}

// wanted are the objects that the selection names, and what comes with them.
func (q *fakeQuery) wanted() (all []uint32) {
	for _, title := range q.objects {
		unneeded := slices.Contains(q.sel.Unneeded, winperf.ObjectID{Index: title})
		wanted := q.sel.Global && title != thread && !unneeded || q.sel.Costly && title == thread ||
			slices.Contains(q.sel.Objects, winperf.ObjectID{Index: title})
		for _, p := range q.sel.Paths {
			m := p.Matcher()
			name := map[uint32]string{system: "System", memory: "Memory", process: "Process", thread: "Thread"}[title]
			wanted = wanted || m.Object(name) || m.Object(fmt.Sprint("#", title))
		}
		if wanted && !slices.Contains(all, title) {
			all = append(all, title)
		}
		for _, more := range q.unasked[title] {
			if wanted && !slices.Contains(all, more) {
				all = append(all, more)
			}
		}
	}
	return all
}

// work is the raw value of the counter at a time: it grows by rate a second.
func work(t time.Time) uint64 { return uint64(winperf.ToFiletime(t)) }

const rate = 10_000_000

// block is a performance data block.
func block(t time.Time, objects []uint32) []byte {
	ft := winperf.ToFiletime(t)
	b := perfdata.Block{PerfTime: ft, PerfFreq: 10_000_000, Time100ns: ft}
	if err := b.SetMachine("HOST"); err != nil {
		panic(err)
	}
	for _, title := range objects {
		o := perfdata.Object{Title: title, Help: title + 1, Form: perfdata.Single, Counters: []perfdata.Counter{perfdata.NewCounter(titleWork, counter.BulkCount)}}
		instances := []string{""}
		if title == process {
			o.Form, instances = perfdata.Multiple, []string{"worker", "worker"}
		}
		o.Layout(false)
		for i, name := range instances {
			if _, err := o.AddInstance(name); err != nil {
				panic(err)
			}
			if err := o.SetValue(i, 0, work(t)+uint64(i)); err != nil {
				panic(err)
			}
		}
		b.Objects = append(b.Objects, o)
	}
	bytes, err := b.Encode()
	if err != nil {
		panic(err)
	}
	return bytes
}

// ids are identities of objects.
func ids(titles ...uint32) (all []winperf.ObjectID) {
	for _, title := range titles {
		all = append(all, winperf.ObjectID{Index: title})
	}
	return all
}

// rig is a cache over a fake source with a fake clock.
type rig struct {
	*testing.T
	clock *clock
	fake  *fake
	cache *Source
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t, clock: newClock()}
	r.fake = newFake(r.clock)
	r.cache = New(r.fake, Options{Clock: r.clock})
	return r
}

// user compiles a query for whole objects.
func (r *rig) user(titles ...uint32) *user {
	r.Helper()
	return r.selecting(winperf.Selection{Objects: ids(titles...)})
}

func (r *rig) selecting(sel winperf.Selection) *user {
	r.Helper()
	q, err := r.cache.Compile(r.Context(), sel)
	if err != nil {
		r.Fatal(err)
	}
	return &user{rig: r, query: q.(*query)}
}

// user is one who measures through the cache.
type user struct {
	*rig
	query *query
	taken winperf.Sample
	pool  frame.Pool
	prev  frame.Frame
}

// take takes a sample.
func (u *user) take(ctx context.Context) error { return u.query.Next(ctx, &u.taken) }

// frame decodes what was taken.
func (u *user) frame() (frame.Frame, error) {
	f, err := u.pool.Decode(&u.taken, u.prev)
	if err == nil {
		u.prev = f
	}
	return f, err
}

// sample takes and decodes a sample.
func (u *user) sample() frame.Frame {
	u.Helper()
	if err := u.take(u.Context()); err != nil {
		u.Fatal(err)
	}
	f, err := u.frame()
	if err != nil {
		u.Fatal(err)
	}
	if err := f.Keep(); err != nil {
		u.Fatal(err)
	}
	return f
}

// ages are the titles of a frame's objects with the age of each, by its own
// clocks.
func (r *rig) ages(f frame.Frame) string {
	text := ""
	for o := range f.Objects() {
		age := r.clock.Now().Sub(winperf.FromFiletime(o.Clocks().Time100ns))
		text += fmt.Sprintf("%d:%v ", o.ID().Index, age)
	}
	return text
}

// underWay is the number of objects that are being asked for.
func underWay(s *Source) (n int) {
	for _, it := range s.table.items {
		if it.flight != nil {
			n++
		}
	}
	return n
}
