package frame_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
)

// setOf is a counter set with one counter of every way to refer to another.
func setOf(t *testing.T) *winperf.Schema {
	t.Helper()
	const none = counterset.None
	plain := counterset.CounterInfo{Base: none, PerfTime: none, PerfFreq: none, Multi: none}
	of := func(id uint32, typ counter.Type) counterset.CounterInfo {
		c := plain
		c.ID, c.Type = id, typ
		return c
	}
	average := of(3, counter.AverageBulk)
	average.Base = 1
	queue := of(4, counter.ObjTimeQueueLen)
	queue.PerfTime = 5
	elapsed := of(6, counter.ElapsedTime)
	elapsed.PerfTime, elapsed.PerfFreq = 5, 7
	info := &counterset.Info{
		GUID: winperf.GUID{1}, InstanceType: counterset.FlagMultiple,
		Counters: []counterset.CounterInfo{
			of(1, counter.AverageBase), of(2, counter.BulkCount), average, queue,
			of(5, counter.LargeRawBase), elapsed, of(7, counter.LargeRawBase),
		},
	}
	return &winperf.Schema{Sets: []winperf.CounterSet{{GUID: info.GUID, Title: 5000, Info: counterset.AppendInfo(nil, info)}}}
}

// setCounters are the ids of setOf's counters in the order of setInstance.
var setCounters = []uint32{3, 2, 4, 5, 6, 7, 1}

// setInstance is an instance of setOf.
type setInstance struct {
	name   string
	id     uint32
	values [7]uint64
	// size is that of values that have not the usual one, by the counter's id; 1
	// tells that there is none.
	size map[uint32]uint32
}

// value is the value of the counter with the id.
func (in *setInstance) value(id uint32) counterset.Value {
	size := uint32(8)
	if id == 1 {
		size = 4
	}
	if other, ok := in.size[id]; ok {
		size = other
	}
	return counterset.Value{Size: size, Bits: in.values[slices.Index(setCounters, id)]}
}

// takeSet decodes a sample of setOf.
func takeSet(t *testing.T, pool *frame.Pool, schema *winperf.Schema, before frame.Frame, clocks counter.Clocks, all ...setInstance) frame.Frame {
	t.Helper()
	return takeSetIn(t, pool, schema, before, clocks, setCounters, all...)
}

// takeSetIn decodes a sample of setOf that has its counters in another order, or
// lacks some.
func takeSetIn(t *testing.T, pool *frame.Pool, schema *winperf.Schema, before frame.Frame,
	clocks counter.Clocks, order []uint32, all ...setInstance) frame.Frame {
	t.Helper()
	a := counterset.Answer{Form: counterset.FullSet, Counters: order}
	for _, in := range all {
		out := counterset.Instance{InstanceName: counterset.InstanceName{Name: in.name, ID: in.id}}
		for _, id := range order {
			out.Values = append(out.Values, in.value(id))
		}
		a.Instances = append(a.Instances, out)
	}
	b, err := counterset.AppendData(nil, &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{a}})
	if err == nil {
		b, err = counterset.AppendIdentifier(b, counterset.Identifier{Set: winperf.GUID{1}, Counter: counterset.Any, Instance: "*"})
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := len(order) == len(setCounters)
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV2, Bytes: b, Schema: schema}.Sample(), before)
	if err != nil || whole && len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	return f
}

// TestSetCook cooks counters whose bases and clocks are other counters, anywhere
// in the set: every counter is in every place, in both samples.
func TestSetCook(t *testing.T) {
	turned := func(by int) []uint32 { return slices.Concat(setCounters[by:], setCounters[:by]) }
	for i := range setCounters {
		for j := range setCounters {
			t.Run(fmt.Sprint(i, " ", j), func(t *testing.T) { cookSet(t, turned(i), turned(j)) })
		}
	}
}

// cookSet cooks two samples with their counters in these orders.
func cookSet(t *testing.T, older, order []uint32) {
	var pool frame.Pool
	var ck frame.Cooker
	schema := setOf(t)
	clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100, Time100ns: 1 << 60}
	was := takeSetIn(t, &pool, schema, frame.Frame{}, clocks, older,
		setInstance{"a", 1, [7]uint64{100, 1_000, 3_000, 1_000, 0, 10, 10}, nil},
		setInstance{"b", 2, [7]uint64{100, 1_000, 3_000, 1_000, 0, 10, 10}, nil})
	clocks.PerfTime += 200 // 2 s
	now := takeSetIn(t, &pool, schema, was, clocks, order,
		setInstance{"a", 1, [7]uint64{150, 1_500, 4_500, 2_000, 500, 100, 20}, nil},
		setInstance{"b", 2, [7]uint64{160, 1_600, 3_000, 3_000, 500, 10, 22}, nil})
	must(t, ck.Set(was, now, counter.Options{}))
	o, ok := now.Find(winperf.ObjectID{GUID: winperf.GUID{1}})
	if !ok || o.ID() != (winperf.ObjectID{Index: 5000, GUID: winperf.GUID{1}}) || o.Single() {
		t.Fatalf("object %v, %v", o.ID(), ok)
	}
	pair := ck.Object(o)
	for id, want := range map[uint32][2]float64{
		3: {50.0 / 10, 60.0 / 12},        // bytes of operations
		2: {250, 300},                    // in 2 s
		4: {1_500.0 / 1_000, 0},          // by its own clock
		6: {1_500.0 / 100, 2_500.0 / 10}, // clock - start, in units of its own frequency
	} {
		k := slices.Index(order, id)
		own := map[uint32][2]uint32{4: {5}, 6: {5, 7}}[id] // clock and frequency
		if c := o.Counter(k); c.Clock != slices.Index(order, own[0]) || c.Freq != slices.Index(order, own[1]) {
			t.Errorf("counter %d: clock at %d, frequency at %d", id, c.Clock, c.Freq)
		}
		col := pair.Column(k)
		for i := range 2 {
			if got, _ := col.Value(i).Float64(); col.Status[i] != counter.OK || got != want[i] {
				t.Errorf("counter %d of instance %d: %v (%v), want %v", k, i, got, col.Status[i], want[i])
			}
		}
		checkCook(t, pair, o.NumCounters(), k, shown(&col))
	}
}

// TestSetMissing shows what a counter is that has a clock of its own, or a base,
// of which a value is missing, and what one of an instance that is new.
func TestSetMissing(t *testing.T) {
	a := setInstance{"a", 1, [7]uint64{100, 1_000, 3_000, 1_000, 500, 10, 10}, nil}
	b := setInstance{"a", 1, [7]uint64{150, 1_500, 4_500, 2_000, 500, 10, 20}, nil}
	const queue, elapsed = 4, 6
	for _, tt := range []struct {
		name           string
		before, now    uint32 // the counter without a value
		queue, elapsed string
	}{
		{"nothing", 0, 0, "ok 1.5", "ok 150"},
		{"the clock", 0, 5, "invalid_data ", "invalid_data "},
		{"the clock before", 5, 0, "no_previous ", "ok 150"},
		{"the frequency", 0, 7, "ok 1.5", "invalid_data "},
		{"the frequency before, which nothing needs", 7, 0, "ok 1.5", "ok 150"},
		{"the value, with a clock", 0, queue, "invalid_data ", "ok 150"},
		{"the value before", queue, 0, "no_previous ", "ok 150"},
	} {
		var pool frame.Pool
		var ck frame.Cooker
		schema, other := setOf(t), setInstance{"z", 2, [7]uint64{}, nil} // says how values are laid out
		clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100}
		a.size, b.size = map[uint32]uint32{tt.before: 1}, map[uint32]uint32{tt.now: 1}
		was := takeSet(t, &pool, schema, frame.Frame{}, clocks, other, a)
		now := takeSet(t, &pool, schema, was, clocks, other, setInstance{"new", 3, a.values, nil}, b)
		must(t, ck.Set(was, now, counter.Options{}))
		p := ck.Object(now.Object(0))
		for id, want := range map[uint32]string{queue: tt.queue, elapsed: tt.elapsed} {
			k := slices.Index(setCounters, id)
			column := p.Column(k)
			got := shown(&column)
			fresh := map[uint32]string{queue: "no_previous ", elapsed: "ok 50"}[id]
			if got[1] != fresh || got[2] != want {
				t.Errorf("%s is missing: counter %d is %q, want %q and %q", tt.name, id, got, fresh, want)
			}
			_, status := now.Object(0).Operands(2, k)
			if missing := want == "invalid_data "; missing != (status == counter.InvalidData) {
				t.Errorf("%s is missing: operands of counter %d have status %v", tt.name, id, status)
			}
		}
	}
}

// TestSetBaseSize shows that the size of a base is its own, wherever it is:
// one of 8 bytes does not wrap where one of 4 bytes does.
func TestSetBaseSize(t *testing.T) {
	for _, order := range [][]uint32{{1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 1}} {
		for size, want := range map[uint32]string{4: "ok 2", 8: "negative_denominator "} {
			var pool frame.Pool
			var ck frame.Cooker
			schema, sizes := setOf(t), map[uint32]uint32{1: size}
			clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100}
			was := takeSetIn(t, &pool, schema, frame.Frame{}, clocks, order,
				setInstance{"a", 1, [7]uint64{6: 1<<32 - 10}, sizes})
			now := takeSetIn(t, &pool, schema, was, clocks, order, setInstance{"a", 1, [7]uint64{0: 40, 6: 10}, sizes})
			must(t, ck.Set(was, now, counter.Options{}))
			p, k := ck.Object(now.Object(0)), slices.Index(order, 3)
			column := p.Column(k)
			if got := shown(&column); got[0] != want || !column.Fell || !p.Fell(0, k) {
				t.Errorf("a base of %d bytes in %v: %v, fell %v", size, order, got, column.Fell)
			}
		}
	}
}

// TestSetLacks cooks against a sample that lacks a counter which others need: a
// value that needs an older one of it has none, wherever it is in the newer.
func TestSetLacks(t *testing.T) {
	values := [7]uint64{100, 1_000, 3_000, 1_000, 500, 10, 10}
	for lacks, want := range map[uint32]map[uint32]string{
		1: {3: "no_previous ", 2: "ok 0", 4: "invalid_data "}, // the base; the clock stands still
		5: {3: "ok 0", 2: "ok 0", 4: "no_previous "},          // the clock
	} {
		for by := range setCounters {
			order := slices.Concat(setCounters[by:], setCounters[:by])
			older := slices.DeleteFunc(slices.Clone(order), func(id uint32) bool { return id == lacks })
			var pool frame.Pool
			var ck frame.Cooker
			schema, clocks := setOf(t), counter.Clocks{PerfTime: 1_000, PerfFreq: 100}
			was := takeSetIn(t, &pool, schema, frame.Frame{}, clocks, older, setInstance{"a", 1, values, nil})
			clocks.PerfTime += 200
			now := takeSetIn(t, &pool, schema, was, clocks, order, setInstance{"a", 1, values, nil})
			must(t, ck.Set(was, now, counter.Options{}))
			p := ck.Object(now.Object(0))
			for id, want := range want {
				column := p.Column(slices.Index(order, id))
				if got := shown(&column); got[0] != want {
					t.Errorf("%d lacks in %v: counter %d is %q, want %q", lacks, order, id, got[0], want)
				}
			}
		}
	}
}

// TestSetIdentity matches instances by name and id together.
func TestSetIdentity(t *testing.T) {
	var pool frame.Pool
	var ck frame.Cooker
	schema := setOf(t)
	clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100}
	was := takeSet(t, &pool, schema, frame.Frame{}, clocks,
		setInstance{name: "a", id: 1}, setInstance{name: "b", id: 2}, setInstance{name: "c", id: 3},
		setInstance{name: "d", id: 4}, setInstance{name: "d", id: 5})
	now := takeSet(t, &pool, schema, was, clocks,
		setInstance{name: "a", id: 9}, setInstance{name: "x", id: 2}, setInstance{name: "c", id: 3},
		setInstance{name: "d", id: 5}, setInstance{name: "d", id: 4})
	must(t, ck.Set(was, now, counter.Options{}))
	pair := ck.Object(now.Object(0))
	for i, want := range []int{-1, -1, 2, 4, 3} {
		if got, match := pair.From(i); got != want || (got >= 0) != (match == counter.Verified) {
			t.Errorf("instance %d is from %d (%d), want %d", i, got, match, want)
		}
	}
	if n := now.Object(0).Instance(4).Occurrence(); n != 1 {
		t.Errorf("the second d is number %d", n)
	}
	again := takeSet(t, &pool, schema, now, clocks,
		setInstance{name: "a", id: 9}, setInstance{name: "x", id: 2}, setInstance{name: "c", id: 3},
		setInstance{name: "d", id: 5}, setInstance{name: "d", id: 4})
	if again.Object(0).Labels() != now.Object(0).Labels() {
		t.Error("the same instances got other labels")
	}
}

// TestSetAllocates nothing once warm, own clocks and all.
func TestSetAllocates(t *testing.T) {
	var pool frame.Pool
	var ck frame.Cooker
	schema := setOf(t)
	clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100}
	ones := [7]uint64{1, 1, 1, 1, 1, 1, 1}
	in := []setInstance{{"a", 1, ones, nil}, {"b", 2, ones, nil}}
	was := takeSet(t, &pool, schema, frame.Frame{}, clocks, in...)
	keep(t, was)
	f := takeSet(t, &pool, schema, was, clocks, in...)
	raw := blockOf(f).Raw
	var sample winperf.Sample
	cycle := func() {
		b := sample.Begin()
		memory := b.Bytes
		b.Raw = raw
		b.Bytes = append(memory, raw.Bytes...)
		var err error
		if f, err = pool.Decode(&sample, was); err != nil {
			t.Fatal(err)
		}
		must(t, ck.Set(was, f, counter.Options{}))
		pair := ck.Object(f.Object(0))
		for k := range f.Object(0).NumCounters() {
			pair.Column(k)
		}
	}
	cycle()
	if n := testing.AllocsPerRun(100, cycle); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
