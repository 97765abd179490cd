package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/replay"
)

// fakeObject is an object of a fake interface, with one counter, Count, and the
// instances a and b.
type fakeObject struct {
	title uint32
	name  string
	set   bool // it is a counter set
}

// fakeSource is an interface of the system: it serves its objects as the real
// ones do, by class, by identity and by name.
type fakeSource struct {
	kind    string
	objects []fakeObject
	costly  []uint32

	mu      sync.Mutex
	asked   []winperf.Selection
	opened  int
	queries int                                           // open now
	sample  func(ctx context.Context, title uint32) error // may fail or hang, by object
	filled  func(title uint32, s *winperf.Sample)         // sees each sample before it is filled
	compile error
	schema  error
	stop    context.CancelFunc // called by Compile
	damage  []error            // comes along with every sample, also with an error
	close   func()             // closing a query may hang
}

func (s *fakeSource) member(fallback bool) *member {
	return &member{name: s.kind, fallback: fallback, apart: s.kind == "perflib", open: func(context.Context) (winperf.Source, error) {
		s.opened++
		return s, nil
	}}
}

func (s *fakeSource) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }
func (s *fakeSource) Close() error                  { return nil }

func (s *fakeSource) Schema(context.Context) (*winperf.Schema, error) {
	texts := map[uint32]string{}
	schema := &winperf.Schema{Interface: s.kind, Costly: s.costly}
	for _, o := range s.objects {
		texts[o.title], texts[o.title+2] = o.name, "Count"
		if o.set {
			schema.Sets = append(schema.Sets, winperf.CounterSet{GUID: winperf.GUID{1, byte(o.title)}, Title: o.title})
		}
	}
	t, err := nametable.FromMap(nametable.Mixed, texts)
	schema.Names = []winperf.NameTable{t.NameTable(nametable.English)}
	return schema, errors.Join(err, s.schema)
}

func (s *fakeSource) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	s.asked = append(s.asked, sel)
	if s.stop != nil {
		s.stop()
	}
	if s.compile != nil {
		return nil, s.compile
	}
	q := &fakeQuery{source: s}
	q.schema, _ = s.Schema(ctx)
	names, _ := nametable.FromSchema(q.schema)
	for _, o := range s.objects {
		is := func(id winperf.ObjectID) bool { return id.Index == o.title }
		named := func(p winperf.Path) bool { return names.Matches(winperf.CompilePattern(p.Object), o.title) }
		if sel.Global || slices.ContainsFunc(sel.Objects, is) || slices.ContainsFunc(sel.Paths, named) {
			q.objects = append(q.objects, o)
		}
	}
	s.queries++
	return q, nil
}

type fakeQuery struct {
	source  *fakeSource
	schema  *winperf.Schema
	objects []fakeObject
	n       int
}

func (q *fakeQuery) Next(ctx context.Context, s *winperf.Sample) error {
	if q.source.filled != nil {
		q.source.filled(q.objects[0].title, s)
	}
	err := perftest.Fill(s, func(raw *winperf.Raw) error { return q.fill(ctx, raw) })
	s.Damage = append(s.Damage, q.source.damage...)
	return err
}

func (q *fakeQuery) fill(ctx context.Context, raw *winperf.Raw) error {
	q.n++
	text := fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=1000 time100ns=%d\n", q.n*1000, 133500000000000000+int64(q.n)*1e7)
	for _, o := range q.objects {
		if q.source.sample != nil {
			if err := q.source.sample(ctx, o.title); err != nil {
				return err
			}
		}
		text += fmt.Sprintf("object %d\n counter %d PERF_COUNTER_RAWCOUNT\n instance \"a\" : %d\n instance \"b\" : 7\n", o.title, o.title+2, q.n)
	}
	b, err := perfdata.ParseText([]byte(text))
	if err != nil {
		return err
	}
	raw.Format, raw.Schema = winperf.FormatV1, q.schema
	raw.Bytes, err = b.Encode()
	return err
}

func (q *fakeQuery) Close() error {
	if q.source.close != nil {
		q.source.close()
	}
	q.source.mu.Lock()
	defer q.source.mu.Unlock()
	q.source.queries--
	return nil
}

// machine is a machine with three interfaces: "Both" is in two of them.
func machine() (registry, sets, pdh *fakeSource) {
	registry = &fakeSource{kind: "registry", objects: []fakeObject{{100, "Old", false}, {104, "Both", false}}}
	sets = &fakeSource{kind: "perflib", objects: []fakeObject{{1 << 24, "New", true}, {1<<24 + 4, "both", true}, {1<<24 + 8, "Newer", true}}}
	pdh = &fakeSource{kind: "pdh", objects: []fakeObject{{1 << 25, "Helper", false}, {1<<25 + 4, "Old", false}}}
	return registry, sets, pdh
}

func composeFakes(t *testing.T, sources ...*fakeSource) *composed {
	t.Helper()
	var members []*member
	for _, s := range sources {
		members = append(members, s.member(s.kind == "pdh"))
	}
	c, err := compose(t.Context(), members...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, s := range sources {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.queries != 0 {
				t.Errorf("%s: %d queries are open", s.kind, s.queries)
			}
		}
	})
	return c
}

// objectsOf are the objects of a cycle with their interfaces, sorted.
func objectsOf(cy *measure.Cycle) string {
	var all []string
	for o := range cy.Frame.Objects() {
		schema := cy.Frame.Schema()
		all = append(all, cy.Names.Title(o.ID().Index)+" "+schema.InterfaceOf(o.ID().Index))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Costly objects are sampled apart, and to know which they are opens no interface
// that is not needed.
func TestComposedCostly(t *testing.T) {
	registry, sets, pdh := machine()
	registry.costly = []uint32{104}
	m := measure.New(composeFakes(t, registry, sets, pdh), sel(t, `\Old(*)\Count`, `\Both(*)\Count`), measure.Options{})
	defer m.Close()
	cy, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(cy.Sample.Parts); n != 2 || objectsOf(cy) != "Both registry, Old registry" || len(cy.Readings()) != 4 {
		t.Errorf("%d parts, objects %q, %d readings", n, objectsOf(cy), len(cy.Readings()))
	}
	if got := []int{registry.opened, sets.opened, pdh.opened}; !slices.Equal(got, []int{1, 0, 0}) {
		t.Errorf("interfaces were opened %d times", got)
	}
}

// Where the registry does not open nothing is known to be costly.
func TestComposedCostlyUnknown(t *testing.T) {
	registry, sets, pdh := machine()
	failing := registry.member(false)
	failing.open = func(context.Context) (winperf.Source, error) { return nil, errors.New("no registry") }
	c, err := compose(t.Context(), failing, sets.member(false), pdh.member(true))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if schema, err := winperf.CostlySchema(t.Context(), c); schema != nil || err != nil || pdh.opened != 0 {
		t.Errorf("schema %+v, error %v, pdh opened %d times", schema, err, pdh.opened)
	}
}

// Each object comes from the first interface that has it, and no interface is
// opened in vain.
func TestChoice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sel    winperf.Selection
		want   string
		opened []int // how often each interface was opened
	}{
		{"the registry has all", sel(t, `\Old(*)\Count`, `\Both(a)\Count`), "Both registry, Old registry", []int{1, 0, 0}},
		{"a set that the registry lacks", sel(t, `\New(*)\Count`), "New perflib", []int{1, 1, 0}},
		{"one of each", sel(t, `\New(a)\Count`, `\Old(*)\Count`), "New perflib, Old registry", []int{1, 1, 0}},
		{"pdh is asked for what nobody has", sel(t, `\Helper(*)\Count`, `\New(*)\Count`, `\Old(*)\Count`), "Helper pdh, New perflib, Old registry", []int{1, 1, 1}},
		{"nobody has it", sel(t, `\Nothing(*)\Count`), "", []int{1, 1, 1}},
		{"wildcards", sel(t, `\*(*)\Count`), "Both registry, New perflib, Newer perflib, Old registry", []int{1, 1, 0}},
		{"wildcards of sets", sel(t, `\New*(*)\Count`), "New perflib, Newer perflib", []int{1, 1, 0}},
		{"all", winperf.Selection{Global: true}, "Both registry, New perflib, Newer perflib, Old registry", []int{1, 1, 0}},
		{"by GUID", winperf.Selection{Objects: []winperf.ObjectID{{GUID: winperf.GUID{1, 8}}}}, "Newer perflib", []int{1, 1, 0}},
		{"by title index", winperf.Selection{Objects: []winperf.ObjectID{{Index: 104}}}, "Both registry", []int{1, 0, 0}},
		{"nothing", winperf.Selection{}, "", []int{1, 0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			registry, sets, pdh := machine()
			c := composeFakes(t, registry, sets, pdh)
			m := measure.New(c, tt.sel, measure.Options{FramesOnly: true})
			defer m.Close()
			for range 3 {
				cy, err := m.Cycle(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := objectsOf(cy); got != tt.want || len(cy.Damage) > 0 {
					t.Errorf("objects %q, want %q; damage %v", got, tt.want, cy.Damage)
				}
			}
			if got := []int{registry.opened, sets.opened, pdh.opened}; !slices.Equal(got, tt.opened) {
				t.Errorf("opened %v, want %v", got, tt.opened)
			}
		})
	}
}

func sel(t *testing.T, paths ...string) winperf.Selection {
	t.Helper()
	return winperf.Selection{Paths: parse(t, paths...)}
}

// Every counter set has a query of its own, which is asked for the instances that
// the path names.
func TestSetsAreAskedApart(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	q, err := c.Compile(t.Context(), sel(t, `\New*(a)\Count`))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var got []string
	for _, s := range sets.asked {
		for _, p := range s.Paths {
			got = append(got, p.String())
		}
	}
	if want := []string{`\#16777216(a)\Count`, `\#16777224(a)\Count`}; !slices.Equal(got, want) || len(sets.asked) != 2 {
		t.Errorf("asked for %q, want %q", got, want)
	}
	var sample winperf.Sample
	if err := q.Next(t.Context(), &sample); err != nil || len(sample.Parts) != 3 || sample.Parts[2].Name != "perflib Newer" {
		t.Errorf("parts %+v, %v", sample.Parts, err)
	}
	if _, err := sample.Raw(); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("several interfaces as one block: %v", err)
	}
}

// A machine whose objects come from several interfaces is recorded as any other: a
// capture holds the parts of each sample, and what is replayed has the readings that
// were seen live, with their times, also while an interface fails now and then.
func TestRecordSeveralInterfaces(t *testing.T) {
	for _, selection := range []winperf.Selection{
		sel(t, `\Helper(*)\Count`, `\New(*)\Count`, `\Newer(b)\Count`, `\Old(*)\Count`, `\Both(a)\Count`),
		{Global: true},
	} {
		registry, sets, pdh := machine()
		samples := 0
		sets.sample = func(_ context.Context, title uint32) error {
			if title == 1<<24+8 && samples%3 == 2 {
				return errors.New("broken")
			}
			return nil
		}
		name := filepath.Join(t.TempDir(), "several.capture")
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		w := capture.NewWriter(file, capture.Options{})

		var live []string
		m := measure.New(composeFakes(t, registry, sets, pdh), selection, measure.Options{})
		defer m.Close()
		for range 8 {
			cycle, err := m.Cycle(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if samples++; len(cycle.Sample.Parts) < 3 {
				t.Errorf("a sample of %d parts", len(cycle.Sample.Parts))
			}
			if err := w.Write(cycle.Sample); err != nil {
				t.Fatal(err)
			}
			live = append(live, shownOf(cycle))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}

		src, err := replay.OpenCapture(replay.At(name))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var again []string
		for cycle, err := range measure.Watch(t.Context(), src, selection, measure.Options{KeepFirst: true}) {
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, shownOf(cycle))
		}
		if diff := cmp.Diff(live, again); diff != "" {
			t.Errorf("live and replayed (-live +replayed):\n%s", diff)
		}
		if n := strings.Count(live[0], " ok "); n < 7 || live[0] == live[1] {
			t.Errorf("only %d values are compared, of samples such as\n%s", n, live[0])
		}
	}
}

// shownOf is all that a cycle's readings say, and from which interfaces they came.
func shownOf(c *measure.Cycle) string {
	var all strings.Builder
	schema := c.Sample.Schema
	for _, r := range c.Readings() {
		fmt.Fprintln(&all, r.Path, r.Status, r.Value, r.Unit, r.Time.UnixNano(), schema.InterfaceOf(r.ObjectID.Index))
	}
	return all.String()
}

// Where one interface has all, samples are as it gives them and can be recorded.
func TestRawSamples(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	for _, path := range []string{`\Old(*)\Count`, `\New(*)\Count`, `\Helper(*)\Count`, `\Nothing\Count`} {
		q, err := c.Compile(t.Context(), sel(t, path))
		if err != nil {
			t.Fatal(err)
		}
		raw := winperf.Raw{}
		if err := errors.Join(perftest.Take(t.Context(), q, &raw), q.Close()); err != nil || raw.Format != winperf.FormatV1 {
			t.Errorf("%s: %v, %v", path, raw.Format, err)
		}
	}
}

func TestReadings(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	m := measure.New(c, sel(t, `\Old(a)\Count`, `\Newer(b)\Count`, `\None(b)\Count`), measure.Options{})
	defer m.Close()
	cy, err := m.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range cy.Readings() {
		got = append(got, r.String())
	}
	// The first sample told what there is.
	want := []string{`\\HOST\Old(a)\Count: 2 count`, `\\HOST\Newer(b)\Count: 7 count`, `\\HOST\None(b)\Count: no_object`}
	for i := range want {
		if i >= len(got) || strings.Join(strings.Fields(got[i]), " ") != want[i] {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// fakeClock is the time for pauses.
type fakeClock struct{ t time.Time }

func (f *fakeClock) now() time.Time { return f.t }

// A provider that fails costs its own set, is left alone for ever longer, and
// serves again once it can.
func TestFailure(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	clock := &fakeClock{time.Unix(1e9, 0)}
	c.now = clock.now
	broken, asked := errors.New("it broke"), 0
	sets.sample = func(_ context.Context, title uint32) error {
		if title == 1<<24 {
			asked++
			return broken
		}
		return nil
	}
	m := measure.New(c, sel(t, `\*(*)\Count`), measure.Options{FramesOnly: true})
	defer m.Close()
	round := func(want string) {
		t.Helper()
		cy, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		whole := want != "Both registry, Newer perflib, Old registry"
		if got := objectsOf(cy); got != want || len(cy.Damage) > 0 == whole {
			t.Errorf("objects %q, want %q; damage %v", got, want, cy.Damage)
		}
		if !whole && (len(cy.Damage) != 1 || !errors.Is(cy.Damage[0], broken) || !strings.Contains(cy.Damage[0].Error(), "perflib New: ")) {
			t.Errorf("damage %v", cy.Damage)
		}
	}
	const without = "Both registry, Newer perflib, Old registry"
	for failures := 1; failures <= 4; failures++ {
		round(without)
		round(without) // still left alone
		if asked != failures {
			t.Errorf("asked %d times, want %d", asked, failures)
		}
		clock.t = clock.t.Add(100 * time.Millisecond << (failures - 1))
	}
	if all, n := c.troubles.since(nil, 0); n != 4 || !errors.Is(all[0].Err, broken) || !strings.Contains(all[3].Detail, "perflib New: sample: failure 4") {
		t.Errorf("%d anomalies: %v", n, all)
	}
	broken = nil
	round("Both registry, New perflib, Newer perflib, Old registry")
}

// A provider that hangs, and does not even stop when it is told to, costs its own
// set. It is not asked again until it has returned.
func TestHang(t *testing.T) { synctest.Test(t, checkHang) }

func checkHang(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	clock := &fakeClock{time.Unix(1e9, 0)}
	c.now = clock.now
	var hangs, asked atomic.Int32
	free := make(chan struct{})
	sets.sample = func(_ context.Context, title uint32) error {
		if title == 1<<24 {
			asked.Add(1)
			if hangs.CompareAndSwap(1, 0) {
				<-free
			}
		}
		return nil
	}
	q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
	if err != nil {
		t.Fatal(err)
	}
	if n := numObjects(t.Context(), t, q); n != 4 {
		t.Fatalf("%d objects", n)
	}

	hangs.Store(1)
	asked.Store(0)
	for range 3 {
		if n := numObjects(t.Context(), t, q); n != 3 {
			t.Errorf("%d objects while one hangs", n)
		}
		clock.t = clock.t.Add(time.Hour)
	}
	all, _ := c.troubles.since(nil, 0)
	if len(all) != 1 || !errors.Is(all[0].Err, provider.ErrBusy) || asked.Load() != 1 {
		t.Errorf("asked %d times, anomalies %v", asked.Load(), all)
	}

	close(free)
	synctest.Wait()
	if n := numObjects(t.Context(), t, q); n != 4 {
		t.Errorf("%d objects after it has returned", n)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
}

// A sample that was given to a call which did not return in time is never given to another one: the call may
// still write there.
func TestHungSampleIsNotReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, sets, pdh := machine()
		c := composeFakes(t, registry, sets, pdh)
		clock := &fakeClock{time.Unix(1e9, 0)}
		c.now = clock.now
		var calls []*winperf.Sample
		sets.filled = func(title uint32, s *winperf.Sample) {
			if title == 1<<24 {
				calls = append(calls, s)
			}
		}
		free := make(chan struct{})
		sets.sample = func(_ context.Context, title uint32) error {
			if title == 1<<24 && len(calls) == 2 {
				<-free
			}
			return nil
		}
		q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
		if err != nil {
			t.Fatal(err)
		}

		var sample winperf.Sample
		next := func() {
			if err := q.Next(t.Context(), &sample); err != nil {
				t.Fatal(err)
			}
			clock.t = clock.t.Add(time.Hour)
		}
		next()
		next() // hangs
		close(free)
		synctest.Wait()
		next()
		next()
		if len(calls) != 4 || calls[0] != calls[1] || calls[2] == calls[1] || calls[3] != calls[2] {
			t.Errorf("%d calls, or the sample of the one that hung was used again", len(calls))
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// numObjects takes a sample and returns the number of objects in it, 0 if ctx ended before.
func numObjects(ctx context.Context, t *testing.T, q winperf.Query) int {
	t.Helper()
	var sample winperf.Sample
	var pool frame.Pool
	if err := q.Next(ctx, &sample); err != nil {
		if ctx.Err() == nil {
			t.Fatal(err)
		}
		return 0
	}
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	return f.NumObjects()
}

// A sample that finds the call of a cancelled one waits for it as long as it may wait for any answer.
func TestHangOfCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, sets, pdh := machine()
		c := composeFakes(t, registry, sets, pdh)
		c.now = time.Now
		sets.sample = func(_ context.Context, title uint32) error {
			if title == 1<<24 {
				time.Sleep(2 * time.Second) // whatever the context says
			}
			return nil
		}
		q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
		if err != nil {
			t.Fatal(err)
		}

		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if n := numObjects(ctx, t, q); n != 0 {
				t.Errorf("%d objects though nobody waited", n)
			}
			if n := numObjects(t.Context(), t, q); n != 4 {
				t.Errorf("%d objects", n)
			}
		}
		if all, _ := c.troubles.since(nil, 0); len(all) != 0 {
			t.Errorf("anomalies %v", all)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A closed source stays closed, however long.
func TestComposedStaysClosed(t *testing.T) {
	registry, sets, _ := machine()
	c := composeFakes(t, registry, sets)
	clock := &fakeClock{time.Unix(1e9, 0)}
	c.now = clock.now
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	clock.t = clock.t.Add(time.Hour)
	if _, err := c.Schema(t.Context()); !errors.Is(err, winperf.ErrState) || registry.opened != 1 {
		t.Errorf("error %v, opened %d times", err, registry.opened)
	}
}

// Closing does not wait for ever for what hangs.
func TestCloseWhileHanging(t *testing.T) {
	synctest.Test(t, checkCloseWhileHanging)
}

func checkCloseWhileHanging(t *testing.T) {
	registry, sets, _ := machine()
	c, err := compose(t.Context(), registry.member(false), sets.member(false))
	if err != nil {
		t.Fatal(err)
	}
	c.limit, c.grace = time.Minute, time.Millisecond
	q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	defer close(free)
	sets.sample = func(context.Context, uint32) error {
		<-free
		return nil
	}
	c.limit = time.Millisecond * 20
	if err := q.Next(t.Context(), new(winperf.Sample)); err != nil {
		t.Error(err)
	}
	if err := q.Close(); !errors.Is(err, provider.ErrBusy) {
		t.Errorf("close: %v", err)
	}
}

// Nor does it wait for ever for a query that cannot be closed; the others are closed.
func TestCloseHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, sets, _ := machine()
		c, err := compose(t.Context(), registry.member(false), sets.member(false))
		if err != nil {
			t.Fatal(err)
		}
		q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
		if err != nil {
			t.Fatal(err)
		}
		free := make(chan struct{})
		sets.close = func() { <-free }
		begin := time.Now()
		err = q.Close()
		if took := time.Since(begin); !errors.Is(err, provider.ErrBusy) || took != closeGrace || registry.queries != 0 {
			t.Errorf("close: %v after %v, %d queries of the registry are open", err, took, registry.queries)
		}
		close(free)
		synctest.Wait()
		if sets.queries != 0 {
			t.Errorf("%d counter sets are open", sets.queries)
		}
	})
}

// When nothing answers there is no sample; who stops waiting blames nobody.
func TestNothingAnswers(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	ctx, cancel := context.WithCancel(t.Context())
	stop := func(ctx context.Context, _ uint32) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	registry.sample, sets.sample = stop, stop
	if err := q.Next(ctx, new(winperf.Sample)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, n := c.troubles.since(nil, 0); n != 0 {
		t.Errorf("%d anomalies", n)
	}
	broken := errors.New("it broke")
	fail := func(context.Context, uint32) error { return broken }
	registry.sample, sets.sample = fail, fail
	if err := q.Next(t.Context(), new(winperf.Sample)); !errors.Is(err, broken) {
		t.Errorf("all fail: %v", err)
	}
}

// Damage that an interface found stays told when the interface fails, or whoever asked
// gave up: it comes once, with a sample of the others or with the error.
func TestDamageOfFailure(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	clock := &fakeClock{time.Unix(1e9, 0)}
	c.now = clock.now
	q, err := c.Compile(t.Context(), sel(t, `\*(*)\Count`))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	broken, lost := errors.New("it broke"), errors.New("a record is lost")
	ctx, cancel := context.WithCancel(t.Context())
	var s winperf.Sample
	next := func(ctx context.Context, want error, damage int) {
		t.Helper()
		err := q.Next(ctx, &s)
		if n := len(s.Damage); !errors.Is(err, want) || (err == nil) != (want == nil) || n != damage {
			t.Errorf("error %v, want %v; damage %v, want %d", err, want, s.Damage, damage)
		}
	}

	registry.damage = []error{lost}
	registry.sample = func(context.Context, uint32) error { cancel(); return nil }
	next(ctx, context.Canceled, 1)
	registry.sample = func(context.Context, uint32) error { return broken }
	next(t.Context(), nil, 1)
	next(t.Context(), nil, 0) // it is left alone for a while

	clock.t = clock.t.Add(time.Second)
	sets.sample = registry.sample
	next(t.Context(), broken, 1)
	s.Clear()
}

// Without the registry the next interface serves, and what cannot be had on this
// system is no trouble.
func TestMembersThatFail(t *testing.T) {
	registry, sets, pdh := machine()
	broken := errors.New("it broke")
	failing := func(err error) *member {
		return &member{name: "registry", open: func(context.Context) (winperf.Source, error) { return nil, err }}
	}
	for _, tt := range []struct {
		err       error
		anomalies uint64
	}{{broken, 1}, {fmt.Errorf("registry: %w", winperf.ErrNotSupported), 0}} {
		c, err := compose(t.Context(), failing(tt.err), sets.member(false), pdh.member(true))
		if err != nil {
			t.Fatal(err)
		}
		m := measure.New(c, winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
		cy, err := m.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := objectsOf(cy); got != "New perflib, Newer perflib, both perflib" {
			t.Errorf("objects %q", got)
		}
		if _, n := c.troubles.since(nil, 0); n < tt.anomalies || n > 0 && tt.anomalies == 0 {
			t.Errorf("%d anomalies after %v", n, tt.err)
		}
		if err := errors.Join(m.Close(), c.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := compose(t.Context(), failing(broken), failing(winperf.ErrNotSupported)); !errors.Is(err, broken) || !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("nothing can be opened: %v", err)
	}
	// What is not there, without the registry.
	c, err := compose(t.Context(), failing(broken), sets.member(false), pdh.member(true))
	if err != nil {
		t.Fatal(err)
	}
	m := measure.New(c, sel(t, `\Nothing(*)\Count`), measure.Options{})
	if cy, err := m.Cycle(t.Context()); err != nil || cy.Readings()[0].Status != counter.NoObject {
		t.Errorf("nothing: %v", err)
	}
	if err := errors.Join(m.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	registry.compile = winperf.ErrNoMachine
	before := len(sets.asked)
	c = composeFakes(t, registry, sets)
	if _, err := c.Compile(t.Context(), sel(t, `\\other\Old(*)\Count`)); !errors.Is(err, winperf.ErrNoMachine) {
		t.Errorf("another machine: %v", err)
	}
	if len(sets.asked) != before {
		t.Error("the counter sets were asked for it too")
	}
}

func TestMergedSchema(t *testing.T) {
	registry, sets, pdh := machine()
	c := composeFakes(t, registry, sets, pdh)
	s, err := c.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names, damage := nametable.FromSchema(s)
	if len(damage) > 0 || len(s.Damage) > 0 || pdh.opened > 0 {
		t.Errorf("damage %v, %v; pdh opened %d times", damage, s.Damage, pdh.opened)
	}
	for title, want := range map[uint32]string{100: "Old registry", 104: "Both registry", 1 << 24: "New perflib", 1<<24 + 8: "Newer perflib"} {
		if got := names.Title(title) + " " + s.InterfaceOf(title); got != want {
			t.Errorf("%d is %q, want %q", title, got, want)
		}
	}
	if len(s.Sets) != 3 || s.Interface != "registry" {
		t.Errorf("%d sets, interface %q", len(s.Sets), s.Interface)
	}
	german, err := nametable.FromMap(nametable.Counter, map[uint32]string{100: "Alt"})
	if err != nil {
		t.Fatal(err)
	}
	one, _ := registry.Schema(t.Context())
	one.Names = append([]winperf.NameTable{german.NameTable("007")}, one.Names...)
	two, _ := sets.Schema(t.Context())
	two.Names[0].Counter = two.Names[0].Counter[:len(two.Names[0].Counter)-3] // cut off
	merged := mergeSchemas([]*winperf.Schema{one, two})
	names, _ = nametable.FromSchema(merged)
	if got := names.Title(100) + names.In(nametable.English).Title(100) + names.Title(1<<24); got != "AltOldNew" {
		t.Errorf("names %q", got)
	}
	if len(merged.Damage) != 1 || !errors.Is(merged.Damage[0], winperf.ErrBadData) {
		t.Errorf("damage %v", merged.Damage)
	}
}
