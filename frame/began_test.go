package frame_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
)

// A process that began after the older sample counts from zero. The samples are 10 s apart.
func TestBegan(t *testing.T) {
	const (
		second  = 10_000_000
		older   = 133_485_408_000_000_000
		newer   = older + 10*second
		objects = "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n" +
			" counter 28 PERF_COUNTER_BULK_COUNT\n counter 30 PERF_100NSEC_TIMER_INV\n"
	)
	sample := func(ticks, time int64, instances string) string {
		return fmt.Sprintf("block perftime=%d perffreq=1000 time100ns=%d\n%s%s", ticks, time, objects, instances)
	}
	instance := func(name string, pid, start, work int64) string {
		return fmt.Sprintf(" instance %q : %d %d %d 0\n", name, pid, start, work)
	}
	old := instance("a", 8, older-second, 100)
	first := sample(1000, older, old)
	const none = "no_previous"
	for _, tt := range []struct {
		name, older, instance string
		ticks, time           int64
		opt                   counter.Options
		want                  string
	}{
		{"began between", first, instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, "5"},
		{"began just before", first, instance("b", 9, older-second/100, 50), 11000, newer, counter.Options{}, "5"},
		{"a reused id", first, instance("a", 8, older+second, 50), 11000, newer, counter.Options{}, "5"},
		{"as PDH does", first, instance("b", 9, older+second, 50), 11000, newer, counter.Options{NeedPrevious: true}, none},
		{"began before", first, instance("b", 9, older-second, 50), 11000, newer, counter.Options{}, none},
		{"began later", first, instance("b", 9, newer+second, 50), 11000, newer, counter.Options{}, none},
		{"start unknown", first, instance("b", 9, 0, 50), 11000, newer, counter.Options{}, none},
		{"total", first, instance("_Total", 0, older+second, 50), 11000, newer, counter.Options{}, none},
		{"idle", first, instance("Idle", 0, older+second, 50), 11000, newer, counter.Options{}, none},
		{"clock set", first, instance("b", 9, older+second, 50), 2000, newer, counter.Options{}, none},
		{"no older object", "block perftime=1000 perffreq=1000 time100ns=133485408000000000\nobject 2 form=single\n counter 10 PERF_COUNTER_RAWCOUNT\n values : 1\n",
			instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, none},
		{"no older starts", "block perftime=1000 perffreq=1000 time100ns=133485408000000000\nobject 230\n counter 784 PERF_COUNTER_RAWCOUNT\n" +
			" counter 28 PERF_COUNTER_BULK_COUNT\n counter 30 PERF_100NSEC_TIMER_INV\n instance \"a\" : 8 100 0\n",
			instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, none},
		{"no newer value", first, fmt.Sprintf(" instance \"b\" size=16 : 9 %d\n", int64(older+second)), 11000, newer, counter.Options{}, "invalid_data"},
		{"first sample", "", instance("b", 9, older+second, 50), 11000, newer, counter.Options{}, none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := pair(t, tt.older, sample(tt.ticks, tt.time, tt.instance), tt.opt)
			rate := p.Column(2)
			got := rate.Status[0].String()
			if rate.Status[0] == counter.OK {
				got = fmt.Sprint(rate.Value(0))
			}

			// An inverse counter has no value for a new instance, or the status of the rate if that says more.
			wantInverse := none
			if tt.want == "invalid_data" {
				wantInverse = tt.want
			}
			inverse := p.Column(3).Status[0].String()
			if diff := cmp.Diff([]string{tt.want, wantInverse}, []string{got, inverse}); diff != "" {
				t.Error(diff)
			}

			// The columns are the same if they are cooked together.
			for k := 2; k < 4; k++ {
				column := p.Column(k)
				checkCook(t, p, 4, k, shown(&column))
			}
		})
	}
}

// A process has no rate if the older object is damaged, though the process began after the older sample.
func TestBeganDamaged(t *testing.T) {
	const head, processes = "block perftime=%d perffreq=1000 time100ns=%d\nobject 2 form=single\n counter 10 PERF_COUNTER_RAWCOUNT\n values : 1\n",
		"object 230 freq=10000000\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 28 PERF_COUNTER_BULK_COUNT\n"
	const second, older = 10_000_000, 133_485_408_000_000_000
	was := block(t, fmt.Sprintf(head, 1000, int64(older))+processes+fmt.Sprintf(" instance \"a\" : 8 %d 100\n", int64(older-second)))
	now := block(t, fmt.Sprintf(head, 2000, int64(older+second))+processes+fmt.Sprintf(" instance \"b\" : 9 %d 50\n", int64(older+second/2)))

	for cut, want := range map[int]string{0: "ok 50", 8: "no_previous "} {
		var pool frame.Pool
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: was[:len(was)-cut]}
		prev, err := pool.Decode(raw.Sample(), frame.Frame{})
		if err != nil || len(prev.Damage()) != min(cut, 1) {
			t.Fatalf("cut by %d: %v, damage %v", cut, err, prev.Damage())
		}
		raw.Bytes = now
		cur, err := pool.Decode(raw.Sample(), prev)
		if err != nil {
			t.Fatal(err)
		}

		var ck frame.Cooker
		must(t, ck.Set(prev, cur, counter.Options{}))
		o, ok := cur.Find(winperf.ObjectID{Index: 230})
		if !ok {
			t.Fatal("no object")
		}
		column := ck.Object(o).Column(2)
		if diff := cmp.Diff([]string{want}, shown(&column)); diff != "" {
			t.Errorf("cut by %d: %s", cut, diff)
		}
	}
}

// A process has no rate if the system time was set between the samples, also if the source knows by how much.
func TestBeganClockSet(t *testing.T) {
	const second, older = 10_000_000, 133_485_408_000_000_000
	sample := func(time int64, ticks int, instance string) *winperf.Sample {
		text := fmt.Sprintf("block perftime=%d perffreq=1000 time100ns=%d\nobject 230\n counter 784 PERF_COUNTER_RAWCOUNT\n"+
			" counter 684 PERF_ELAPSED_TIME\n counter 28 PERF_COUNTER_BULK_COUNT\n instance %s\n", ticks, time, instance)
		return winperf.Raw{Format: winperf.FormatV1, Quirks: winperf.ClocksTogether, Bytes: block(t, text)}.Sample()
	}
	var pool frame.Pool
	prev, err := pool.Decode(sample(older, 1000, fmt.Sprintf("\"a\" : 8 %d 100", int64(older-second))), frame.Frame{})
	if err != nil {
		t.Fatal(err)
	}
	cur, err := pool.Decode(sample(older+3600*second, 2000, fmt.Sprintf("\"b\" : 9 %d 50", int64(older+3600*second))), prev)
	if err != nil {
		t.Fatal(err)
	}
	var ck frame.Cooker
	must(t, ck.Set(prev, cur, counter.Options{}))
	column := ck.Object(cur.Object(0)).Column(2)
	if diff := cmp.Diff([]string{"no_previous "}, shown(&column)); diff != "" {
		t.Error(diff)
	}
}

// A counter with a clock of its own has no value for a new process: its clock had no value in the older sample.
func TestBeganOwnClock(t *testing.T) {
	const title, second, older = 682, 10_000_000, 133_485_408_000_000_000 // counter k has the title 684 + 2k
	const elapsed, queue, rate, process, clock, freq = 0, 1, 2, 50, 51, 52
	types := map[int]counter.Type{
		elapsed: counter.ElapsedTime, queue: counter.ObjTimeQueueLen, rate: counter.BulkCount,
		clock: counter.LargeRawBase, freq: counter.LargeRawBase,
	}
	info := &counterset.Info{GUID: winperf.GUID{1}, InstanceType: counterset.FlagMultiple}
	var order []uint32
	for k := range uint32(freq + 1) {
		c := counterset.CounterInfo{
			ID: k, Type: counter.LargeRawCount, Base: counterset.None,
			PerfTime: counterset.None, PerfFreq: counterset.None, Multi: counterset.None,
		}
		if typ, ok := types[int(k)]; ok {
			c.Type = typ
		}
		if k == elapsed || k == queue {
			c.PerfTime, c.PerfFreq = clock, freq
		}
		info.Counters = append(info.Counters, c)
		order = append(order, k)
	}
	schema := &winperf.Schema{Sets: []winperf.CounterSet{{GUID: info.GUID, Title: title, Info: counterset.AppendInfo(nil, info)}}}

	var pool frame.Pool
	take := func(before frame.Frame, after int64, name string, pid, start uint64) frame.Frame {
		t.Helper()
		a := counterset.Answer{Form: counterset.FullSet, Counters: order}
		in := counterset.Instance{InstanceName: counterset.InstanceName{Name: name, ID: uint32(pid)}}
		values := map[uint32]uint64{elapsed: start, queue: 50, rate: 50, process: pid, clock: uint64(older + after), freq: second}
		for _, k := range order {
			in.Values = append(in.Values, counterset.Value{Size: 8, Bits: values[k]})
		}
		a.Instances = []counterset.Instance{in}
		clocks := counter.Clocks{PerfTime: after, PerfFreq: second, Time100ns: older + after}
		b, err := counterset.AppendData(nil, &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{a}})
		if err == nil {
			b, err = counterset.AppendIdentifier(b, counterset.Identifier{Set: info.GUID, Counter: counterset.Any, Instance: "*"})
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV2, Bytes: b, Schema: schema}.Sample(), before)
		if err != nil || len(f.Damage()) > 0 {
			t.Fatal(err, f.Damage())
		}
		return f
	}
	prev := take(frame.Frame{}, second, "a", 8, older-second)
	cur := take(prev, 11*second, "b", 9, older+2*second)
	var ck frame.Cooker
	must(t, ck.Set(prev, cur, counter.Options{}))
	pair := ck.Object(cur.Object(0))
	for k, want := range map[int]string{queue: "no_previous ", rate: "ok 5"} {
		column := pair.Column(k)
		if diff := cmp.Diff([]string{want}, shown(&column)); diff != "" {
			t.Errorf("counter %d: %s", k, diff)
		}
	}
}

func TestBeganBetween(t *testing.T) {
	const second, hour = int64(10_000_000), int64(3600 * 10_000_000)
	const at = int64(133_485_408_000_000_000)
	clocks := func(time, object int64) counter.Clocks {
		return counter.Clocks{Time100ns: time, ObjectTime: object, ObjectFreq: 10_000_000}
	}
	other := func(c counter.Clocks) counter.Clocks {
		c.ObjectFreq = 1_000_000
		return c
	}
	for _, tt := range []struct {
		name         string
		start        int64
		older, newer counter.Clocks
		want         bool
	}{
		{"between", at + second, clocks(at, at), clocks(at+2*second, at+2*second), true},
		{"before", at - second, clocks(at, at), clocks(at+2*second, at+2*second), false},
		{"after", at + 3*second, clocks(at, at), clocks(at+2*second, at+2*second), false},
		{"40 ms before", at - second/25, clocks(at, at), clocks(at+2*second, at+2*second), true},
		{"60 ms before", at - second*6/100, clocks(at, at), clocks(at+2*second, at+2*second), false},
		{"40 ms after", at + 2*second + second/25, clocks(at, at), clocks(at+2*second, at+2*second), true},
		{"60 ms after", at + 2*second + second*6/100, clocks(at, at), clocks(at+2*second, at+2*second), false},
		{"3 s before an hour", at - 3*second, clocks(at, at), clocks(at+hour, at+hour), true},
		{"4 s before an hour", at - 4*second, clocks(at, at), clocks(at+hour, at+hour), false},
		{"unknown", 0, clocks(1, 1), clocks(second, second), false},
		{"older time unknown", second, clocks(0, 0), clocks(2*second, 2*second), false},
		{"set forward", at + hour, clocks(at, at), clocks(at+hour+second, at+hour+second), true}, // nobody knows
		{"set back", at, clocks(at, at), clocks(at-second/50, at-second/50), false},
		{"by the object's clock", at - hour + second, clocks(at, at-hour), clocks(at+2*second, at-hour+2*second), true},
		{"by another's clock", at + second, clocks(at, at-hour), clocks(at+2*second, at-hour+2*second), false},
		{"a clock of other units", at + second, other(clocks(at, at-hour)), other(clocks(at+2*second, at-hour+2*second)), true},
		{"a clock of long ago", at + second, clocks(at, second), clocks(at+2*second, 3*second), true},
	} {
		if got := frame.BeganBetween(uint64(tt.start), tt.older, tt.newer); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}

	older := counter.Clocks{Time100ns: at, PerfTime: 1000, PerfFreq: 1000}
	newer := counter.Clocks{Time100ns: at + hour, PerfTime: 2000, PerfFreq: 1000}
	if frame.BeganBetween(uint64(at+hour), older, newer) {
		t.Error("the system time was set by an hour")
	}
}

func TestCountsFromZero(t *testing.T) {
	var got []string
	for info := range counter.Types() {
		if frame.CountsFromZero(info.Type) {
			got = append(got, info.Type.String())
		}
	}
	want := []string{
		"PERF_COUNTER_DELTA", "PERF_COUNTER_LARGE_DELTA", "PERF_SAMPLE_COUNTER", "PERF_COUNTER_QUEUELEN_TYPE",
		"PERF_COUNTER_LARGE_QUEUELEN_TYPE", "PERF_COUNTER_100NS_QUEUELEN_TYPE", "PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE",
		"PERF_COUNTER_COUNTER", "PERF_COUNTER_BULK_COUNT", "PERF_COUNTER_TIMER", "PERF_100NSEC_TIMER",
		"PERF_OBJ_TIME_TIMER", "PERF_COUNTER_MULTI_TIMER", "PERF_100NSEC_MULTI_TIMER",
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
