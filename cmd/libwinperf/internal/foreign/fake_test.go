package foreign_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/provider"
)

// second is the unit of FILETIME and of the 100 ns timers in a second.
const second = 10_000_000

// epoch is the FILETIME of 2024-01-01 00:00 UTC, the time of the first sample.
const epoch = 133_485_408_000_000_000

var (
	system = &provider.Object{Index: 2, Name: "System", Counters: []provider.Counter{
		{Index: 248, Name: "Processes", Type: counter.RawCount},
		{Index: 146, Name: "Context Switches/sec", Type: counter.CounterCounter},
	}}
	process = &provider.Object{Index: 230, Name: "Process", Multi: true, Counters: []provider.Counter{
		{Index: 6, Name: "% Processor Time", Type: counter.Timer100NSec},
		{Index: 784, Name: "ID Process", Type: counter.RawCount},
		{Index: 684, Name: "Elapsed Time", Type: counter.ElapsedTime},
		{Index: 180, Name: "Working Set", Type: counter.LargeRawCount},
	}}
	thread = &provider.Object{Index: 232, Name: "Thread", Multi: true, Counters: []provider.Counter{
		{Index: 146, Name: "Context Switches/sec", Type: counter.CounterCounter},
	}}
	disk = &provider.Object{Index: 236, Name: "LogicalDisk", Multi: true, Counters: []provider.Counter{
		{Index: 1746, Name: "% Idle Time", Type: counter.Precision100NSTimer},
		{Index: 1482, Name: "Free Space", Type: counter.RawFraction},
	}}
	other = &provider.Object{Index: 234, Name: "PhysicalDisk", Multi: true, Counters: []provider.Counter{
		{Index: 1748, Name: "% Idle Time", Type: counter.Precision100NSTimer},
	}}
)

var objects = []*provider.Object{system, process, thread, disk, other}

// proc is a process: busy is in 1/100 of a second, start in seconds before the first sample.
type proc struct {
	name              string
	pid, start        uint64
	busy, workingSets uint64
}

// fake is a source of processes that script tells by the number of the sample. Thread is a
// costly object. Every process has one thread.
type fake struct {
	script   func(n int) []proc
	onSample func(ctx context.Context, n int) error // called while the n-th sample is taken
	recorded int                                    // samples; 0 is a live source
	cooked   bool
	stuck    error  // of Close
	onSchema func() // called while names are read

	mu           sync.Mutex
	taken        int // samples of all queries, those of definitions left out
	open, closed int
}

// steady gives two processes that never change, the first busy all the time.
func steady(n int) []proc {
	return []proc{
		{"editor", 12, 5, uint64(100 * n), 1 << 40},
		{"shell", 13, 4, 0, 3},
	}
}

func (f *fake) library() *foreign.Library {
	return &foreign.Library{Open: func(context.Context, string) (winperf.Source, error) { return f, nil }}
}

func (f *fake) Describe() winperf.Description {
	return winperf.Description{Machine: "HOST", Recorded: f.recorded > 0, Samples: f.recorded, Cooked: f.cooked}
}

func (f *fake) Schema(context.Context) (*winperf.Schema, error) {
	if f.onSchema != nil {
		f.onSchema()
	}
	return english, nil
}

func (f *fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return f.stuck
}

func (f *fake) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	return &fakeQuery{fake: f, definitions: sel.Metadata}, nil
}

var english = schema()

func schema() *winperf.Schema {
	texts := map[uint32]string{1: "1847"}
	for _, o := range objects {
		texts[o.Index] = o.Name
		for i := range o.Counters {
			texts[o.Counters[i].Index] = o.Counters[i].Name
		}
	}
	t, err := nametable.FromMap(nametable.Counter, texts)
	if err != nil {
		panic(err)
	}
	return &winperf.Schema{Names: []winperf.NameTable{t.NameTable(nametable.English)}, Costly: []uint32{thread.Index}}
}

type fakeQuery struct {
	*fake
	definitions bool
	taken       int // by this query
}

func (q *fakeQuery) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open--
	return nil
}

// next numbers the samples: those of a live source for all queries, of a record for each.
func (q *fakeQuery) next() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := &q.fake.taken
	if q.recorded > 0 {
		n = &q.taken
	}
	if q.definitions {
		return *n
	}
	*n++
	return *n - 1
}

func (q *fakeQuery) Next(ctx context.Context, s *winperf.Sample) error {
	return perftest.Fill(s, func(raw *winperf.Raw) error {
		n := q.next()
		if q.recorded > 0 && n >= q.recorded {
			return io.EOF
		}
		if q.onSample != nil && !q.definitions {
			if err := q.onSample(ctx, n); err != nil {
				return err
			}
		}
		raw.Format, raw.Schema = winperf.FormatV1, english
		raw.Bytes = append(raw.Bytes[:0], block(n, q.script(n))...)
		return ctx.Err()
	})
}

// block makes a performance data block of processes, n seconds after the first sample.
func block(n int, procs []proc) []byte {
	at := int64(n)
	clocks := func() counter.Clocks {
		return counter.Clocks{PerfTime: at * 1000, PerfFreq: 1000, Time100ns: epoch + at*second}
	}
	d, err := provider.NewDispatcher(provider.Options{
		Machine: "HOST", Clocks: clocks, OnProblem: func(p provider.Problem) { panic(p.Err) },
	}, writer{at, procs})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	b, err := d.Collect(context.Background(), &provider.Query{Global: true}, nil)
	if err != nil {
		panic(err)
	}
	return b
}

// writer is the provider of a sample's objects, and its session.
type writer struct {
	at    int64
	procs []proc
}

func (w writer) Name() string                                   { return "test" }
func (w writer) Open(context.Context) (provider.Session, error) { return w, nil }
func (w writer) Close() error                                   { return nil }
func (w writer) Objects() []*provider.Object                    { return objects }

func (w writer) Collect(_ context.Context, _ *provider.Query, out *provider.Writer) error {
	for _, o := range objects {
		layout, err := provider.NewLayout(o, nil)
		if err != nil {
			return err
		}
		ow := out.Object(layout)
		ow.Clock(epoch+w.at*second, second)
		w.fill(o, &ow)
		ow.End()
	}
	return nil
}

func (w writer) fill(o *provider.Object, ow *provider.ObjectWriter) {
	switch o {
	case system:
		ow.Set(0, uint64(len(w.procs)))
		ow.Set(1, uint64(50*w.at))
	case process:
		for _, p := range w.procs {
			ow.Instance(provider.Instance{Name: p.name})
			for k, v := range []uint64{p.busy * second / 100, p.pid, epoch - p.start*second, p.workingSets} {
				ow.Set(k, v)
			}
		}
	case thread:
		for i, p := range w.procs {
			ow.Instance(provider.Instance{Name: "0", ParentObject: process.Index, ParentPosition: uint32(i)})
			ow.Set(0, p.busy)
		}
	default:
		ow.Instance(provider.Instance{Name: "C:"})
	}
}

// opened opens a fake source without sharing samples, so that the test knows them.
func opened(t testing.TB, f *fake) (*foreign.Library, foreign.Handle) {
	t.Helper()
	l := f.library()
	h, code := l.OpenSource("fake:", -1)
	must(t, l, 0, code)
	must(t, l, h, l.Set(h, foreign.Rest, 0))
	return l, h
}

// must stops the test where an operation did not succeed.
func must(t testing.TB, l *foreign.Library, h foreign.Handle, code foreign.Code) {
	t.Helper()
	if code != foreign.OK {
		t.Fatalf("code %d (%v): %s", code, code, errorText(l, h))
	}
}

func errorText(l *foreign.Library, h foreign.Handle) string {
	n, _ := l.ErrorSize(h)
	text := make([]byte, n)
	if n, code := l.Error(h, text); code == foreign.OK {
		return string(text[:n-1])
	}
	return "no text"
}

// openEach makes a source of its own of every one that is opened.
func openEach(like *fake, made *sync.Map) func(context.Context, string) (winperf.Source, error) {
	return func(context.Context, string) (winperf.Source, error) {
		f := &fake{script: like.script, onSample: like.onSample}
		made.Store(f, nil)
		return f, nil
	}
}
