package frame_test

import (
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

// TestZeroFrame: the zero frame and a frame of a sample without parts have nothing, and can be asked
// for everything.
func TestZeroFrame(t *testing.T) {
	var pool frame.Pool
	empty, err := pool.Decode(&winperf.Sample{}, frame.Frame{})
	must(t, err)

	for name, f := range map[string]frame.Frame{"zero": {}, "no parts": empty} {
		_, found := f.Find(winperf.ObjectID{Index: 230})
		if f.NumObjects() != 0 || f.Machine() != "" || f.Quirks() != 0 || found {
			t.Errorf("%s: %d objects of %q, quirks %d, 230 found %v",
				name, f.NumObjects(), f.Machine(), f.Quirks(), found)
		}
		if f.Clocks() != (counter.Clocks{}) || !f.Time().Equal(winperf.FromFiletime(0)) {
			t.Errorf("%s: clocks %+v, time %v", name, f.Clocks(), f.Time())
		}
		for range f.Blocks() {
			t.Errorf("%s: a block", name)
		}
		for range f.Objects() {
			t.Errorf("%s: an object", name)
		}
		for range f.Values() {
			t.Errorf("%s: values", name)
		}
	}
}

// TestBreak: a loop over parts of a frame may end at any of them.
func TestBreak(t *testing.T) {
	var pool frame.Pool
	text := at0 + "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n instance \"a\" : 1\n instance \"b\" : 2\n" +
		"object 232\n counter 784 PERF_COUNTER_RAWCOUNT\n instance \"c\" : 1\n"
	f := take(t, &pool, block(t, text), frame.Frame{})
	loops := 0
	for o := range f.Objects() {
		for in := range o.Instances() {
			loops++
			if o.ID().Index != 230 || in.Name() != "a" {
				t.Errorf("first is %s of %d", in.Name(), o.ID().Index)
			}
			break
		}
		break
	}

	two := valueSample(seriesOf(t, `\A\b`), []counter.Value{counter.Int(1)}, nil)
	two.Parts = append(two.Parts, two.Parts[0])
	f, err := pool.Decode(two, frame.Frame{})
	must(t, err)
	for range f.Values() {
		loops++
		break
	}
	if loops != 2 {
		t.Errorf("%d loops, want 2", loops)
	}
}

// TestRawName: an instance without a name has an empty one in the sample, and is shown by its id or
// position.
func TestRawName(t *testing.T) {
	var pool frame.Pool
	f := take(t, &pool, block(t, at0+"object 1000 codepage=1252\n counter 10 PERF_COUNTER_RAWCOUNT\n"+
		" instance - : 1\n instance - id=77 : 2\n instance \"Größe\" id=5 : 3\n"), frame.Frame{})
	for i, want := range [][2]string{{"", "0"}, {"", "77"}, {"Größe", "Größe"}} {
		if in := f.Object(0).Instance(i); in.RawName() != want[0] || in.Name() != want[1] {
			t.Errorf("instance %d is %q, shown as %q, want %q", i, in.RawName(), in.Name(), want)
		}
	}
}

// TestSchema: a frame has the names that came with its sample.
func TestSchema(t *testing.T) {
	schema := &winperf.Schema{Interface: "scripted"}
	s := winperf.Raw{Format: winperf.FormatV1, Schema: schema, Bytes: block(t, at0+"object 230\n")}.Sample()
	var pool frame.Pool
	f, err := pool.Decode(s, frame.Frame{})
	must(t, err)
	if f.Schema() != schema {
		t.Errorf("schema %+v", f.Schema())
	}
}

// TestAppendObjects appends the objects of a block that was decoded, and none of another one.
func TestAppendObjects(t *testing.T) {
	raw := winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, at0+"object 230\nobject 2\n")}
	s := raw.Sample()
	before := []winperf.ObjectID{{Index: 4}}
	if ids := frame.AppendObjects(before, s.Parts[0].Block); len(ids) != 1 {
		t.Errorf("before the block was decoded: %v", ids)
	}

	var pool frame.Pool
	_, err := pool.Decode(s, frame.Frame{})
	must(t, err)
	ids := frame.AppendObjects(before, s.Parts[0].Block)
	if len(ids) != 3 || ids[0].Index != 4 || ids[1].Index != 230 || ids[2].Index != 2 {
		t.Errorf("objects %v, want 4, 230, 2", ids)
	}
}

// TestBesideFirst: an object that is sampled in parallel has no older block until it has a second one.
func TestBesideFirst(t *testing.T) {
	var pool frame.Pool
	text := "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n instance \"a\" : 1\n"
	blocks := [2]*winperf.Block{}
	for i, head := range []string{at0, at1} {
		blocks[i] = winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, head+text)}.Block()
	}

	var before frame.Frame
	for n, want := range []bool{true, true, false, false} {
		s := &winperf.Sample{Parts: []winperf.Part{{Block: blocks[n/2], Independent: true}}}
		f, err := pool.Decode(s, before)
		must(t, err)
		keep(t, f)
		if got := f.Object(0).First(f); got != want {
			t.Errorf("sample %d: first %v, want %v", n, got, want)
		}
		before = f
	}

	f := take(t, &pool, block(t, at0+text), before)
	if f.Object(0).First(f) {
		t.Error("an object sampled with the others is called the first of its own")
	}
}
