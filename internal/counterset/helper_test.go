package counterset_test

import (
	"fmt"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// processors is Processor Information, as far as tests need it.
var processors = winperf.GUID{0x21, 0xfc, 0xb4, 0xb4, 0x8a, 0x37, 0x6f, 0x47, 0x89, 0xba, 0xa5, 0xa7, 0x9f,
	0x81, 0x0b, 0x36}

// memory is a set without instances.
var memory = winperf.GUID{1, 2, 3}

const none = counterset.None

// ctr registers a counter without any references.
func ctr(id uint32, t counter.Type) counterset.CounterInfo {
	return counterset.CounterInfo{ID: id, Type: t, Detail: 100, Base: none, PerfTime: none, PerfFreq: none,
		Multi: none}
}

// processorInfo and memoryInfo are registrations.
func processorInfo() *counterset.Info {
	average := ctr(24, counter.AverageBulk)
	average.Base = 25
	return &counterset.Info{
		GUID: processors, Detail: 100, InstanceType: counterset.FlagMultiple,
		Counters: []counterset.CounterInfo{
			ctr(25, counter.AverageBase), // before the counter that needs it
			ctr(0, counter.TimerInv100NSec), ctr(3, counter.CounterCounter),
			ctr(17, counter.RawCount), average,
		},
	}
}

func memoryInfo() *counterset.Info {
	return &counterset.Info{
		GUID: memory, Detail: 100,
		Counters: []counterset.CounterInfo{ctr(1, counter.LargeRawCount), ctr(2, counter.RawCount)},
	}
}

// sets are the two, as a schema has them.
func sets(infos ...*counterset.Info) (all []winperf.CounterSet) {
	title := uint32(1000)
	for _, i := range infos {
		all = append(all, winperf.CounterSet{GUID: i.GUID, Title: title, Info: counterset.AppendInfo(nil, i)})
		title += 1000
	}
	return all
}

// ask makes an identifier for everything of a set.
func ask(guid winperf.GUID, instance string, i uint32) counterset.Identifier {
	return counterset.Identifier{Set: guid, Counter: counterset.Any, InstanceID: counterset.Any,
		Instance: instance, Index: i}
}

// sample puts data and identifiers together.
func sample(t testing.TB, d *counterset.Data, ids ...counterset.Identifier) []byte {
	t.Helper()
	b, err := counterset.AppendData(nil, d)
	for _, id := range ids {
		if err == nil {
			b, err = counterset.AppendIdentifier(b, id)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var clocks = counter.Clocks{PerfTime: 1_000, PerfFreq: 10_000_000, Time100ns: 133_000_000_000_000_000}

// v8 and v4 are values.
func v8(bits uint64) counterset.Value { return counterset.Value{Size: 8, Bits: bits} }
func v4(bits uint64) counterset.Value { return counterset.Value{Size: 4, Bits: bits} }

func inst(name string, id uint32, values ...counterset.Value) counterset.Instance {
	return counterset.Instance{InstanceName: counterset.InstanceName{Name: name, ID: id}, Values: values}
}

// twoSets is a sample of both sets.
func twoSets(t testing.TB) []byte {
	return sample(t, &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{
		{Form: counterset.MultipleCounters, Counters: []uint32{1, 2},
			Instances: []counterset.Instance{inst("", 0, v8(1<<40), v4(7))}},
		{Form: counterset.FullSet, Counters: []uint32{0, 3, 24, 25}, Instances: []counterset.Instance{
			inst("0,_Total", 1, v8(10), v4(20), v8(30), v4(40)),
			inst("0,0", 2, v8(11), v4(21), v8(31), v4(41)),
			inst("_Total", counterset.Any, v8(12), v4(22), v8(32), v4(42)),
		}},
	}}, ask(memory, "", 0), ask(processors, "*", 1))
}

// dump writes what an index holds, one line for each instance.
func dump(ix *index.Index) (lines []string) {
	for k := range ix.Objects {
		o := &ix.Objects[k]
		head := fmt.Sprintf("object %d of %d:", o.Title, o.NumInstances)
		for _, c := range ix.Counters[o.Counter0:o.CounterEnd] {
			head += fmt.Sprintf(" %d", c.ID)
		}
		lines = append(lines, head)
		for i := range int(o.InstanceEnd - o.Instance0) {
			in := &ix.Instances[int(o.Instance0)+i]
			line := fmt.Sprintf("  %q %d:", ix.AppendName(nil, in, 0), ix.Link(o, i).UniqueID)
			for c := range int(o.CounterEnd - o.Counter0) {
				if v, ok := ix.Value(k, i, c); ok {
					line += fmt.Sprintf(" %d", v)
				} else {
					line += " -"
				}
			}
			lines = append(lines, line)
		}
	}
	for _, err := range ix.Damage {
		lines = append(lines, "damage: "+err.Error())
	}
	return lines
}
