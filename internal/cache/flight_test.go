package cache

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
)

// outcome is what became of a Take in another goroutine.
type outcome struct {
	err  error
	done bool
}

// taking begins a Take in another goroutine and returns when it waits for
// something or is done.
func (u *user) taking(ctx context.Context) *outcome {
	o := &outcome{}
	go func() {
		o.err = u.take(ctx)
		o.done = true
	}()
	synctest.Wait()
	return o
}

// hold makes samples of the source wait for the channel, or for the end of
// their context.
func (f *fake) hold() chan struct{} {
	gate := make(chan struct{})
	f.before = func(ctx context.Context, _ winperf.Selection) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return gate
}

func TestConcurrentRequestsAreOneQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		users, outcomes := make([]*user, 10), make([]*outcome, 10)
		for i := range users {
			users[i] = r.user(system, process)
		}
		gate := r.fake.hold()
		for i, u := range users {
			outcomes[i] = u.taking(t.Context())
		}
		close(gate)
		synctest.Wait()
		for i, u := range users {
			if o := outcomes[i]; o.err != nil || !o.done {
				t.Fatalf("user %d: done %v, error %v", i, o.done, o.err)
			}
			if u.query.picks[0] != users[0].query.picks[0] {
				t.Errorf("user %d has another sample", i)
			}
		}
		for _, u := range users {
			if _, err := u.frame(); err != nil {
				t.Error(err)
			}
		}
		r.wantAsked([]uint32{system, process})
		st := r.cache.Stats()
		if o := st.Objects[0]; st.Queries != 1 || o.Joined != 9 || o.Hits != 0 || o.Bans != 10 {
			t.Errorf("%d queries, object %+v", st.Queries, o)
		}
		// All of them have it, so the first who asks again refreshes it.
		users[3].wantSample("2:0s 230:0s")
		users[4].wantSample("2:0s 230:0s")
		r.wantAsked([]uint32{system, process})
	})
}

// Who wants more than what is under way asks for the rest only.
func TestPartUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b := r.user(process), r.user(system, process)
		gate := r.fake.hold()
		first := a.taking(t.Context())
		second := b.taking(t.Context())
		close(gate)
		synctest.Wait()
		if first.err != nil || second.err != nil || !second.done {
			t.Fatalf("errors %v, %v", first.err, second.err)
		}
		f, err := b.frame()
		if err != nil || r.ages(f) != "2:0s 230:0s " {
			t.Errorf("objects %q, error %v", r.ages(f), err)
		}
		if n := len(r.fake.asked[0]) + len(r.fake.asked[1]); n != 2 || len(r.fake.asked) != 2 {
			t.Errorf("asked for %v", r.fake.asked)
		}
	})
}

// Where the one who asked gives up, one of those who waited asks again.
func TestAskerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b, c := r.user(system), r.user(system), r.user(system)
		gate := r.fake.hold()
		ctx, cancel := context.WithCancel(t.Context())
		first := a.taking(ctx)
		second, third := b.taking(t.Context()), c.taking(t.Context())
		cancel()
		synctest.Wait()
		if !errors.Is(first.err, context.Canceled) || second.done || third.done {
			t.Fatalf("error %v, others done %v %v", first.err, second.done, third.done)
		}
		close(gate)
		synctest.Wait()
		if second.err != nil || third.err != nil || !second.done || !third.done {
			t.Fatalf("errors %v, %v", second.err, third.err)
		}
		r.wantAsked([]uint32{system})
	})
}

// The failure of a source is that of all who waited for it.
func TestAskerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b := r.user(system), r.user(system)
		gate, scripted := make(chan struct{}), errors.New("scripted")
		r.fake.before = func(context.Context, winperf.Selection) error {
			<-gate
			return scripted
		}
		first, second := a.taking(t.Context()), b.taking(t.Context())
		close(gate)
		synctest.Wait()
		if !errors.Is(first.err, scripted) || !errors.Is(second.err, scripted) {
			t.Errorf("errors %v, %v", first.err, second.err)
		}
	})
}

// Damage that came with a failure is told to all whose samples failed with it.
func TestDamageOfFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b, class := r.user(system), r.user(system), r.selecting(winperf.Selection{Global: true})
		alone := r.user(999) // of which the source has nothing
		gate, scripted, lost := make(chan struct{}), errors.New("scripted"), errors.New("a record is lost")
		r.fake.passed = []error{lost}
		r.fake.before = func(context.Context, winperf.Selection) error {
			<-gate
			return scripted
		}

		users := []*user{a, b, class, alone}
		var outcomes []*outcome
		for _, u := range users {
			outcomes = append(outcomes, u.taking(t.Context()))
		}
		close(gate)
		synctest.Wait()
		for i, u := range users {
			if d := u.taken.Damage; !errors.Is(outcomes[i].err, scripted) || len(d) != 1 || !errors.Is(d[0], lost) {
				t.Errorf("user %d: error %v, damage %v", i, outcomes[i].err, d)
			}
		}

		// It is told once.
		r.fake.passed, r.fake.before = nil, nil
		for i, u := range users {
			if err := u.take(t.Context()); err != nil || len(u.taken.Damage) > 0 {
				t.Errorf("user %d again: error %v, damage %v", i, err, u.taken.Damage)
			}
		}
	})
}

// Who gives up waiting holds nothing, and is not banned from what came.
func TestWaiterGivesUp(t *testing.T) {
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			a, b := r.user(system, memory), r.user(system, memory)
			gate := r.fake.hold()
			a.taking(t.Context())
			ctx, cancel := context.WithCancel(t.Context())
			waiting := b.taking(ctx)
			cancel()
			if !late {
				synctest.Wait()
				if !errors.Is(waiting.err, context.Canceled) {
					t.Fatalf("error %v", waiting.err)
				}
			}
			close(gate)
			synctest.Wait() // late: both may have come first
			if waiting.err != nil && !late {
				b.wantSample("2:0s 4:0s")
				r.wantAsked([]uint32{system, memory})
			}
		})
	}
}

// Who gives up waiting reads nothing of the sample, which the asker may write at that
// moment: the two have no order here, so the race detector sees it if they meet.
func TestWaiterGivesUpBesideFailure(t *testing.T) {
	q := newRig(t).user(system).query
	f := &flight{done: make(chan struct{})}
	q.waits = []wait{{f, 0}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	var both sync.WaitGroup
	both.Go(func() { f.err, f.damage = errors.New("scripted"), []error{errors.New("a record is lost")} })
	both.Go(func() {
		again, err := q.await(ctx)
		if again || !errors.Is(err, context.Canceled) || q.damage != nil {
			t.Errorf("again %v, error %v, damage %v", again, err, q.damage)
		}
	})
	both.Wait()
}

// Bytes of one sample are shared while they are under way, too.
func TestRawUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, b := r.user(system, process), r.user(process)
		gate := r.fake.hold()
		a.taking(t.Context())
		var raw winperf.Raw
		var err error
		go func() { err = perftest.Take(t.Context(), b.query, &raw) }()
		synctest.Wait()
		close(gate)
		synctest.Wait()
		if err != nil || len(raw.Bytes) == 0 {
			t.Errorf("%d bytes, error %v", len(raw.Bytes), err)
		}
		r.wantAsked([]uint32{system, process})
	})
}

// A query that began before the asker's last sample ended may give an older one:
// the asker does not wait for it, and is not given what it brought.
func TestUnderWayButOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		path, err := winperf.ParsePath(`\Process(*)\Work`)
		if err != nil {
			t.Fatal(err)
		}
		r.fake.objects = []uint32{system}
		b := r.selecting(winperf.Selection{Paths: []winperf.Path{path}})
		r.fake.objects = []uint32{process}
		a := r.user(process)
		gate := r.fake.hold()
		first := a.taking(t.Context())
		r.fake.before = nil
		b.wantSample("230:0s") // by a query of its own, as nothing was there at first
		second := b.taking(t.Context())
		if !second.done || second.err != nil {
			t.Errorf("b waits for a's query: done %v, error %v", second.done, second.err)
		}
		close(gate)
		synctest.Wait()
		if first.err != nil || !first.done {
			t.Errorf("done %v, error %v", first.done, first.err)
		}
		r.wantAsked([]uint32{process}, []uint32{process}, []uint32{process})
	})
}
