package frame_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

// Two samples of the objects 2 and 230, two seconds apart.
const (
	twoObjects = " object 2 form=single\n  counter 10 PERF_COUNTER_BULK_COUNT\n  values : %d\n" +
		" object 230\n  counter 12 PERF_COUNTER_BULK_COUNT\n  counter 14 PERF_COUNTER_LARGE_RAWCOUNT\n" +
		"  instance \"a\" : %d 1\n  instance \"b\" : 7 2\n"
	at2 = "block name=\"HOST\" perftime=1400 perffreq=100 time100ns=133500000040000000\n" // 2 seconds after at1
)

func twoSample(t *testing.T, p *frame.Pool, head string, a, b int) frame.Frame {
	t.Helper()
	return take(t, p, block(t, head+fmt.Sprintf(twoObjects, a, b)), frame.Frame{})
}

// values cooks everything: the title index, the instance and the value or
// status of each.
func values(ck *frame.Cooker, f frame.Frame) (all []string) {
	for o := range f.Objects() {
		p := ck.Object(o)
		for k := range o.NumCounters() {
			c := p.Column(k)
			for i := range c.Status {
				v := c.Value(i).String()
				if c.Status[i] != counter.OK {
					v = c.Status[i].String()
				}
				all = append(all, fmt.Sprintf("%d(%s)%d=%s", o.ID().Index, o.Labels().Name(i), o.Counter(k).ID.Index, v))
			}
		}
	}
	return all
}

// Each object of a joined frame is cooked with the clocks of its own sample.
func TestJoin(t *testing.T) {
	var pool, joins frame.Pool
	first, second, third := twoSample(t, &pool, at0, 0, 0), twoSample(t, &pool, at1, 100, 100), twoSample(t, &pool, at2, 400, 400)
	object := func(f frame.Frame, title uint32) frame.Object {
		o, ok := f.Find(winperf.ObjectID{Index: title})
		if !ok {
			t.Fatalf("no object %d", title)
		}
		return o
	}
	join := func(head frame.Frame, objects ...frame.Object) frame.Frame {
		f, err := joins.Join(head, nil, objects...)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	prev := join(second, object(second, 230), object(first, 2))
	cur := join(third, object(third, 230), object(third, 2))
	if prev.NumObjects() != 2 || prev.Object(1).ID().Index != 2 || prev.Object(1).Position() != 1 || object(prev, 230).Position() != 0 {
		t.Error("the objects are in another order")
	}
	if prev.Time() != second.Time() || prev.Machine() != "HOST" || prev.Raw().Schema != second.Raw().Schema {
		t.Errorf("head: %v %q", prev.Time(), prev.Machine())
	}
	if a, b := prev.Object(0).Clocks(), prev.Object(1).Clocks(); a.PerfTime != 1200 || b.PerfTime != 1000 {
		t.Errorf("clocks %+v, %+v", a, b)
	}
	var ck frame.Cooker
	ck.Set(prev, cur, counter.Options{})
	want := []string{"230(a)12=150", "230(b)12=0", "230(a)14=1", "230(b)14=2", "2()10=100"} // 300 in 2 s, 400 in 4 s
	if diff := cmp.Diff(want, values(&ck, cur)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	// Joining a joined frame's objects, in another order and only some.
	again := join(cur, object(cur, 2), object(prev, 230))
	ck.Set(prev, again, counter.Options{})
	want = []string{"2()10=100", "230(a)12=invalid_data", "230(b)12=invalid_data", "230(a)14=1", "230(b)14=2"} // the very same sample
	if diff := cmp.Diff(want, values(&ck, again)); diff != "" {
		t.Errorf("joined again (-want +got):\n%s", diff)
	}
}

// A joined frame holds its parts as long as it is held, and no longer.
func TestJoinHolds(t *testing.T) {
	var pool, joins frame.Pool
	a, b := twoSample(t, &pool, at0, 1, 1), twoSample(t, &pool, at1, 2, 2)
	f, err := joins.Join(b, []error{winperf.ErrBadData}, a.Object(0), b.Object(1), a.Object(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []frame.Frame{a, b} {
		if err := part.Release(); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		twoSample(t, &pool, at2, 9, 9) // would take the memory
	}
	if v, ok := f.Object(0).Raw(0, 0); v != 1 || !ok {
		t.Errorf("value %d %v", v, ok)
	}
	if d := f.Damage(); len(d) != 1 || !errors.Is(d[0], winperf.ErrBadData) {
		t.Errorf("damage %v", d)
	}
	if err := f.Decode(frame.Frame{}); !errors.Is(err, winperf.ErrState) || f.NumObjects() != 3 {
		t.Errorf("decode: %v", err)
	}
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	for _, part := range []frame.Frame{a, b} {
		if err := part.Release(); !errors.Is(err, winperf.ErrReleased) {
			t.Errorf("a part is still held: %v", err)
		}
	}
}

// Labels are kept where the frame before is a joined one.
func TestJoinedBefore(t *testing.T) {
	var pool, joins frame.Pool
	a, b := twoSample(t, &pool, at0, 1, 1), twoSample(t, &pool, at1, 2, 2)
	before, err := joins.Join(b, nil, b.Object(1), a.Object(0))
	if err != nil {
		t.Fatal(err)
	}
	f := take(t, &pool, b.Raw().Bytes, before)
	if f.Object(0).Labels() != a.Object(0).Labels() || f.Object(1).Labels() != b.Object(1).Labels() {
		t.Error("new labels")
	}
}

func TestJoinAllocatesNothing(t *testing.T) {
	var pool, joins frame.Pool
	f := take(t, &pool, perftest.Block(perftest.Desktop), frame.Frame{})
	var objects []frame.Object
	for o := range f.Objects() {
		objects = append(objects, o)
	}
	run := func() {
		j, err := joins.Join(f, nil, objects...)
		if err != nil {
			t.Fatal(err)
		}
		j.Release()
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
