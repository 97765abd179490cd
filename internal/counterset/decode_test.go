package counterset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// decodeCases are samples, made from structures, and what is to be read of them.
var decodeCases = []struct {
	name    string
	answers []counterset.Answer
	ids     []counterset.Identifier
	want    string
}{
	{
		name: "one counter, one instance",
		answers: []counterset.Answer{
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(5))}},
		},
		ids:  []counterset.Identifier{{Set: memory, Counter: 1, InstanceID: counterset.Any}},
		want: "object 1000 of -1: 1\n  \"\" -1: 5",
	},
	{
		name: "the instance that was asked for",
		answers: []counterset.Answer{
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(5))}},
		},
		ids:  []counterset.Identifier{{Set: processors, Counter: 0, InstanceID: 9, Instance: "_Total"}},
		want: "object 2000 of 1: 0\n  \"_Total\" 9: 5",
	},
	{
		name: "one counter of several instances",
		answers: []counterset.Answer{
			{Form: counterset.MultipleInstances,
				Instances: []counterset.Instance{inst("a", 1, v4(5)), inst("a", 2, v4(6))}},
		},
		ids: []counterset.Identifier{{Set: processors, Counter: 3, InstanceID: counterset.Any,
			Instance: "*"}},
		want: "object 2000 of 2: 3\n  \"a\" 1: 5\n  \"a\" 2: 6",
	},
	{
		name: "no instances now, and none ever",
		answers: []counterset.Answer{
			{Form: counterset.FullSet, Counters: []uint32{0, 3}},
			{Status: counterset.InstanceNotFound},
			{Status: counterset.GUIDNotFound},
		},
		ids:  []counterset.Identifier{ask(processors, "*", 0), ask(processors, "*", 1), ask(memory, "", 2)},
		want: "object 2000 of 0: 25 0 3 17 24\nobject 2000 of 0:\nobject 1000 of -1: 1 2",
	},
	{
		name: "an answer that is an error, and one with values all the same",
		answers: []counterset.Answer{
			{Status: counterset.AccessDenied},
			{Status: counterset.InvalidRegInfo, Form: counterset.MultipleCounters, Counters: []uint32{2},
				Instances: []counterset.Instance{inst("", 0, v4(7))}},
		},
		ids: []counterset.Identifier{ask(processors, "*", 0), ask(memory, "", 1)},
		want: "object 2000 of 0: 25 0 3 17 24\nobject 1000 of -1: 2\n  \"\" -1: 7\n" +
			"damage: counter set {b4b4fc21-378a-476f-89ba-a5a79f810b36}: access denied " +
			"(ERROR_ACCESS_DENIED, 5)\n" +
			"damage: counter set {00030201-0000-0000-0000-000000000000}: the provider contradicts its " +
			"registration (ERROR_WMI_INVALID_REGINFO, 4211)",
	},
	{
		name:    "refused identifiers",
		answers: nil,
		ids: []counterset.Identifier{
			{Set: processors, Status: counterset.GUIDNotFound, Counter: counterset.Any},
			{Set: memory, Status: counterset.AccessDenied, Counter: counterset.Any},
		},
		want: "object 2000 of 0: 25 0 3 17 24\nobject 1000 of -1: 1 2\n" +
			"damage: counter set {00030201-0000-0000-0000-000000000000}: access denied " +
			"(ERROR_ACCESS_DENIED, 5)",
	},
	{
		name: "answers in another order than identifiers",
		answers: []counterset.Answer{
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(5))}},
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v4(6))}},
		},
		ids: []counterset.Identifier{
			{Set: memory, Counter: 2, Index: 1}, {Set: memory, Counter: 1, Index: 0},
		},
		want: "object 1000 of -1: 1\n  \"\" -1: 5\nobject 1000 of -1: 2\n  \"\" -1: 6",
	},
	{
		name: "values of another size in one instance",
		answers: []counterset.Answer{
			{Form: counterset.FullSet, Counters: []uint32{0, 3}, Instances: []counterset.Instance{
				inst("a", 1, v8(5), v4(6)), inst("b", 2, v4(7), v8(1<<33)),
				inst("c", 3, v8(9), counterset.Value{}),
			}},
		},
		ids:  []counterset.Identifier{ask(processors, "*", 0)},
		want: "object 2000 of 3: 0 3\n  \"a\" 1: 5 6\n  \"b\" 2: 7 8589934592\n  \"c\" 3: 9 -",
	},
	{
		name: "a wider value than the first",
		answers: []counterset.Answer{
			{Form: counterset.FullSet, Counters: []uint32{3}, Instances: []counterset.Instance{
				inst("a", 1, v4(5)), inst("b", 2, v8(1<<33)),
			}},
		},
		ids:  []counterset.Identifier{ask(processors, "*", 0)},
		want: "object 2000 of 2: 3\n  \"a\" 1: 5\n  \"b\" 2: 8589934592",
	},
	{
		name: "a set without instances that lacks a value",
		answers: []counterset.Answer{
			{Form: counterset.MultipleCounters, Counters: []uint32{1, 2},
				Instances: []counterset.Instance{inst("", 0, counterset.Value{}, v4(6))}},
		},
		ids:  []counterset.Identifier{ask(memory, "", 0)},
		want: "object 1000 of -1: 1 2\n  \"\" -1: - 6",
	},
	{
		name: "counters that are not registered, or twice",
		answers: []counterset.Answer{
			{Form: counterset.MultipleCounters, Counters: []uint32{77, 2, 2},
				Instances: []counterset.Instance{inst("", 0, v8(5), v4(6), v4(7))}},
		},
		ids:  []counterset.Identifier{ask(memory, "", 0)},
		want: "object 1000 of -1: 2\n  \"\" -1: 6",
	},
	{
		name: "a counter without its base",
		answers: []counterset.Answer{
			{Form: counterset.MultipleInstances, Instances: []counterset.Instance{inst("a", 1, v8(5))}},
		},
		ids: []counterset.Identifier{{Set: processors, Counter: 24, InstanceID: counterset.Any,
			Instance: "*"}},
		want: "object 2000 of 1: 24\n  \"a\" 1: 5\n" +
			"damage: missing counter at byte 0: counter set {b4b4fc21-378a-476f-89ba-a5a79f810b36}: " +
			"counter 24 needs counter 25, which is not there",
	},
	{
		name: "a set that nobody knows, and an answer that nobody asked for",
		answers: []counterset.Answer{
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(5))}},
			{Form: counterset.SingleCounter, Instances: []counterset.Instance{inst("", 0, v8(6))}},
		},
		ids: []counterset.Identifier{ask(winperf.GUID{9}, "", 0)},
		want: "damage: unknown counter set at byte 48: counter set {00000009-0000-0000-0000-000000000000}: " +
			"registration information names 0 counters, want some\n" +
			"damage: unknown counter set at byte 80: no identifier has index 1",
	},
}

func TestDecode(t *testing.T) {
	all := sets(memoryInfo(), processorInfo())
	var warm index.Index
	for _, c := range decodeCases {
		b := sample(t, &counterset.Data{Clocks: clocks, Answers: c.answers}, c.ids...)
		var cold index.Index
		for _, ix := range []*index.Index{&cold, &warm, &cold} {
			if err := counterset.Decode(b, all, ix, counterset.Options{}); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if diff := cmp.Diff(c.want, strings.Join(dump(ix), "\n")); diff != "" {
				t.Errorf("%s: %s", c.name, diff)
			}
			if ix.Clocks != clocks {
				t.Errorf("%s: clocks %+v", c.name, ix.Clocks)
			}
		}
	}
}

// TestMachine finds the machine's name among the identifiers.
func TestMachine(t *testing.T) {
	b := sample(t, &counterset.Data{Clocks: clocks}, counterset.Identifier{Instance: "HOST"})
	var ix index.Index
	if err := counterset.Decode(b, nil, &ix, counterset.Options{}); err != nil ||
		ix.MachineName() != "HOST" || len(ix.Objects) != 0 {
		t.Errorf("machine %q, %d objects, error %v", ix.MachineName(), len(ix.Objects), err)
	}
}

// TestReferences links counters with bases, components and clocks wherever they
// are.
func TestReferences(t *testing.T) {
	multi := ctr(1, counter.MultiTimer100NSec)
	multi.Multi = 4
	queue := ctr(2, counter.ObjTimeQueueLen)
	queue.PerfTime, queue.PerfFreq = 5, 6
	precise := ctr(3, counter.PrecisionObjectTimer)
	precise.PerfTime = 5
	info := &counterset.Info{GUID: memory, Counters: []counterset.CounterInfo{
		multi, queue, precise, ctr(4, counter.RawCount), ctr(5, counter.LargeRawCount),
		ctr(6, counter.LargeRawCount), ctr(7, counter.ElapsedTime),
	}}
	b := sample(t, &counterset.Data{Clocks: clocks, Answers: []counterset.Answer{{
		Form: counterset.MultipleCounters, Counters: []uint32{5, 1, 2, 3, 4, 6, 7},
		Instances: []counterset.Instance{inst("", 0, v8(50), v8(10), v8(20), v8(30), v4(40), v8(60), v8(70))},
	}}}, ask(memory, "", 0))
	var ix index.Index
	if err := counterset.Decode(b, sets(info), &ix, counterset.Options{}); err != nil {
		t.Fatal(err)
	}
	got := map[uint32][3]int32{}
	for _, c := range ix.Counters {
		got[c.ID] = [3]int32{c.Base, c.Time, c.Freq}
	}
	want := map[uint32][3]int32{
		1: {4, 0, 0}, 2: {-1, 1, 6}, 3: {0, 0, 0}, 4: {-1, 0, 0}, 5: {-1, 0, 0}, 6: {-1, 0, 0}, 7: {-1, 0, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(ix.Damage) != 1 || !strings.Contains(ix.Damage[0].Error(),
		"counter 7 of type 0x30240500 has no PerfTimeId") {
		t.Errorf("damage %v", ix.Damage)
	}
}

// patch changes 4 bytes of a sample.
func patch(b []byte, at int, v uint32) []byte {
	b = bytes.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// TestDamage breaks every structure of a sample of two sets: what is whole is
// served, and the error says where. ParseData finds the same, without the set.
func TestDamage(t *testing.T) {
	// Header 0, answer of memory 48 (ids 64, values 80 and 96), answer of
	// processors 112 (ids 128, list 152, instances 160, 256 and 336), identifiers
	// 424 and 464 to 512.
	good := twoSets(t)
	const (
		first    = "object 1000 of -1: 1 2\n  \"\" -1: 1099511627776 7"
		second   = first + "\nobject 2000 of 1: 0 3 24 25\n  \"0,_Total\" 1: 10 20 30 40"
		nobody   = "unknown counter set at byte 48: no identifier has index 0"
		cutTotal = "bad length at byte 0: dwTotalSize is 424, want 48 to "
	)
	for _, c := range []struct {
		name   string
		b      []byte
		err    string // of Decode
		read   string
		damage string
	}{
		{"no header", good[:47], "truncated at byte 0: 47 bytes, want a header of 48", "", ""},
		{"total too small", patch(good, 0, 47),
			"bad length at byte 0: dwTotalSize is 47, want 48 to 512", "", ""},
		{"total too large", patch(good[:424], 0, 9999),
			"bad length at byte 0: dwTotalSize is 9999, want 48 to 424", "",
			nobody + "\nunknown counter set at byte 112: no identifier has index 1"},
		{"cut behind the header", good[:48], cutTotal + "48", "", ""},
		{"cut behind an answer", good[:112], cutTotal + "112", "", nobody},
		{"cut in an answer", good[:300], cutTotal + "300", "", nobody},
		{"more answers than room", patch(good, 4, 24),
			"implausible count at byte 4: dwNumCounters is 24, room is for 23", "", ""},
		{"one answer too many", patch(good, 4, 3),
			"truncated at byte 424: 0 bytes are left, want a PERF_COUNTER_HEADER of 16", dumpTwoSets, ""},
		{"answer too short", patch(good, 56, 15),
			"bad length at byte 56: PERF_COUNTER_HEADER.dwSize is 15, want 16 to 376", "", ""},
		{"answer too long", patch(good, 120, 313),
			"bad length at byte 120: PERF_COUNTER_HEADER.dwSize is 313, want 16 to 312", first, ""},
		{"unknown form", patch(good, 116, 5), "", first, "unknown form of answer at byte 116" + asked +
			"dwType is 5, want 0, 1, 2, 4 or 6"},
		{"no room for ids", patch(good, 120, 23), "", first, "truncated at byte 128" + asked +
			"7 bytes are left, want a PERF_MULTI_COUNTERS of 8"},
		{"ids too short", patch(good, 128, 7), "", first, "bad length at byte 128" + asked +
			"PERF_MULTI_COUNTERS.dwSize is 7, want 8 to 296"},
		{"ids too long", patch(good, 128, 297), "", first, "bad length at byte 128" + asked +
			"PERF_MULTI_COUNTERS.dwSize is 297, want 8 to 296"},
		{"too many ids", patch(good, 132, 5), "", first, "implausible count at byte 132" + asked +
			"dwCounters is 5, room is for 4"},
		{"no room for a list", patch(good, 128, 289), "", first, "truncated at byte 417" + asked +
			"7 bytes are left, want a PERF_MULTI_INSTANCES of 8"},
		{"list too short", patch(good, 152, 7), "", first, "bad length at byte 152" + asked +
			"PERF_MULTI_INSTANCES.dwTotalSize is 7, want 8 to 272"},
		{"list too long", patch(good, 152, 273), "", first, "bad length at byte 152" + asked +
			"PERF_MULTI_INSTANCES.dwTotalSize is 273, want 8 to 272"},
		{"too many instances", patch(good, 156, 27), "", first, "implausible count at byte 156" + asked +
			"dwInstances is 27, room is for 26"},
		{"one instance too many", patch(good, 156, 4), "", dumpTwoSets,
			"truncated at byte 424" + asked +
				"instance 3: 0 bytes are left, want a PERF_INSTANCE_HEADER of 8"},
		{"no room for values", patch(patch(good, 152, 39), 156, 1), "", first,
			"truncated at byte 160" + asked + "31 bytes are left, want a PERF_COUNTER_DATA of 32"},
		{"instance too short", patch(good, 160, 7), "", first + "\nobject 2000 of 0: 0 3 24 25",
			"bad length at byte 160" + asked + "instance 0: PERF_INSTANCE_HEADER.Size is 7, want 8 to 264"},
		{"instance without a name", patch(good, 160, 8), "", first + "\nobject 2000 of 0: 0 3 24 25",
			"bad text at byte 168" + asked + "instance 0: no NUL within the name's 0 bytes"},
		{"instance too long", patch(good, 256, 169), "", second,
			"bad length at byte 256" + asked + "instance 1: PERF_INSTANCE_HEADER.Size is 169, want 8 to 168"},
		{"name without end", patch(good, 256, 14), "", second, "bad text at byte 264" + asked +
			"instance 1: no NUL within the name's 6 bytes"},
		{"value too short", patch(good, 276, 15), "", second,
			"bad length at byte 276" + asked + "instance 1: PERF_COUNTER_DATA.dwSize is 15, want 16 to 152"},
		{"value too long", patch(good, 276, 153), "", second,
			"bad length at byte 276" + asked + "instance 1: PERF_COUNTER_DATA.dwSize is 153, want 16 to 152"},
		{"no room for a value", patch(good, 152, 271), "", strings.Replace(second, "of 1:", "of 2:", 1) +
			"\n  \"0,0\" 2: 11 21 31 41",
			"bad length at byte 412" + asked + "instance 2: PERF_COUNTER_DATA.dwSize is 16, want 16 to 15"},
		{"value of no size", patch(good, 272, 3), "", strings.Replace(dumpTwoSets, " 2: 11", " 2: -", 1), ""},
		{"value larger than its room", patch(good, 272, 9), "", second, "bad length at byte 272" + asked +
			"instance 1: dwDataSize is 9, room is for 8"},
	} {
		var ix index.Index
		err := counterset.Decode(c.b, sets(memoryInfo(), processorInfo()), &ix, counterset.Options{})
		if text := fmt.Sprint(err); err != nil && text != c.err || (err == nil) != (c.err == "") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		}
		if err != nil && !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("%s: %v does not wrap ErrBadData", c.name, err)
		}

		var damage strings.Builder
		for _, d := range ix.Damage {
			fmt.Fprintln(&damage, d)
		}
		if diff := cmp.Diff(c.damage, strings.TrimSuffix(damage.String(), "\n")); diff != "" {
			t.Errorf("%s: damage: %s", c.name, diff)
		}
		ix.Damage = nil
		if diff := cmp.Diff(c.read, strings.Join(dump(&ix), "\n")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}

		// Taken apart, the same is found, but for what needs the identifiers.
		_, found, err2 := counterset.ParseData(c.b)
		if fmt.Sprint(err2) != fmt.Sprint(err) {
			t.Errorf("%s: ParseData says %v, Decode %v", c.name, err2, err)
		}
		want := strings.ReplaceAll(c.damage, asked, ": ")
		switch {
		case strings.Contains(want, "no identifier"):
			want = ""
		case c.name == "no room for values": // ParseData starts with the instance
			want = "bad length at byte 160: instance 0: PERF_INSTANCE_HEADER.Size is 32, want 8 to 31"
		}
		damage.Reset()
		for _, d := range found {
			fmt.Fprintln(&damage, d)
		}
		if diff := cmp.Diff(want, strings.TrimSuffix(damage.String(), "\n")); diff != "" {
			t.Errorf("%s: ParseData: %s", c.name, diff)
		}
	}
}

// asked is how an error names the set processors behind its place.
const asked = ": counter set {b4b4fc21-378a-476f-89ba-a5a79f810b36}: "

// dumpTwoSets is what dump makes of twoSets.
const dumpTwoSets = `object 1000 of -1: 1 2
  "" -1: 1099511627776 7
object 2000 of 3: 0 3 24 25
  "0,_Total" 1: 10 20 30 40
  "0,0" 2: 11 21 31 41
  "_Total" -1: 12 22 32 42`

// TestMoreDamage counts what does not fit the list.
func TestMoreDamage(t *testing.T) {
	info := &counterset.Info{GUID: memory}
	lonely := counterset.Answer{Form: counterset.MultipleCounters,
		Instances: []counterset.Instance{inst("", 0)}}
	var refused counterset.Data
	var ids []counterset.Identifier
	for k := range uint32(150) {
		c := ctr(k, counter.AverageBulk)
		c.Base = 1000
		info.Counters, lonely.Counters = append(info.Counters, c), append(lonely.Counters, k)
		lonely.Instances[0].Values = append(lonely.Instances[0].Values, v8(1))
		refused.Answers = append(refused.Answers, counterset.Answer{Status: counterset.AccessDenied})
		ids = append(ids, ask(memory, "", k))
	}
	bases := &counterset.Data{Answers: []counterset.Answer{lonely}}
	for name, b := range map[string][]byte{
		"bases":   sample(t, bases, ids[0]),
		"answers": sample(t, &refused, ids...),
	} {
		if ix := decode(t, b, sets(info)); len(ix.Damage) != 100 || ix.MoreDamage != 50 {
			t.Errorf("%s: %d findings and %d more, want 100 and 50", name, len(ix.Damage), ix.MoreDamage)
		}
	}
}

// TestWarm decodes the same and changing samples without allocating.
func TestWarm(t *testing.T) {
	all := sets(memoryInfo(), processorInfo())
	b := twoSets(t)
	var ix index.Index
	decode := func() {
		if err := counterset.Decode(b, all, &ix, counterset.Options{}); err != nil || len(ix.Damage) > 0 {
			t.Fatal(err, ix.Damage)
		}
	}
	decode()
	want := dump(&ix)
	if n := testing.AllocsPerRun(100, decode); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if diff := cmp.Diff(want, dump(&ix)); diff != "" {
		t.Error(diff)
	}
}
