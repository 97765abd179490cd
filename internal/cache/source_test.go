package cache

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
)

const ms = time.Millisecond

func (r *rig) wantAsked(want ...[]uint32) {
	r.Helper()
	if diff := cmp.Diff(want, r.fake.asked); diff != "" {
		r.Errorf("the source was asked for (-want +got):\n%s", diff)
	}
	r.fake.asked = nil
}

func (u *user) wantSample(want string) {
	u.Helper()
	if got := strings.TrimSpace(u.ages(u.sample())); got != want {
		u.Errorf("sample %q, want %q", got, want)
	}
}

func TestSharing(t *testing.T) {
	r := newRig(t)
	a, b := r.user(process, system), r.user(system)
	a.wantSample("2:0s 230:0s")
	r.clock.advance(200 * ms)
	b.wantSample("2:200ms")
	b.wantSample("2:0s") // never the same sample twice
	r.clock.advance(100 * ms)
	a.wantSample("2:100ms 230:0s") // each object with the clocks of its own sample
	r.wantAsked([]uint32{system, process}, []uint32{system}, []uint32{process})
}

// What came along with what somebody asked for serves others, with the age of
// the sample and not of its decoding.
func TestUnasked(t *testing.T) {
	r := newRig(t)
	a, b, c := r.user(process), r.user(memory), r.user(memory)
	r.fake.unasked = map[uint32][]uint32{process: {memory}}
	if err := a.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(500 * ms)
	if _, err := a.frame(); err != nil {
		t.Fatal(err)
	}
	b.wantSample("4:500ms")
	r.clock.advance(ms)
	c.wantSample("4:0s")
	r.wantAsked([]uint32{process, memory}, []uint32{memory})
}

// A sample that is decoded late takes nobody's place.
func TestLateDecode(t *testing.T) {
	r := newRig(t)
	a, b, c := r.user(process), r.user(memory), r.user(memory)
	r.fake.unasked = map[uint32][]uint32{process: {memory}}
	if err := a.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.clock.advance(100 * ms)
	b.wantSample("4:0s")
	if _, err := a.frame(); err != nil {
		t.Fatal(err)
	}
	c.wantSample("4:0s")
	r.wantAsked([]uint32{process, memory}, []uint32{memory})
}

// A frame that was replaced can be read as long as it is needed.
func TestOutdated(t *testing.T) {
	r := newRig(t)
	a, b := r.user(system), r.user(system)
	old := a.sample()
	want := work(r.clock.Now())
	for range 20 {
		r.clock.advance(time.Second)
		b.sample()
	}
	if v, ok := old.Object(0).Raw(0, 0); !ok || v != want {
		t.Errorf("raw value %d %v, want %d", v, ok, want)
	}
}

// Each sample of the source is a sample of the cache, with one block and one index; what is found
// in the cache makes none.
func TestMemory(t *testing.T) {
	r := newRig(t)
	users := []*user{r.user(system, process), r.user(process), r.user(system, memory, thread)}
	samples, blocks, contents := map[*sample]bool{}, map[uint64]bool{}, map[any]bool{}
	for range 200 {
		r.clock.advance(300 * ms)
		for _, u := range users {
			if err := u.take(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := u.frame(); err != nil {
				t.Fatal(err)
			}
			for _, sm := range u.query.picks {
				samples[sm] = true
			}
			for _, p := range u.taken.Parts {
				made, _ := p.Block.Decoded()
				blocks[p.Block.Number()], contents[made] = true, true
			}
		}
	}
	n := int(r.cache.Stats().Queries)
	if len(samples) != n || len(blocks) != n || len(contents) != n {
		t.Errorf("%d samples of the source: %d samples, %d blocks, %d indices", n, len(samples), len(blocks), len(contents))
	}
}

// A hit allocates nothing.
func TestHitAllocatesNothing(t *testing.T) {
	r := newRig(t)
	users := make([]*user, 40)
	for i := range users {
		users[i] = r.user(system, process)
		users[i].taken.Parts = make([]winperf.Part, 0, 1)
	}
	if err := users[0].take(t.Context()); err != nil {
		t.Fatal(err)
	}
	i := 0
	if n := testing.AllocsPerRun(len(users)-2, func() {
		i++
		if err := users[i].take(t.Context()); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if n := r.cache.Stats().Queries; n != 1 {
		t.Errorf("%d samples of the source", n)
	}
}

// The cache forgets samples that nobody decodes and that others replaced.
func TestMemoryOfUndecoded(t *testing.T) {
	r := newRig(t)
	u := r.user(system, process)
	for range 100 {
		r.clock.advance(time.Second)
		if err := u.take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.cache.fresh); n > 2 {
		t.Errorf("%d samples are kept", n)
	}
}

func TestClassesOfObjects(t *testing.T) {
	r := newRig(t)
	global, costly := r.selecting(winperf.Selection{Global: true}), r.selecting(winperf.Selection{Costly: true})
	all := r.selecting(winperf.Selection{Global: true, Objects: ids(thread)})
	global.wantSample("2:0s 4:0s 230:0s")
	costly.wantSample("232:0s")
	r.clock.advance(100 * ms)
	all.wantSample("2:100ms 4:100ms 230:100ms 232:100ms")
	r.wantAsked([]uint32{system, memory, process}, []uint32{thread})

	// An object that is new in a class is found with the next sample of the
	// whole class, and by all who wait for that class.
	r.fake.objects = append(r.fake.objects, 236)
	r.clock.advance(time.Second)
	global.wantSample("2:0s 4:0s 230:0s 236:0s")
	r.clock.advance(100 * ms)
	all.wantSample("2:100ms 4:100ms 230:100ms 232:0s")
	r.wantAsked([]uint32{system, memory, process, 236}, []uint32{thread})
	r.clock.advance(time.Second)
	all.wantSample("2:0s 4:0s 230:0s 232:0s 236:0s")
	// A class is asked for as a class, and what is not of it by itself.
	if diff := cmp.Diff(winperf.Selection{Global: true, Objects: ids(thread)}, r.fake.last); diff != "" {
		t.Errorf("the source was asked for (-want +got):\n%s", diff)
	}

	// A query that was given the new object keeps it, also where another query's sample serves.
	r.clock.advance(100 * ms)
	global.wantSample("2:100ms 4:100ms 230:100ms 236:100ms")
}

// TestUnneededObjects: a class without some objects is requested without them, also if another query has them,
// and shares the other objects. New objects of the class appear.
func TestUnneededObjects(t *testing.T) {
	r := newRig(t)
	sel := winperf.Selection{Global: true, Unneeded: ids(process)}
	lean := r.selecting(sel)
	lean.wantSample("2:0s 4:0s")
	if diff := cmp.Diff(sel, r.fake.last); diff != "" {
		t.Errorf("the source was asked for (-want +got):\n%s", diff)
	}

	all := r.selecting(winperf.Selection{Global: true})
	r.fake.objects = append(r.fake.objects, 236)
	r.clock.advance(time.Second)
	all.wantSample("2:0s 4:0s 230:0s 236:0s")
	r.clock.advance(time.Second)
	lean.wantSample("2:0s 4:0s 236:0s")
	lean.sample()
	r.wantAsked([]uint32{system, memory}, []uint32{system, memory, process, 236}, []uint32{system, memory, 236}, []uint32{system, memory, 236})
}

// What nobody refreshes any more is given back, though others go on.
func TestIdleObjects(t *testing.T) {
	r := newRig(t)
	a, b := r.user(system), r.user(memory)
	a.sample()
	for range 3 {
		b.sample()
		r.clock.advance(idle)
	}
	b.sample()
	for _, o := range r.cache.Stats().Objects {
		if kept := !o.Taken.IsZero(); kept != (o.ObjectID.Index == memory) {
			t.Errorf("object %d: kept %v", o.ObjectID.Index, kept)
		}
	}
	a.wantSample("2:0s")
}

// A selection that finds nothing at first goes to the source as it is until
// there is something.
func TestNothingThereYet(t *testing.T) {
	r := newRig(t)
	r.fake.objects = []uint32{system}
	p, err := winperf.ParsePath(`\Process(*)\Work`)
	if err != nil {
		t.Fatal(err)
	}
	u := r.selecting(winperf.Selection{Paths: []winperf.Path{p}})
	u.wantSample("")
	r.fake.objects = []uint32{system, process}
	u.wantSample("230:0s") // not shared: the source may have left values out
	other := r.user(process)
	u.wantSample("230:0s")
	other.wantSample("230:0s")
	r.wantAsked(nil, []uint32{process}, []uint32{process})
}

// A source that cannot do definitions only is asked for values, once.
func TestWithoutDefinitions(t *testing.T) {
	r := newRig(t)
	r.fake.noMeta = true
	u := r.user(system)
	r.wantAsked([]uint32{system})
	u.wantSample("2:0s")
	r.wantAsked([]uint32{system})
}

// A sample of which nothing can be read costs those who were given it, and is
// handed out no more.
func TestDamage(t *testing.T) {
	r := newRig(t)
	a, b, c := r.user(system), r.user(system), r.user(system)
	r.fake.damage = func(b []byte) []byte { return b[:40] }
	for _, u := range []*user{a, b} {
		if err := u.take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, u := range []*user{a, b} {
		if _, err := u.frame(); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("error %v", err)
		}
	}
	r.fake.damage = nil
	c.wantSample("2:0s")
	a.wantSample("2:0s")

	// Of two samples the other one serves, with its clocks.
	r.clock.advance(time.Second)
	c.sample()
	r.clock.advance(100 * ms)
	both := r.user(system, process)
	r.fake.damage = func(b []byte) []byte { return b[:40] }
	f := both.sample()
	if got := r.ages(f); got != "2:100ms " || len(f.Damage()) != 1 || r.clock.Now().Sub(f.Time()) != 100*ms {
		t.Errorf("objects %q, time %v, damage %v", got, f.Time(), f.Damage())
	}

	// What is damaged in part serves with what is left, and says so.
	r.fake.damage = nil
	r.clock.advance(time.Second)
	d := r.user(system, memory)
	r.fake.damage = func(b []byte) []byte { return b[:len(b)-8] }
	f = d.sample()
	if got := r.ages(f); got != "2:0s " || len(f.Damage()) != 1 || !errors.Is(f.Damage()[0], winperf.ErrBadData) {
		t.Errorf("objects %q, damage %v", got, f.Damage())
	}
}

// An error of the source is the asker's, and the next one asks again.
func TestSourceFails(t *testing.T) {
	r := newRig(t)
	a := r.user(system)
	scripted := errors.New("scripted")
	r.fake.before = func(context.Context, winperf.Selection) error { return scripted }
	for range 2 {
		if err := a.take(t.Context()); !errors.Is(err, scripted) {
			t.Errorf("error %v", err)
		}
		if n := len(a.taken.Parts); n != 0 {
			t.Errorf("%d parts after an error", n)
		}
	}
	r.fake.before = nil
	a.wantSample("2:0s")
	if n := underWay(r.cache); n != 0 {
		t.Errorf("%d objects are still under way", n)
	}
}

// A panic of a source is not swallowed, and leaves no one waiting.
func TestSourcePanics(t *testing.T) {
	r := newRig(t)
	a := r.user(system)
	r.fake.before = func(context.Context, winperf.Selection) error { panic("scripted") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_ = a.take(t.Context())
	}()
	r.fake.before = nil
	a.wantSample("2:0s")
}

func TestContextEnds(t *testing.T) {
	r := newRig(t)
	a := r.user(system)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.take(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	r.wantAsked()
}

func TestClose(t *testing.T) {
	r := newRig(t)
	a, b := r.user(system), r.user(system)
	f := a.sample()
	if err := b.query.Close(); err != nil {
		t.Error(err)
	}
	if st := r.cache.Stats(); st.Entities != 1 || st.Bans != 1 {
		t.Errorf("%d entities, %d bans, want 1, 1", st.Entities, st.Bans)
	}
	if err := a.query.Close(); err != nil {
		t.Error(err)
	}
	if st := r.cache.Stats(); st.Entities != 0 || st.Bans != 0 {
		t.Errorf("%d entities, %d bans, want none", st.Entities, st.Bans)
	}
	if err := r.cache.Close(); err != nil {
		t.Error(err)
	}
	if r.fake.open != 0 {
		t.Errorf("%d queries are open", r.fake.open)
	}
	if err := a.take(t.Context()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("sample after Close: %v", err)
	}
	if got := r.ages(f); got != "2:0s " {
		t.Errorf("frame after Close: %q", got)
	}
}

// recorded is a source of recorded samples.
type recorded struct{ *fake }

func (recorded) Describe() winperf.Description {
	return winperf.Description{Recorded: true, Samples: 1}
}

func TestRefused(t *testing.T) {
	f := newFake(newClock())
	if _, err := New(recorded{f}, Options{}).Compile(t.Context(), winperf.Selection{Global: true}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("recorded samples: %v", err)
	}
	q, err := New(f, Options{}).Compile(t.Context(), winperf.Selection{Global: true, Metadata: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := q.(*fakeQuery); !ok {
		t.Errorf("a query for definitions is a %T", q)
	}
}

// The labels of instances are shared from sample to sample, also where objects
// came with different samples.
func TestNamesAreKept(t *testing.T) {
	r := newRig(t)
	a, b := r.user(process), r.user(system, process)
	of := func(u *user) *frame.Labels {
		o, ok := u.sample().Find(winperf.ObjectID{Index: process})
		if !ok {
			t.Fatal("no processes")
		}
		return o.Labels()
	}
	first, other := of(a), of(b)
	for range 4 {
		r.clock.advance(time.Second)
		if of(b) != other {
			t.Error("new labels")
		}
		r.clock.advance(time.Second)
		if of(a) != first {
			t.Error("new labels")
		}
	}
}

// What comes along with a sample may take the place of one that nobody decoded or holds any more.
func TestUnaskedReplacesUndecoded(t *testing.T) {
	r := newRig(t)
	a, b, c := r.user(memory), r.user(process), r.user(system)
	r.fake.unasked = map[uint32][]uint32{process: {memory}}
	if err := a.take(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.query.Close(); err != nil {
		t.Fatal(err)
	}

	r.clock.advance(100 * ms)
	b.wantSample("230:0s 4:0s")
	c.wantSample("2:0s")
	d := r.user(memory)
	r.clock.advance(100 * ms)
	d.wantSample("4:100ms")
	r.wantAsked([]uint32{memory}, []uint32{process, memory}, []uint32{system})
}
