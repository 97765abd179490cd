package metrics

import (
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/counterset"
)

// TestExpressionsOfSets compares counters of a counter set of version 2, whose clocks are
// counters themselves.
func TestExpressionsOfSets(t *testing.T) {
	const none = counterset.None
	of := func(id uint32, typ counter.Type, base, clock, freq uint32) counterset.CounterInfo {
		return counterset.CounterInfo{ID: id, Type: typ, Base: base, PerfTime: clock, PerfFreq: freq, Multi: none}
	}
	info := &counterset.Info{
		GUID: winperf.GUID{1}, InstanceType: counterset.FlagMultiple,
		Counters: []counterset.CounterInfo{
			of(1, counter.ObjTimeTimer, none, 5, 6), of(2, counter.ElapsedTime, none, 5, 6),
			of(3, counter.ObjTimeQueueLen, none, 5, 6), of(4, counter.BulkCount, none, none, none),
			of(5, counter.LargeRawBase, none, none, none), of(6, counter.LargeRawBase, none, none, none),
		},
	}
	schema := &winperf.Schema{Sets: []winperf.CounterSet{{
		GUID: info.GUID, Title: 5000, Info: counterset.AppendInfo(nil, info),
	}}}

	n := names(t, map[uint32]string{5000: "Set", 5002: "Busy", 5004: "Up", 5006: "Waiting", 5008: "Events/sec"})
	p := newProof()
	var before frame.Frame
	for _, sample := range []struct {
		clocks counter.Clocks
		values [2][6]uint64
	}{
		{counter.Clocks{PerfTime: 1000, PerfFreq: 100, Time100ns: 133500000000000000},
			[2][6]uint64{{500, 4000, 70, 9, 9000, 1000}, {600, 5000, 80, 10, 9100, 1000}}},
		{counter.Clocks{PerfTime: 1200, PerfFreq: 100, Time100ns: 133500000020000000},
			[2][6]uint64{{700, 4000, 90, 19, 10500, 1000}, {660, 5000, 85, 30, 11000, 1000}}},
	} {
		a := counterset.Answer{Form: counterset.FullSet, Counters: []uint32{1, 2, 3, 4, 5, 6}}
		for i, values := range sample.values {
			in := counterset.Instance{InstanceName: counterset.InstanceName{Name: string(rune('a' + i)), ID: uint32(i)}}
			for _, v := range values {
				in.Values = append(in.Values, counterset.Value{Size: 8, Bits: v})
			}
			a.Instances = append(a.Instances, in)
		}
		b, err := counterset.AppendData(nil, &counterset.Data{Clocks: sample.clocks, Answers: []counterset.Answer{a}})
		if err == nil {
			id := counterset.Identifier{Set: info.GUID, Counter: counterset.Any, Instance: "*"}
			b, err = counterset.AppendIdentifier(b, id)
		}
		if err != nil {
			t.Fatal(err)
		}
		raw := winperf.Raw{Format: winperf.FormatV2, Bytes: b, Schema: schema, Clocks: sample.clocks}
		f := decodedSample(t, raw.Sample(), before)
		p.add(t, f, n)
		before = f
	}
	if want := 2 + 4*2; p.compared != want {
		t.Errorf("%d values compared, want %d: %v", p.compared, want, p.types)
	}
}
