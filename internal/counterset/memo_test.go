package counterset_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/index"
)

// part is an answer and what was asked for it.
type part struct {
	id      counterset.Identifier
	answer  counterset.Answer
	damaged bool // to an unknown form
}

// memoryPart and processorPart answer with the counters given; values count up
// from 1.
func memoryPart(ids ...uint32) part {
	return part{id: ask(memory, "", 0), answer: answerOf(counterset.MultipleCounters, ids, inst("", 0))}
}

func processorPart(ids ...uint32) part {
	answer := answerOf(counterset.FullSet, ids, inst("a", 1), inst("b", 2))
	return part{id: ask(processors, "*", 0), answer: answer}
}

func answerOf(form counterset.Form, ids []uint32, instances ...counterset.Instance) counterset.Answer {
	v := uint64(0)
	for i := range instances {
		for range ids {
			v++
			instances[i].Values = append(instances[i].Values, v8(v))
		}
	}
	return counterset.Answer{Form: form, Counters: ids, Instances: instances}
}

// damaged gives an answer an unknown form.
func damaged(p part) part {
	p.damaged = true
	return p
}

// with changes one value of a processor.
func (p part) with(instance, value int, v counterset.Value) part {
	p.answer.Instances[instance].Values[value] = v
	return p
}

// empty answers with a status only.
func empty(p part, s counterset.Status) part {
	p.answer = counterset.Answer{Status: s}
	return p
}

// sampleOf puts parts together.
func sampleOf(t *testing.T, parts []part) []byte {
	t.Helper()
	var d counterset.Data
	var ids []counterset.Identifier
	for i, p := range parts {
		p.id.Index = uint32(i)
		ids, d.Answers = append(ids, p.id), append(d.Answers, p.answer)
	}
	b := sample(t, &d, ids...)
	at := 48
	for _, p := range parts {
		if p.damaged {
			b = patch(b, at+4, 3)
		}
		at += int(binary.LittleEndian.Uint32(b[at+8:]))
	}
	return b
}

// TestMemo decodes samples one after the other into one index, which keeps what
// the answers looked like, and compares with a new index for each.
func TestMemo(t *testing.T) {
	none := counterset.Value{}
	gone := empty(processorPart(), counterset.InstanceNotFound)
	never := empty(processorPart(), counterset.GUIDNotFound)
	registered, others := sets(memoryInfo(), processorInfo()), sets(processorInfo(), memoryInfo())
	for name, steps := range map[string][][]part{
		"counters that come and go": {
			{memoryPart(1), processorPart(0, 3)},
			{memoryPart(1, 2), processorPart(0, 3)},
			{memoryPart(2, 1), processorPart(3, 0)},
			{memoryPart(1), processorPart(0, 3)},
		},
		"an answer that cannot be read meanwhile": {
			{memoryPart(1), processorPart(0, 3), memoryPart(2)},
			{memoryPart(1, 2), damaged(processorPart(0, 3)), memoryPart(2)},
			{memoryPart(1), processorPart(0, 3), memoryPart(2)},
			{damaged(memoryPart(1)), processorPart(0, 3), memoryPart(2)},
			{memoryPart(1), processorPart(0, 3), memoryPart(2)},
		},
		"fewer and more answers": {
			{memoryPart(1), processorPart(0, 3), processorPart(17)},
			{memoryPart(1)},
			{},
			{memoryPart(1), processorPart(0, 3)},
			{memoryPart(1, 2)},
			{memoryPart(1, 2), processorPart(0, 3), processorPart(17)},
		},
		"widths that change": {
			{processorPart(0, 3), processorPart(0, 3, 17)},
			{processorPart(0, 3).with(1, 0, v4(9)), processorPart(0, 3, 17)},
			{processorPart(0, 3), processorPart(0, 3, 17)},
			{processorPart(0, 3).with(0, 1, none), processorPart(0, 3, 17)},
			{processorPart(0, 3).with(1, 1, v4(9)), processorPart(0, 3),
				processorPart(0, 3, 17).with(0, 0, none)},
		},
		"sets without instances now and then": {
			{memoryPart(1), gone, never},
			{memoryPart(1), processorPart(0, 3), never},
			{memoryPart(1), gone, processorPart(0, 3)},
			{memoryPart(1), never, gone},
		},
		"what was asked changes": {
			{processorPart(0), memoryPart(1)},
			{memoryPart(1), processorPart(0)},
			{damaged(memoryPart(1)), processorPart(0)},
			{memoryPart(1), damaged(processorPart(0))},
		},
	} {
		var warm index.Index
		for round, all := range [][]winperf.CounterSet{registered, others, nil, registered} {
			for i, step := range steps {
				checkWarm(t, fmt.Sprintf("%s, round %d, sample %d", name, round, i),
					sampleOf(t, step), all, &warm)
			}
		}
	}
}

// checkWarm decodes a sample into a new index and into one that served others
// before.
func checkWarm(t *testing.T, what string, b []byte, all []winperf.CounterSet, warm *index.Index) {
	t.Helper()
	cold := decode(t, b, all)
	if err := counterset.Decode(b, all, warm, counterset.Options{}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(dump(cold), dump(warm)); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
	if diff := cmp.Diff(cold.Counters, warm.Counters, contents); diff != "" {
		t.Errorf("%s: counters: %s", what, diff)
	}
	for i := range min(len(cold.Objects), len(warm.Objects)) {
		a, b := cold.Objects[i], warm.Objects[i]
		if diff := cmp.Diff(a, b, contents); diff != "" {
			t.Errorf("%s: object %d: %s", what, i, diff)
		}
	}
}

// TestTakenOver puts a mark on every counter of an index: it stays as long as all
// answers so far look as they did, whose counters are then not written again.
func TestTakenOver(t *testing.T) {
	whole := []part{memoryPart(1, 2), processorPart(0, 3)}
	narrow := processorPart(0, 3).with(0, 0, v4(1)).with(1, 0, v4(2))
	for _, c := range []struct {
		name        string
		before, now []part
		want        [2]bool // of each object: are the marks there
	}{
		{"nothing changed", whole, whole, [2]bool{true, true}},
		{"other values", whole, []part{memoryPart(1, 2), processorPart(0, 3).with(0, 0, v8(9))},
			[2]bool{true, true}},
		{"other counters", whole, []part{memoryPart(2, 1), processorPart(0, 3)}, [2]bool{false, false}},
		{"other counters in the second", whole, []part{memoryPart(1, 2), processorPart(3, 0)},
			[2]bool{true, false}},
		{"other widths in the second", whole, []part{memoryPart(1, 2), narrow}, [2]bool{true, false}},
		{"one more", whole[:1], whole, [2]bool{true, false}},
	} {
		all := sets(memoryInfo(), processorInfo())
		ix := decode(t, sampleOf(t, c.before), all)
		const mark = 77
		for k := range ix.Counters {
			ix.Counters[k].Scale = mark
		}
		if err := counterset.Decode(sampleOf(t, c.now), all, ix, counterset.Options{}); err != nil {
			t.Fatal(err)
		}
		for i, o := range ix.Objects {
			for _, ctr := range ix.Counters[o.Counter0:o.CounterEnd] {
				if (ctr.Scale == mark) != c.want[i] {
					t.Errorf("%s: object %d has a counter of scale %d, taken over: want %t", c.name, i,
						ctr.Scale, c.want[i])
				}
			}
		}
	}
}

// TestKnown shows when the instances of an object count as those of an earlier
// sample: the same number, order, names and ids, whatever their values, and
// however either sample is laid out.
func TestKnown(t *testing.T) {
	type instances = []counterset.Instance
	none := counterset.Value{}
	a, b, bb := inst("a", 1, v8(1), v4(2)), inst("b", 2, v8(3), v4(4)), inst("bb", 2, v8(3), v4(4))
	other, odd := inst("a", 1, v8(5), v4(6)), inst("b", 2, v8(3), none)
	id := inst("b", 3, v8(3), v4(4))
	for _, c := range []struct {
		name         string
		older, newer instances
		same         bool
	}{
		{"nothing changed", instances{a, b}, instances{a, b}, true},
		{"other values", instances{a, b}, instances{other, b}, true},
		{"a value went missing", instances{a, b}, instances{other, odd}, true},
		{"a missing value came", instances{a, odd}, instances{other, b}, true},
		{"another name", instances{a, b}, instances{a, bb}, false},
		{"another name, a value missing", instances{a, bb}, instances{a, odd}, false},
		{"another id", instances{a, b}, instances{a, id}, false},
		{"another order", instances{a, b}, instances{b, a}, false},
		{"one went", instances{a, b}, instances{a}, false},
		{"one went, a value missing", instances{odd, a}, instances{odd}, false},
		{"one came", instances{a}, instances{a, b}, false},
		{"one came, a value missing", instances{a}, instances{a, odd}, false},
		{"all went", instances{a}, instances{}, false},
		{"none before", instances{}, instances{a}, false},
		{"none then and now", instances{}, instances{}, true},
	} {
		samples := make([][]byte, 2)
		for i, in := range []instances{c.older, c.newer} {
			answer := counterset.Answer{Form: counterset.FullSet, Counters: []uint32{0, 3}, Instances: in}
			samples[i] = sample(t, &counterset.Data{Answers: []counterset.Answer{answer}},
				ask(processors, "*", 0))
		}
		checkSame(t, c.name, samples[0], samples[1], c.same)
	}
}

// TestKnownSingle compares sets without instances, and an instance that only the
// identifier names.
func TestKnownSingle(t *testing.T) {
	one := counterset.Answer{Form: counterset.SingleCounter,
		Instances: []counterset.Instance{inst("", 0, v8(5))}}
	named := func(name string, id uint32) counterset.Identifier {
		return counterset.Identifier{Set: processors, Counter: 0, Instance: name, InstanceID: id}
	}
	unnamed := counterset.Identifier{Set: processors, Counter: 0}
	for _, c := range []struct {
		name         string
		older, newer counterset.Identifier
		same         bool
	}{
		{"no instances", unnamed, unnamed, true},
		{"the same instance", named("a", 1), named("a", 1), true},
		{"another name", named("a", 1), named("b", 1), false},
		{"a longer name", named("a", 1), named("ab", 1), false},
		{"another id", named("a", 1), named("a", 2), false},
		{"a name came", unnamed, named("a", 1), false},
		{"the name went", named("a", 1), unnamed, false},
	} {
		data := &counterset.Data{Answers: []counterset.Answer{one}}
		checkSame(t, c.name, sample(t, data, c.older), sample(t, data, c.newer), c.same)
	}

	before := sample(t, &counterset.Data{Answers: []counterset.Answer{one}}, unnamed)
	list := answerOf(counterset.FullSet, []uint32{0}, inst("a", 1))
	now := sampleOf(t, []part{{id: ask(processors, "*", 0), answer: list}})
	checkSame(t, "a list of one came", before, now, false)

	// An instance may be all there is of it, up to the last byte.
	list = answerOf(counterset.FullSet, nil, inst("abc", 1))
	list.Status = counterset.InvalidRegInfo
	bare := sampleOf(t, []part{{id: ask(processors, "*", 0), answer: list}})
	checkSame(t, "no counters, no padding", bare, bare, true)
}

// TestKnownWarm decodes samples into an index that holds instances with shorter, longer and
// fewer names than those that are known, or than those that there are.
func TestKnownWarm(t *testing.T) {
	all := sets(processorInfo())
	var samples [][]byte
	for _, names := range [][]string{{"a", "b"}, {"ab", "abc"}, {"abc", "ab"}, {"", "a"}, {"abc"}, nil} {
		var instances []counterset.Instance
		for _, name := range names {
			instances = append(instances, inst(name, 1))
		}
		answer := answerOf(counterset.FullSet, []uint32{0, 3}, instances...)
		samples = append(samples, sampleOf(t, []part{{id: ask(processors, "*", 0), answer: answer}}))
	}

	for i, newer := range samples {
		want := decode(t, newer, all)
		for j, older := range samples {
			names := keep(decode(t, older, all))
			for k, held := range samples {
				ix := decode(t, held, all)
				names.changed = 0
				opt := counterset.Options{Known: names.known, Object: names.object}
				err := counterset.Decode(newer, all, ix, opt)
				if diff := cmp.Diff(want, ix, contents); err != nil || diff != "" || (names.changed == 0) != (i == j) {
					t.Errorf("sample %d, %d known, %d held: %d changed: %v, %s", i, j, k, names.changed, err, diff)
				}
			}
		}
	}
}

// checkSame decodes a sample with the instances of an older one known: whether
// they are the same is told, and what is read does not depend on it.
func checkSame(t *testing.T, what string, older, newer []byte, same bool) {
	t.Helper()
	all := sets(processorInfo())
	before := decode(t, older, all)
	calls := 0
	opt := counterset.Options{
		Known: func(k int, title, codePage uint32) *index.Names {
			if k != 0 || title != 1000 || codePage != 0 {
				t.Errorf("%s: asked for object %d of title %d", what, k, title)
			}
			return namesOf(before, k)
		},
		Object: func(k int, got bool) {
			calls++
			if k != 0 || got != same {
				t.Errorf("%s: object %d has the same instances: %t, want %t", what, k, got, same)
			}
		},
	}
	var ix index.Index
	if err := counterset.Decode(newer, all, &ix, opt); err != nil || calls != 1 {
		t.Errorf("%s: %d calls, error %v", what, calls, err)
	}
	if diff := cmp.Diff(decode(t, newer, all), &ix, contents); diff != "" {
		t.Errorf("%s: known instances give another index: %s", what, diff)
	}
}

// TestKnownCut ends an answer at every byte, with all lengths above it right, and
// decodes it with its whole instances known: that they are known does not make
// more of them than what is there.
func TestKnownCut(t *testing.T) {
	all := sets(processorInfo())
	whole := sampleOf(t, []part{processorPart(0, 3)})
	names := keep(decode(t, whole, all))
	total := int(binary.LittleEndian.Uint32(whole))
	for n := 88; n < total; n++ {
		// The answer is at 48, its list of instances at 80.
		b := patch(patch(patch(whole[:n], 0, uint32(n)), 56, uint32(n-48)), 80, uint32(n-80))
		b = append(b, whole[total:]...)
		var ix index.Index
		err := counterset.Decode(b, all, &ix, counterset.Options{
			Known: names.known,
			Object: func(_ int, same bool) {
				if same {
					t.Errorf("cut to %d bytes: all instances are said to be there", n)
				}
			},
		})
		if diff := cmp.Diff(decode(t, b, all), &ix, contents); err != nil || diff != "" {
			t.Fatalf("cut to %d bytes: error %v, %s", n, err, diff)
		}
	}
}
