package counterset_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// decode decodes into a new index.
func decode(t testing.TB, b []byte, all []winperf.CounterSet) *index.Index {
	t.Helper()
	ix := new(index.Index)
	if err := counterset.Decode(b, all, ix, counterset.Options{}); err != nil {
		t.Fatal(err)
	}
	return ix
}

// contents compares what two indexes say, not what they keep.
var contents = cmp.Options{
	cmpopts.EquateEmpty(), cmpopts.IgnoreFields(index.Index{}, "Memo"),
	cmpopts.IgnoreUnexported(index.Index{}),
}

// TestIndex decodes a sample of two sets, laid out as Windows does, and looks at
// everything in the index: titles count on from those of the set, and all offsets
// point into the sample.
func TestIndex(t *testing.T) {
	b := twoSets(t)
	ix := decode(t, b, sets(memoryInfo(), processorInfo()))
	if &ix.Data[0] != &b[0] || len(ix.Data) != len(b) {
		t.Error("the index does not point into the sample itself")
	}
	ix.Data = nil

	var definitions [2][]byte
	for i := range ix.Objects {
		definitions[i], ix.Objects[i].Definitions = ix.Objects[i].Definitions, nil
	}
	if len(definitions[0]) == 0 || len(definitions[1]) == 0 {
		t.Error("an object has no definitions")
	}

	want := &index.Index{
		Clocks:  clocks,
		Default: -1,
		Objects: []index.Object{
			{
				Off: 48, Len: 64, Title: 1000, Help: 1001, Detail: 100, DefaultCounter: -1, NumInstances: -1,
				CounterEnd: 2, InstanceEnd: 1, GUID: memory, Link0: -1,
			},
			{
				Off: 112, Len: 312, Title: 2000, Help: 2001, Detail: 100, DefaultCounter: -1, NumInstances: 3,
				Counter0: 2, CounterEnd: 6, Instance0: 1, InstanceEnd: 4, GUID: processors,
			},
		},
		Counters: []index.Counter{
			{ID: 1, Title: 1002, Help: 1003, Detail: 100, Type: counter.LargeRawCount, Size: 8,
				Value: 8, Base: -1},
			{ID: 2, Title: 1004, Help: 1005, Detail: 100, Type: counter.RawCount, Size: 4,
				Value: 24, Base: -1},
			{ID: 0, Title: 2004, Help: 2005, Detail: 100, Type: counter.TimerInv100NSec, Size: 8,
				Value: 8, Base: -1},
			{ID: 3, Title: 2006, Help: 2007, Detail: 100, Type: counter.CounterCounter, Size: 4,
				Value: 24, Base: -1},
			{ID: 24, Title: 2010, Help: 2011, Detail: 100, Type: counter.AverageBulk, Size: 8,
				Value: 40, Base: 3},
			{ID: 25, Title: 2002, Help: 2003, Detail: 100, Type: counter.AverageBase, Size: 4,
				Value: 56, Base: -1},
		},
		Instances: []index.Instance{
			{Block: 80},
			{Off: 160, Block: 192, Name: index.Span{Off: 168, Len: 18}},
			{Off: 256, Block: 272, Name: index.Span{Off: 264, Len: 8}},
			{Off: 336, Block: 360, Name: index.Span{Off: 344, Len: 14}},
		},
		Links: []index.Link{{UniqueID: 1, Parent: -1}, {UniqueID: 2, Parent: -1}, {UniqueID: -1, Parent: -1}},
	}
	if diff := cmp.Diff(want, ix, contents); diff != "" {
		t.Error(diff)
	}
}

// TestMadeUpSet shows no GUID that a source made up of a title index.
func TestMadeUpSet(t *testing.T) {
	info := memoryInfo()
	const title = 0x01020304
	madeUp := winperf.GUID{12: 4, 13: 3, 14: 2, 15: 1}
	one := counterset.Answer{Form: counterset.SingleCounter,
		Instances: []counterset.Instance{inst("", 0, v8(5))}}
	data := &counterset.Data{Answers: []counterset.Answer{one}}
	for _, guid := range []winperf.GUID{madeUp, memory} {
		info.GUID = guid
		id := counterset.Identifier{Set: guid, Counter: 1}
		all := sets(info)
		all[0].Title = title
		ix := decode(t, sample(t, data, id), all)
		if got := winperf.GUID(ix.Objects[0].GUID); got.IsZero() != (guid != memory) {
			t.Errorf("set %v is shown as %v", guid, got)
		}
	}
}

// TestSizes takes a value's width from the answer, and where that has no value
// from the counter's type.
func TestSizes(t *testing.T) {
	info := &counterset.Info{GUID: memory, Counters: []counterset.CounterInfo{
		ctr(1, counter.LargeRawCount), ctr(2, counter.RawCount), ctr(3, counter.NoData),
		ctr(4, counter.CounterText),
	}}
	empty := counterset.Value{}
	answer := func(values ...counterset.Value) counterset.Answer {
		return counterset.Answer{
			Form: counterset.MultipleCounters, Counters: []uint32{1, 2, 3, 4},
			Instances: []counterset.Instance{inst("", 0, values...)},
		}
	}
	for _, c := range []struct {
		name   string
		answer counterset.Answer
		want   []uint32
	}{
		{"no instances", counterset.Answer{Status: counterset.GUIDNotFound}, []uint32{8, 4, 8, 8}},
		{"as registered", answer(v8(1), v4(2), v4(3), v8(4)), []uint32{8, 4, 4, 8}},
		{"otherwise", answer(v4(1), v8(2), v8(3), v4(4)), []uint32{4, 8, 8, 4}},
		{"no values", answer(empty, empty, empty, empty), []uint32{8, 4, 8, 8}},
	} {
		ix := decode(t, sample(t, &counterset.Data{Answers: []counterset.Answer{c.answer}},
			ask(memory, "", 0)),
			sets(info))
		var sizes []uint32
		for k, ctr := range ix.Counters {
			sizes = append(sizes, ctr.Size)
			if want := uint32(16*k + 8); ctr.Value != want {
				t.Errorf("%s: the value of counter %d is at %d, want %d", c.name, k, ctr.Value, want)
			}
			if (ctr.State == index.NoValue) != (k >= 2) {
				t.Errorf("%s: counter %d has state %d", c.name, k, ctr.State)
			}
		}
		if diff := cmp.Diff(c.want, sizes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// layoutCases are answers of Processor Information with counters 0, 3, 24 and 25
// and tell which can be read where they are.
var layoutCases = []struct {
	name      string
	instances []counterset.Instance
	copied    bool
}{
	{"usual widths", []counterset.Instance{inst("a", 1, v8(1), v4(2), v8(3), v4(4)),
		inst("b", 2, v8(5), v4(6), v8(7), v4(8))}, false},
	{"unusual widths", []counterset.Instance{inst("a", 1, v4(1), v8(2), v8(3), v8(4)),
		inst("b", 2, v4(5), v8(6), v8(7), v8(8))}, false},
	{"a width that differs", []counterset.Instance{inst("a", 1, v8(1), v4(2), v8(3), v4(4)),
		inst("b", 2, v8(5), v4(6), v8(7), v8(8))}, true},
	{"a value that is missing", []counterset.Instance{inst("a", 1, v8(1), v4(2), v8(3), v4(4)),
		inst("b", 2, v8(5), v4(6), counterset.Value{}, v4(8))}, true},
	{"first value missing", []counterset.Instance{inst("a", 1, counterset.Value{}, v4(2), v8(3), v4(4))},
		true},
}

// TestLayouts reads answers in the sample itself, as long as all values are
// where those of the first instance do, and others from a copy behind it. What is
// read is the same.
func TestLayouts(t *testing.T) {
	for _, c := range layoutCases {
		answer := counterset.Answer{Form: counterset.FullSet, Counters: []uint32{0, 3, 24, 25},
			Instances: c.instances}
		b := sample(t, &counterset.Data{Answers: []counterset.Answer{answer}}, ask(processors, "*", 0))
		ix := decode(t, b, sets(processorInfo()))
		if copied := len(ix.Data) > len(b); copied != c.copied || (&ix.Data[0] == &b[0]) == copied {
			t.Errorf("%s: copied %t, want %t", c.name, copied, c.copied)
		}
		for i, in := range c.instances {
			checkInstance(t, ix, i, in)
		}
	}
}

// checkInstance compares an instance of the first object with what it was made of.
func checkInstance(t *testing.T, ix *index.Index, i int, want counterset.Instance) {
	t.Helper()
	o, in := &ix.Objects[0], &ix.Instances[i]
	if name := string(ix.AppendName(nil, in, 0)); name != want.Name ||
		ix.Link(o, i) != (index.Link{UniqueID: int32(want.ID), Parent: -1}) {
		t.Errorf("instance %d is %q, link %+v, want %q %d", i, name, ix.Link(o, i), want.Name, want.ID)
	}
	for k, v := range want.Values {
		if bits, ok := ix.Value(0, i, k); ok != (v.Size != 0) || bits != v.Bits {
			t.Errorf("instance %d, counter %d: %d, %t, want %d", i, k, bits, ok, v.Bits)
		}
	}

	// A definition is header and name, wherever they are.
	definition, err := counterset.AppendInstance(nil, want.InstanceName)
	if got := string(ix.Data[in.Off : in.Name.Off+in.Name.Len]); err != nil ||
		!strings.HasPrefix(string(definition), got) ||
		len(got) != 8+2*len(want.Name)+2 {
		t.Errorf("instance %d has the definition %x, want %x without its padding", i, got, definition)
	}
}

// TestManyMissing marks values as missing beyond the first byte of the bit map.
func TestManyMissing(t *testing.T) {
	const n = 19
	info := &counterset.Info{GUID: memory, InstanceType: counterset.FlagMultiple}
	answer := counterset.Answer{Form: counterset.FullSet, Instances: make([]counterset.Instance, n)}
	for k := range uint32(n) {
		info.Counters = append(info.Counters, ctr(k, counter.LargeRawCount))
		answer.Counters = append(answer.Counters, k)
	}
	for i := range answer.Instances {
		in := inst(fmt.Sprint("instance ", i), uint32(i))
		for k := range n {
			in.Values = append(in.Values, v8(uint64(100*i+k)))
		}
		in.Values[i] = counterset.Value{}
		answer.Instances[i] = in
	}
	ix := decode(t, sample(t, &counterset.Data{Answers: []counterset.Answer{answer}}, ask(memory, "*", 0)),
		sets(info))
	for i, in := range answer.Instances {
		checkInstance(t, ix, i, in)
	}
}

// TestSurplus leaves alone what follows the values of an answer.
func TestSurplus(t *testing.T) {
	single := counterset.Answer{Form: counterset.SingleCounter,
		Instances: []counterset.Instance{inst("", 0, v8(5))}}
	b, err := counterset.AppendData(nil, &counterset.Data{Answers: []counterset.Answer{single}})
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, make([]byte, 48)...)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint32(b[56:], uint32(len(b)-48))
	b, _ = counterset.AppendIdentifier(b, counterset.Identifier{Set: memory, Counter: 1})
	ix := decode(t, b, sets(memoryInfo()))
	if v, ok := ix.Value(0, 0, 0); v != 5 || !ok || len(ix.Damage) > 0 || len(ix.Data) != len(b) {
		t.Errorf("value %d, %t, damage %v, %d bytes of %d", v, ok, ix.Damage, len(ix.Data), len(b))
	}
}

// raw puts 4-byte words, and text in UTF-16, one behind the other.
func raw(parts ...any) (b []byte) {
	for _, part := range parts {
		switch part := part.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(part))
		case string:
			b = append(b, u16(part)...)
		}
	}
	return b
}

// TestSmallest reads structures that are as small as they may be, without any
// padding, and none that are smaller.
func TestSmallest(t *testing.T) {
	header := func(answers int, body []byte) []byte {
		b := raw(48+len(body), answers, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		return append(b, body...)
	}
	const none = "\ndamage: implausible count at byte 68" + asked + "dwCounters is 0, want some"
	for _, c := range []struct {
		name string
		b    []byte
		id   counterset.Identifier
		want string
	}{
		{"no answers", header(0, nil), counterset.Identifier{}, ""},
		{"an error", header(1, raw(4200, 0, 16, 0)), ask(processors, "*", 0),
			"object 1000 of 0: 25 0 3 17 24"},
		{"no counters, no instances", header(1, raw(0, 6, 32, 0, 8, 0, 8, 0)), ask(processors, "*", 0),
			"object 1000 of 0: 25 0 3 17 24" + none},
		{"no counters, no values", header(1, raw(0, 2, 24, 0, 8, 0)), ask(processors, "", 0),
			"object 1000 of -1:\n  \"\" -1:" + none},
		{"a name that is only a NUL", header(1, raw(0, 6, 42, 0, 8, 0, 18, 1, 10, 7, "\x00")),
			ask(processors, "*", 0),
			"object 1000 of 1:\n  \"\" 7:" + none},
		{"an error with status 0", header(1, raw(0, 0, 16, 0)), ask(processors, "*", 0),
			"object 1000 of 0: 25 0 3 17 24\n" +
				"damage: unknown form of answer at byte 48" + asked +
				"dwType is 0, an error, but dwStatus is 0, which is no error"},
		{"an odd number of ids", header(1, raw(0, 6, 62, 0, 12, 1, 3, 34, 1, 10, 7, "\x00", 4, 16, 9, 0)),
			ask(processors, "*", 0),
			"object 1000 of 1: 3\n  \"\" 7: 9"},
		{"a value of size 0", header(1, raw(0, 4, 42, 0, 26, 1, 10, 7, "\x00", 0, 8)),
			counterset.Identifier{Set: processors, Counter: 3, Instance: "*"},
			"object 1000 of 1: 3\n  \"\" 7: -"},
		{"a value without room", header(1, raw(0, 4, 50, 0, 34, 1, 10, 7, "\x00", 4, 15, 9, 0)),
			counterset.Identifier{Set: processors, Counter: 3, Instance: "*"}, "object 1000 of 0: 3\n" +
				"damage: bad length at byte 86" + asked +
				"instance 0: PERF_COUNTER_DATA.dwSize is 15, want 16 to 16"},
		{"no room for the value's header", header(1, raw(0, 1, 24, 0, 4, 16)),
			counterset.Identifier{Set: processors, Counter: 3},
			"object 1000 of 0: 3\n" +
				"damage: bad length at byte 68" + asked + "PERF_COUNTER_DATA.dwSize is 16, want 16 to 8"},
		{"fewer values than counters", header(1, raw(0, 2, 48, 0, 16, 2, 3, 17, 4, 16, 9, 0)),
			ask(processors, "", 0),
			"object 1000 of 0: 3 17\n" +
				"damage: truncated at byte 96" + asked + "0 bytes are left, want a PERF_COUNTER_DATA of 8"},
		{"far fewer values than counters", header(1, raw(0, 2, 52, 0, 20, 3, 3, 17, 0, 4, 16, 9, 0)),
			ask(processors, "", 0),
			"damage: truncated at byte 84" + asked + "16 bytes are left, want a PERF_COUNTER_DATA of 24"},
	} {
		b, err := counterset.AppendIdentifier(c.b, c.id)
		if err != nil {
			t.Fatal(err)
		}
		if c.id == (counterset.Identifier{}) {
			b = c.b
		}
		ix := decode(t, b, sets(processorInfo()))
		if diff := cmp.Diff(c.want, strings.Join(dump(ix), "\n")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
