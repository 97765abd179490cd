package cache

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
)

// readings are a cycle's as text, with the age of each.
func (r *rig) readings(c *measure.Measurement) (all []string) {
	r.Helper()
	cycle, err := c.Cycle(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	for _, x := range cycle.Readings() {
		value := x.Value.String()
		if x.Status != counter.OK {
			value = x.Status.String()
		}
		all = append(all, fmt.Sprint(x.Path.Object, " ", value, " ", r.clock.Now().Sub(x.Time)))
	}
	return all
}

// Contexts measure through a cache without knowing: every reading has the time
// and the clocks of the sample that its object came with.
func TestContext(t *testing.T) {
	r := newRig(t)
	both := measure.New(r.cache, winperf.Selection{Objects: ids(system, memory)}, measure.Options{})
	one := measure.New(r.cache, winperf.Selection{Objects: ids(memory)}, measure.Options{})
	defer both.Close()
	defer one.Close()
	steps := []struct {
		after time.Duration
		who   *measure.Measurement
		want  []string
	}{
		{0, both, []string{"System no_previous 0s", "Memory no_previous 0s"}},
		{100 * ms, one, []string{"Memory no_previous 100ms"}},
		{900 * ms, one, []string{"Memory 1e+07 0s"}},
		{300 * ms, both, []string{"System 1e+07 0s", "Memory 1e+07 300ms"}},
		{900 * ms, both, []string{"System 1e+07 0s", "Memory 1e+07 0s"}},
		{500 * ms, one, []string{"Memory 1e+07 500ms"}},
	}
	for i, s := range steps {
		r.clock.advance(s.after)
		got := r.readings(s.who)
		if diff := cmp.Diff(fmt.Sprint(s.want), fmt.Sprint(got)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
	r.wantAsked([]uint32{system, memory}, []uint32{memory}, []uint32{system}, []uint32{system, memory})
}

// A context and the same one over a cache give the same readings.
func TestContextWithAndWithout(t *testing.T) {
	r := newRig(t)
	sel, opt := winperf.Selection{Global: true, Costly: true}, measure.Options{CostlyTogether: true}
	with, without := measure.New(r.cache, sel, opt), measure.New(r.fake, sel, opt)
	for range 5 {
		if diff := cmp.Diff(r.readings(without), r.readings(with)); diff != "" {
			t.Errorf("readings (-without +with):\n%s", diff)
		}
		r.clock.advance(time.Second)
	}
}

// Contexts that have the same two frames cook each column once.
func TestCookedOnce(t *testing.T) {
	r := newRig(t)
	var users [2]*user
	var frames [2][2]frame.Frame
	for i := range users {
		users[i] = r.user(process)
	}
	for n := range 2 {
		for i, u := range users {
			frames[i][n] = u.sample()
		}
		r.clock.advance(time.Second)
	}
	var place [2]*uint64
	for i, f := range frames {
		var ck frame.Cooker
		if err := ck.Set(f[0], f[1], counter.Options{}); err != nil {
			t.Fatal(err)
		}
		c := ck.Object(f[1].Object(0)).Column(0)
		place[i] = &c.Bits[0]
		if v, ok := c.Value(1).Float64(); v != rate || !ok {
			t.Errorf("user %d: %v", i, c.Value(1))
		}
	}
	if place[0] != place[1] {
		t.Error("the column was cooked twice")
	}
}

// Many contexts with different selections measure as fast as they can, hold
// frames for others to read, give up in the middle and begin again. No reading
// is of another sample than its clocks, and none of one sample twice.
func TestManyContexts(t *testing.T) {
	c := newClock()
	f := newFake(c)
	f.unasked = map[uint32][]uint32{process: {memory}}
	f.before = func(context.Context, winperf.Selection) error {
		c.advance(time.Microsecond) // so that no two samples have one time
		return nil
	}
	s := New(f, Options{Clock: c, Freshness: 3 * ms})
	cycles := 150
	if testing.Short() {
		cycles = 30
	}
	var wait sync.WaitGroup
	for n := range 16 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			for range 3 {
				if err := measureSome(t.Context(), s, c, random, cycles/3); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	if n := underWay(s); n != 0 || len(s.open) != 0 {
		t.Errorf("%d queries under way, %d open at the end", n, len(s.open))
	}
	st := s.Stats()
	var sum Counts
	for _, o := range st.Objects {
		sum.Hits, sum.Refreshes, sum.Banned = sum.Hits+o.Hits, sum.Refreshes+o.Refreshes, sum.Banned+o.Banned
	}
	if sum.Hits == 0 || sum.Refreshes == 0 || sum.Banned == 0 {
		t.Errorf("nothing was shared: %+v", sum)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if f.open != 0 {
		t.Errorf("%d queries of the source are open", f.open)
	}
}

// measureSome measures a random selection for some cycles.
func measureSome(ctx context.Context, s *Source, c *clock, random *rand.Rand, cycles int) error {
	var sel winperf.Selection
	for _, title := range []uint32{system, memory, process, thread} {
		if random.IntN(2) == 0 {
			sel.Objects = append(sel.Objects, winperf.ObjectID{Index: title})
		}
	}
	sel.Global = random.IntN(4) == 0
	m := measure.New(s, sel, measure.Options{Cook: counter.Options{Least: -1}}) // its samples are a µs apart
	defer m.Close()
	for n := range cycles {
		c.advance(time.Duration(1+random.IntN(2000)) * time.Microsecond)
		if random.IntN(10) == 0 { // begin a round and leave it
			if err := m.Prepare(ctx); err != nil {
				return err
			}
			given, cancel := context.WithCancel(ctx)
			if random.IntN(2) == 0 {
				cancel()
			}
			_ = m.Sample(given) // canceled or not
			cancel()
			continue
		}
		cycle, err := m.Cycle(ctx)
		if err != nil {
			return err
		}
		for _, r := range cycle.Readings() {
			v, ok := r.Value.Float64()
			first := n < 2 || r.Status == counter.NoPrevious
			if r.Status != counter.OK && !first || ok && (v < rate-1 || v > rate+1) {
				return fmt.Errorf("cycle %d of %v: %v", n, sel.Objects, r)
			}
		}
	}
	return nil
}

// Readers of frames keep nobody from measuring, however many there are, and
// each frame stays as it was while they read.
func TestReadersAndOneMeasurer(t *testing.T) {
	c := newClock()
	s := New(newFake(c), Options{Clock: c})
	m := measure.New(s, winperf.Selection{Global: true}, measure.Options{})
	defer m.Close()
	var mu sync.Mutex
	var newest frame.Frame
	var done atomic.Bool
	hold := func() frame.Frame {
		mu.Lock()
		defer mu.Unlock()
		return newest
	}
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for !done.Load() {
				f := hold()
				for o := range f.Objects() {
					want := uint64(o.Clocks().Time100ns)
					for i := range o.Len() {
						if v, ok := o.Raw(i, 0); !ok || v != want+uint64(i) {
							t.Errorf("object %d: value %d %v, want %d", o.ID().Index, v, ok, want)
							done.Store(true)
						}
					}
				}
			}
		})
	}
	for range 300 {
		c.advance(time.Second)
		cycle, err := m.Cycle(t.Context())
		if err != nil {
			t.Error(err)
			break
		}
		if err := cycle.Frame.Keep(); err != nil {
			t.Error(err)
		}
		mu.Lock()
		newest = cycle.Frame
		mu.Unlock()
	}
	done.Store(true)
	wait.Wait()
}

// A cache over a cache, as of an experiment over the source of a run, leaves the blocks alone that others
// are reading: the race detector tells.
func TestCacheOfCache(t *testing.T) {
	r := newRig(t)
	outer := New(r.cache, Options{Clock: r.clock})
	q, err := outer.Compile(t.Context(), winperf.Selection{Objects: ids(process)})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	reader := r.user(process)
	if err := reader.take(t.Context()); err != nil {
		t.Fatal(err)
	}

	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := reader.frame(); err != nil || !reader.taken.Parts[0].Block.Kept() {
			t.Errorf("the block is not kept, error %v", err)
		}
	})
	var s winperf.Sample
	if err := q.Next(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	if s.Parts[0].Block != reader.taken.Parts[0].Block {
		t.Error("the two caches gave different samples")
	}
	s.Clear()
}
