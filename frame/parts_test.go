package frame_test

import (
	"errors"
	"fmt"
	"strings"
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

// Each object of a frame of several parts is cooked with the clocks of its own part,
// also where it was in another part before.
func TestParts(t *testing.T) {
	var pool frame.Pool
	first, second, third := twoSample(t, &pool, at0, 0, 0), twoSample(t, &pool, at1, 100, 100), twoSample(t, &pool, at2, 400, 400)
	object := func(f frame.Frame, title uint32) frame.Object {
		o, ok := f.Find(winperf.ObjectID{Index: title})
		if !ok {
			t.Fatalf("no object %d", title)
		}
		return o
	}
	var joined frame.Pool
	prev := join(t, &joined, frame.Frame{}, piece{second, []uint32{230}}, piece{first, []uint32{2}})
	cur := join(t, &joined, prev, piece{third, []uint32{230}}, piece{third, []uint32{2}})
	if prev.NumObjects() != 2 || prev.Object(1).ID().Index != 2 || prev.Object(1).Position() != 1 || object(prev, 230).Position() != 0 {
		t.Error("the objects are in another order")
	}
	if prev.Time() != second.Time() || prev.Machine() != "HOST" {
		t.Errorf("head: %v %q", prev.Time(), prev.Machine())
	}
	if a, b := prev.Object(0).Clocks(), prev.Object(1).Clocks(); a.PerfTime != 1200 || b.PerfTime != 1000 {
		t.Errorf("clocks %+v, %+v", a, b)
	}
	var ck frame.Cooker
	must(t, ck.Set(prev, cur, counter.Options{}))
	want := []string{"230(a)12=150", "230(b)12=0", "230(a)14=1", "230(b)14=2", "2()10=100"} // 300 in 2 s, 400 in 4 s
	if diff := cmp.Diff(want, values(&ck, cur)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}

	if err := prev.Keep(); err != nil {
		t.Fatal(err)
	}
	again := join(t, &joined, cur, piece{third, []uint32{2}}, piece{second, []uint32{230}})
	must(t, ck.Set(prev, again, counter.Options{}))
	want = []string{"2()10=100", "230(a)12=invalid_data", "230(b)12=invalid_data", "230(a)14=1", "230(b)14=2"} // the very same sample
	if diff := cmp.Diff(want, values(&ck, again)); diff != "" {
		t.Errorf("one part again (-want +got):\n%s", diff)
	}
}

// A frame that is kept keeps the blocks of all its parts, and those that they are compared with.
func TestPartsAreKept(t *testing.T) {
	var pool frame.Pool
	sample := func(head string, n int) *winperf.Block {
		raw := block(t, head+fmt.Sprintf(twoObjects, n, n))
		return winperf.Raw{Format: winperf.FormatV1, Bytes: raw}.Block()
	}
	one, older, newer := sample(at0, 1), sample(at0, 2), sample(at1, 3)
	decode := func(beside *winperf.Block, before frame.Frame) frame.Frame {
		f, err := pool.Decode(&winperf.Sample{Parts: []winperf.Part{{Block: one}, {Block: beside, Independent: true}}}, before)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := decode(newer, decode(older, frame.Frame{}))
	if err := f.Keep(); err != nil || !one.Kept() || !newer.Kept() || !older.Kept() {
		t.Errorf("kept: %v, %v, %v; %v", one.Kept(), newer.Kept(), older.Kept(), err)
	}
}

// A part that is missing or damaged costs itself.
func TestPartsDamaged(t *testing.T) {
	var pool frame.Pool
	good := winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, at0+fmt.Sprintf(twoObjects, 1, 1))}
	bad := winperf.Raw{Format: winperf.FormatV1, Bytes: []byte("no block")}
	missing := errors.New("no answer")
	s := winperf.Sample{Parts: []winperf.Part{
		{Name: "pdh", Err: missing}, {Block: bad.Block()}, {Name: "registry", Block: good.Block()},
	}}
	f, err := pool.Decode(&s, frame.Frame{})
	if err != nil || f.NumObjects() != 2 || f.Machine() != "HOST" {
		t.Fatal(err, f.NumObjects())
	}
	if d := f.Damage(); len(d) != 2 || !errors.Is(d[0], missing) || !errors.Is(d[1], winperf.ErrBadData) {
		t.Errorf("damage %v", d)
	} else if d[0].Error() != "pdh: no answer" || strings.HasPrefix(d[1].Error(), ":") {
		t.Errorf("parts are called %q, %q", d[0], d[1])
	}
	s.Parts = s.Parts[:2]
	if _, err := pool.Decode(&s, frame.Frame{}); !errors.Is(err, missing) || !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("nothing to be read: %v", err)
	}
}

// A sample with a part that is missing can be read where another part can that was
// collected with it, and not only an independent part.
func TestReadable(t *testing.T) {
	good := winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, at0+fmt.Sprintf(twoObjects, 1, 1))}
	missing := errors.New("no answer")
	for parts, readable := range map[string]bool{
		"there": true, "missing": false, "beside": true,
		"there missing": true, "missing there": true, "beside missing": false, "missing beside": false,
		"missing missing beside": false, "missing beside there": true,
	} {
		var s winperf.Sample
		for _, word := range strings.Fields(parts) {
			part := winperf.Part{Err: missing}
			if word != "missing" {
				part = winperf.Part{Block: good.Block(), Independent: word == "beside"}
			}
			s.Parts = append(s.Parts, part)
		}
		var pool frame.Pool
		f, err := pool.Decode(&s, frame.Frame{})
		if (err == nil) != readable || f.IsZero() == readable {
			t.Errorf("%s: %v", parts, err)
		}
		if readable && !f.Complete() { // the missing part is not independent
			t.Errorf("%s: not complete", parts)
		}
	}
}

// A block that several samples hold is decoded once, and labels go on from wherever
// the objects were before.
func TestDecodedOnce(t *testing.T) {
	var pool, other frame.Pool
	a, b := twoSample(t, &pool, at0, 1, 1), twoSample(t, &pool, at1, 2, 2)
	before := join(t, &pool, b, piece{b, []uint32{230}}, piece{a, []uint32{2}})
	f := take(t, &pool, blockOf(b).Bytes, before)
	if f.Object(0).Labels() != a.Object(0).Labels() || f.Object(1).Labels() != b.Object(1).Labels() {
		t.Error("new labels")
	}
	again := join(t, &other, frame.Frame{}, piece{Frame: f})
	if again.Object(1).Labels() != f.Object(1).Labels() || again.NumObjects() != 2 {
		t.Error("decoded again")
	}
}

// TestBeforeOfAnotherFormat decodes a sample behind one of the other format, as a
// record of two measurements has them: nothing is shared.
func TestBeforeOfAnotherFormat(t *testing.T) {
	var pool frame.Pool
	const text = "object 5000\n counter 2 PERF_COUNTER_BULK_COUNT\n instance \"z\" : 1\n"
	block := block(t, at0+text)
	set := takeSetIn(t, &pool, setOf(t), frame.Frame{}, counter.Clocks{}, setCounters, setInstance{name: "z"})
	keep(t, set)
	v1 := take(t, &pool, block, set)
	again := takeSetIn(t, &pool, setOf(t), v1, counter.Clocks{}, setCounters, setInstance{name: "z"})
	for n, f := range []frame.Frame{set, v1, again} {
		if l := f.Object(0).Labels(); f.NumObjects() != 1 || l.Len() != 1 || l.Name(0) != "z" {
			t.Errorf("sample %d has %d objects, the first one with %d instances", n, f.NumObjects(), l.Len())
		}
	}
	if set.Object(0).Labels() == v1.Object(0).Labels() || v1.Object(0).Labels() == again.Object(0).Labels() {
		t.Error("samples of two formats have the same labels")
	}
}

func TestPartsAllocateNothing(t *testing.T) {
	var pool frame.Pool
	f := take(t, &pool, perftest.Block(perftest.Desktop), frame.Frame{})
	s := winperf.Sample{Parts: []winperf.Part{{Block: blockOf(f)}}}
	run := func() {
		if _, err := pool.Decode(&s, f); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		run()
	}
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What is sampled independently is cooked against its last other block, however
// often it is given again, and its damage is told once.
func TestPartBeside(t *testing.T) {
	var pool frame.Pool
	sample := func(head string, a, b int) *winperf.Block {
		text := block(t, head+fmt.Sprintf(twoObjects, a, b))
		return winperf.Raw{Format: winperf.FormatV1, Bytes: text}.Block()
	}
	others := []*winperf.Block{sample(at0, 0, 0), sample(at1, 100, 0), sample(at2, 400, 0), sample(at2, 400, 0)}
	beside := []*winperf.Block{sample(at0, 0, 0), sample(at1, 0, 100), sample(at2, 0, 400)}
	only := func(title uint32) []winperf.ObjectID { return []winperf.ObjectID{{Index: title}} }
	var ck frame.Cooker
	var before frame.Frame
	for n, tt := range []struct {
		other, beside int // -1: none yet
		want          string
	}{
		{0, -1, "[2()10=no_previous]"},
		{1, 0, "[2()10=50 230(a)12=no_previous 230(b)12=no_previous 230(a)14=1 230(b)14=2]"},
		{2, 1, "[2()10=150 230(a)12=50 230(b)12=0 230(a)14=1 230(b)14=2]"},
		{3, 1, "[2()10=invalid_data 230(a)12=50 230(b)12=0 230(a)14=1 230(b)14=2]"},
		{0, 1, "[2()10=invalid_data 230(a)12=50 230(b)12=0 230(a)14=1 230(b)14=2]"},
		{1, 2, "[2()10=50 230(a)12=150 230(b)12=0 230(a)14=1 230(b)14=2]"},
	} {
		parts := []winperf.Part{{Block: others[tt.other], Only: only(2)}, {Independent: true, Only: only(230)}}
		if tt.beside >= 0 {
			parts[1].Block = beside[tt.beside]
		}
		f, err := pool.Decode(&winperf.Sample{Parts: parts}, before)
		if err != nil {
			t.Fatal(err)
		}
		must(t, ck.Set(before, f, counter.Options{}))
		if got := fmt.Sprint(values(&ck, f)); n != 4 && got != tt.want { // in 4 time goes back
			t.Errorf("sample %d: %s, want %s", n, got, tt.want)
		}
		if f.Complete() != (tt.beside >= 0) {
			t.Errorf("sample %d: complete %v", n, f.Complete())
		}
		before = f
	}
	if !pool.InUse(beside[len(beside)-1]) {
		t.Error("the last block is in no use")
	}
	for range 2 {
		if _, err := pool.Decode(&winperf.Sample{}, frame.Frame{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range beside {
		if pool.InUse(b) {
			t.Errorf("block %d is in use by no valid frame", i)
		}
	}
}

// The first object of a block is cooked against its last other block, too, and what is
// wrong with a block is told with the first sample that has it.
func TestPartBesideFirst(t *testing.T) {
	var pool frame.Pool
	cut := func(head string, value int) *winperf.Block {
		whole := block(t, head+fmt.Sprintf(twoObjects, value, 0))
		return winperf.Raw{Format: winperf.FormatV1, Bytes: whole[:len(whole)-8]}.Block()
	}
	was, is := cut(at0, 0), cut(at1, 100)
	other := winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, at0+fmt.Sprintf(twoObjects, 0, 0))}

	var ck frame.Cooker
	var before frame.Frame
	for n, tt := range []struct {
		beside *winperf.Block
		damage int
		want   string
	}{{was, 1, "[2()10=no_previous]"}, {was, 0, "[2()10=no_previous]"}, {is, 1, "[2()10=50]"}, {is, 0, "[2()10=50]"}} {
		parts := []winperf.Part{{Block: other.Block(), Only: []winperf.ObjectID{{Index: 999}}}, {Block: tt.beside, Independent: true}}
		f, err := pool.Decode(&winperf.Sample{Parts: parts}, before)
		if err != nil || len(f.Damage()) != tt.damage {
			t.Fatalf("sample %d: %v, damage %v", n, err, f.Damage())
		}
		must(t, ck.Set(before, f, counter.Options{}))
		if got := fmt.Sprint(values(&ck, f)); got != tt.want {
			t.Errorf("sample %d: %s, want %s", n, got, tt.want)
		}
		before = f
	}
}
