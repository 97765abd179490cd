package frame_test

import (
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/frame"
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

// setInstance are values in the order of setSample's counters.
type setInstance struct {
	name   string
	id     uint32
	values [7]uint64
}

// takeSet decodes a sample of setOf.
func takeSet(t *testing.T, pool *frame.Pool, schema *winperf.Schema, before frame.Frame, clocks counter.Clocks, all ...setInstance) frame.Frame {
	t.Helper()
	a := counterset.Answer{Form: counterset.FullSet, Counters: []uint32{3, 2, 4, 5, 6, 7, 1}}
	for _, in := range all {
		out := counterset.Instance{InstanceName: counterset.InstanceName{Name: in.name, ID: in.id}}
		for k, v := range in.values {
			size := uint32(8)
			if k == 6 {
				size = 4
			}
			out.Values = append(out.Values, counterset.Value{Size: size, Bits: v})
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
	f := pool.Get()
	*f.Raw() = winperf.Raw{Format: winperf.FormatV2, Bytes: b, Schema: schema}
	if err := f.Decode(before); err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	return f
}

// TestSetCook cooks counters whose bases and clocks are other counters, anywhere
// in the set.
func TestSetCook(t *testing.T) {
	var pool frame.Pool
	var ck frame.Cooker
	schema := setOf(t)
	clocks := counter.Clocks{PerfTime: 1_000, PerfFreq: 100, Time100ns: 1 << 60}
	was := takeSet(t, &pool, schema, frame.Frame{}, clocks,
		setInstance{"a", 1, [7]uint64{100, 1_000, 3_000, 1_000, 0, 10, 10}},
		setInstance{"b", 2, [7]uint64{100, 1_000, 3_000, 1_000, 0, 10, 10}})
	clocks.PerfTime += 200 // 2 s
	now := takeSet(t, &pool, schema, was, clocks,
		setInstance{"a", 1, [7]uint64{150, 1_500, 4_500, 2_000, 500, 100, 20}},
		setInstance{"b", 2, [7]uint64{160, 1_600, 3_000, 3_000, 500, 10, 22}})
	ck.Set(was, now, counter.Options{})
	o, ok := now.Find(winperf.ObjectID{GUID: winperf.GUID{1}})
	if !ok || o.ID() != (winperf.ObjectID{Index: 5000, GUID: winperf.GUID{1}}) || o.Single() {
		t.Fatalf("object %v, %v", o.ID(), ok)
	}
	pair := ck.Object(o)
	for k, want := range map[int][2]float64{
		0: {50.0 / 10, 60.0 / 12},        // bytes of operations
		1: {250, 300},                    // in 2 s
		2: {1_500.0 / 1_000, 0},          // by its own clock
		4: {1_500.0 / 100, 2_500.0 / 10}, // clock - start, in units of its own frequency
	} {
		whole := pair.Column(k)
		whole.Bits, whole.Status = append([]uint64{}, whole.Bits...), append([]counter.Status{}, whole.Status...)
		for part := range pair.Parts() {
			col := part.Column(k)
			for i := range 2 {
				got, _ := col.Value(i).Float64()
				if col.Status[i] != counter.OK || got != want[i] || col.Bits[i] != whole.Bits[i] {
					t.Errorf("counter %d of instance %d: %v (%v), want %v", k, i, got, col.Status[i], want[i])
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
	ck.Set(was, now, counter.Options{})
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
	in := []setInstance{{"a", 1, [7]uint64{1, 1, 1, 1, 1, 1, 1}}, {"b", 2, [7]uint64{1, 1, 1, 1, 1, 1, 1}}}
	was := takeSet(t, &pool, schema, frame.Frame{}, clocks, in...)
	f := takeSet(t, &pool, schema, was, clocks, in...)
	raw := *f.Raw()
	cycle := func() {
		if err := f.Release(); err != nil {
			t.Fatal(err)
		}
		f = pool.Get()
		*f.Raw() = raw
		if err := f.Decode(was); err != nil {
			t.Fatal(err)
		}
		ck.Set(was, f, counter.Options{})
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
