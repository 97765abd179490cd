package foreign_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
	"github.com/winperf/winperf/counter"
)

// handles are those that random callers have in common.
type handles struct {
	mu  sync.Mutex
	all []foreign.Handle
}

func (h *handles) add(one foreign.Handle) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, one)
}

// pick returns one that is, or was, and at times one that never was.
func (h *handles) pick(r *rand.Rand) foreign.Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) == 0 || r.IntN(8) == 0 {
		return foreign.Handle(r.Int32N(1000) - 10)
	}
	recent := h.all[max(0, len(h.all)-16):] // of the others most are closed
	if r.IntN(8) == 0 {
		recent = h.all
	}
	return recent[r.IntN(len(recent))]
}

// caller makes random calls.
type caller struct {
	t       *testing.T
	r       *rand.Rand
	l       *foreign.Library
	h       *handles
	decoded *atomic.Int32 // cycles that were completed
}

// codes are those that a call may answer with, whatever others do meanwhile.
func (c *caller) expect(what string, code foreign.Code, codes ...foreign.Code) {
	usual := []foreign.Code{foreign.OK, foreign.UnknownHandle, foreign.WrongKind}
	if !slices.Contains(usual, code) && !slices.Contains(codes, code) {
		c.t.Errorf("%s: code %d (%v)", what, code, code)
	}
}

func (c *caller) access() foreign.Access { return foreign.Access(c.r.IntN(2) == 0) }

func (c *caller) call() {
	switch h := c.h.pick(c.r); c.r.IntN(14) {
	case 0:
		if c.r.IntN(8) != 0 {
			return
		}
		h, code := c.l.OpenSource("fake:", c.r.Int32N(3)-1)
		c.expect("open", code)
		must(c.t, c.l, 0, code)
		must(c.t, c.l, h, c.l.Set(h, foreign.Rest, 0))
		c.h.add(h)
	case 1:
		if c.r.IntN(16) == 0 {
			c.expect("close", c.l.CloseSource(h))
		}
	case 2:
		if c.r.IntN(3) != 0 {
			return
		}
		k := foreign.Kind(1 + c.r.IntN(3))
		made, code := c.l.Create(h, k, []foreign.Request{{Object: 230}, {Object: 2, Counter: 248}}, foreign.Flags(c.r.IntN(3)))
		c.expect("create", code)
		if code == foreign.OK {
			c.h.add(made)
		}
	case 3:
		if c.r.IntN(16) == 0 {
			c.expect("destroy", c.l.Destroy(h, c.access()), foreign.WrongState)
		}
	case 4, 5:
		c.expect("prepare", c.l.Prepare(h, c.access()), foreign.WrongState)
	case 6, 7:
		c.expect("sample", c.l.Sample(h, c.access()), foreign.WrongState, foreign.Anomaly)
	case 8, 9:
		code := c.l.Decode(h, c.access())
		c.expect("decode", code, foreign.WrongState, foreign.Anomaly)
		if code == foreign.OK || code == foreign.Anomaly {
			c.decoded.Add(1)
		}
	case 10:
		c.readItems(h)
	case 11:
		c.readStructure(h)
	case 12:
		c.readNames(h)
	default:
		_, code := c.l.State(h)
		c.expect("state", code)
		_, code = c.l.Error(h, make([]byte, 4000))
		c.expect("error", code)
		c.expect("set", c.l.Set(h, foreign.Retries, c.r.Int32N(3)))
	}
}

// readItems checks that what is read belongs together, also while others measure.
func (c *caller) readItems(h foreign.Handle) {
	a := c.access()
	n, code := c.l.ItemsCount(h, a)
	c.expect("count items", code, foreign.WrongState)
	out := make([]foreign.Item, n)
	n, code = c.l.Items(h, a, out)
	c.expect("items", code, foreign.WrongState, foreign.TooSmall)
	if code != foreign.OK {
		return
	}
	for _, it := range out[:n] {
		busy := counter.ValueType(it.Type) == counter.Decimal && it.Object == 230 && it.Counter == 6
		if v := math.Float64frombits(it.Value); busy && counter.Status(it.Status) == counter.OK && v != 0 && v != 10 && v != 100 {
			c.t.Errorf("a processor time of %v", v)
		}
	}
}

func (c *caller) readStructure(h foreign.Handle) {
	a := c.access()
	objects := make([]uint32, 10)
	n, code := c.l.Objects(h, a, objects)
	c.expect("objects", code, foreign.WrongState)
	for _, o := range objects[:n] {
		size, code := c.l.InstancesSize(h, a, o)
		c.expect("size of instances", code, foreign.WrongState)
		count, code := c.l.InstancesCount(h, a, o)
		c.expect("count of instances", code, foreign.WrongState)
		text, rest := make([]byte, size), make([]foreign.Instance, count)
		if size, count, code = c.l.Instances(h, a, o, text, rest); code == foreign.OK && len(list(c.t, text[:size])) != count {
			c.t.Errorf("%d instances: %q", count, text[:size])
		}
		c.expect("instances", code, foreign.WrongState, foreign.TooSmall)
		_, code = c.l.Counters(h, a, o, make([]foreign.Counter, 10))
		c.expect("counters", code, foreign.WrongState)
	}
}

func (c *caller) readNames(h foreign.Handle) {
	_, code := c.l.FindCounter(h, 230, "ID Process")
	c.expect("find", code)
	_, code = c.l.Name(h, 230, make([]byte, 100))
	c.expect("name", code)
	_, _, code = c.l.Sensors(h, nil, nil)
	c.expect("sensors", code, foreign.TooSmall)
	if c.r.IntN(8) == 0 {
		c.expect("refresh", c.l.Refresh(h))
	}
}

// Random calls from many goroutines: handles of every kind and age, steps in any order,
// snapshots and sources that end meanwhile. Nothing is told that cannot be, and in the end all
// can be closed.
func TestRandomCalls(t *testing.T) {
	calls := 3000
	if testing.Short() {
		calls = 300
	}
	f := &fake{script: func(n int) []proc {
		if n%5 == 0 {
			return append(steady(n), proc{"worker", uint64(n), 0, uint64(10 * n), 7})
		}
		return steady(n)
	}}
	l, shared := f.library(), &handles{}
	var sources sync.Map
	l.Open = openEach(f, &sources)
	var decoded atomic.Int32
	var wait sync.WaitGroup
	for id := range 8 {
		wait.Go(func() {
			c := &caller{t, rand.New(rand.NewPCG(1, uint64(id))), l, shared, &decoded}
			for range calls {
				c.call()
			}
		})
	}
	wait.Wait()
	t.Logf("%d cycles", decoded.Load())
	if n := int(decoded.Load()); n < calls/60 {
		t.Errorf("only %d cycles were completed: the test does not see what it should", n)
	}

	for _, h := range shared.all {
		switch code := l.Destroy(h, foreign.Safe); code {
		case foreign.OK, foreign.UnknownHandle:
		case foreign.WrongKind:
			must(t, l, h, l.CloseSource(h))
		default:
			t.Errorf("destroy: code %d", code)
		}
	}
	sources.Range(func(f, _ any) bool {
		if f := f.(*fake); f.closed != 1 || f.open != 0 {
			t.Errorf("a source was closed %d times and has %d queries open", f.closed, f.open)
			return false
		}
		return true
	})
	if code := l.Prepare(shared.all[0], foreign.Safe); code != foreign.UnknownHandle {
		t.Errorf("code %d in the end", code)
	}
}
