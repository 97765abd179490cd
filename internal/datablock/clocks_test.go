package datablock_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// TestObjectClocks puts objects with other clocks than those of the head into a
// block, decodes them, and keeps them in the block's other forms.
func TestObjectClocks(t *testing.T) {
	head := counter.Clocks{PerfTime: 100, PerfFreq: 10, Time100ns: 1000}
	own := counter.Clocks{PerfTime: 200, PerfFreq: 20, Time100ns: 2000}
	for _, missing := range []bool{false, true} {
		object := perfdata.Object{Title: 2, Form: perfdata.Single, Time: 7, Freq: 3,
			Counters: []perfdata.Counter{perfdata.NewCounter(4, counter.CounterCounter)}}
		object.Layout(missing)
		if _, err := object.AddInstance(""); err != nil {
			t.Fatal(err)
		}
		if err := object.SetValue(0, 0, 42); err != nil {
			t.Fatal(err)
		}
		plain := perfdata.Block{PerfTime: head.PerfTime, PerfFreq: head.PerfFreq, Time100ns: head.Time100ns,
			Objects: []perfdata.Object{object}}
		b, err := plain.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b = b[88:]
		with := datablock.AppendObject(nil, b, own)
		if again := datablock.AppendObject(nil, with, head); !bytes.Equal(again, with) {
			t.Error("an object with clocks of its own got others")
		}
		object.Extra = datablock.AppendClocks(nil, own)
		plain.Objects = append(plain.Objects, object, perfdata.Object{Raw: with})
		block, err := plain.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var ix index.Index
		if err := datablock.Decode(block, &ix, datablock.Options{}); err != nil {
			t.Fatal(err)
		}
		want := []counter.Clocks{head, own, own}
		for i := range ix.Objects {
			want[i].ObjectTime, want[i].ObjectFreq = 7, 3
			if diff := cmp.Diff(want[i], ix.ObjectClocks(&ix.Objects[i])); diff != "" {
				t.Errorf("object %d: %s", i, diff)
			}
			if v, ok := ix.Value(i, 0, 0); !ok || v != 42 {
				t.Errorf("object %d: value %d, %t", i, v, ok)
			}
		}
		parsed, err := perfdata.Parse(bytes.Clone(block), 0)
		if err != nil {
			t.Fatal(err)
		}
		fromText, err := perfdata.ParseText(format(parsed, nil))
		if err != nil {
			t.Fatal(err)
		}
		again, err := fromText.Encode()
		if err != nil || !bytes.Equal(again, block) {
			t.Errorf("the text form gives another block: %v", err)
		}
	}
}

// TestObjectClocksFrequency uses the object's frequency where the head has none.
func TestObjectClocksFrequency(t *testing.T) {
	for _, freq := range []int64{0, 10} {
		object := perfdata.Object{Title: 2, Form: perfdata.Single,
			Counters: []perfdata.Counter{perfdata.NewCounter(4, counter.CounterCounter)},
			Extra:    datablock.AppendClocks(nil, counter.Clocks{PerfFreq: freq})}
		object.Layout(false)
		if _, err := object.AddInstance(""); err != nil {
			t.Fatal(err)
		}
		b, err := (&perfdata.Block{Objects: []perfdata.Object{object}}).Encode()
		if err != nil {
			t.Fatal(err)
		}
		var ix index.Index
		if err := datablock.Decode(b, &ix, datablock.Options{}); err != nil {
			t.Fatal(err)
		}
		if damaged := len(ix.Damage) > 0; damaged != (freq == 0) {
			t.Errorf("frequency %d: damage %v", freq, ix.Damage)
		}
	}
}

// TestNoClocks takes for clocks only what is all behind the object's structure, not
// a time of the object that looks like their mark.
func TestNoClocks(t *testing.T) {
	for _, text := range []string{
		"object 2 time=1262704716\nextra 00000000000000000000000000000000",
		"object 2 freq=1262704716\nextra 000000000000000000000000000000000000000000000000",
	} {
		b := encode(t, fixture(t, text))
		ix, err := decode(b, datablock.Options{})
		if err != nil || ix.Objects[0].Clocks != 0 {
			t.Errorf("%s: clocks at %d, %v", text, ix.Objects[0].Clocks, err)
		}
		own := counter.Clocks{PerfTime: 200, PerfFreq: 20, Time100ns: 2000}
		if got := datablock.AppendObject(nil, b[88:], own); len(got) != len(b)-88+32 {
			t.Errorf("%s: %d bytes with clocks, want 32 more than %d", text, len(got), len(b)-88)
		}
	}
}

// TestAppendObjectSmallest gives clocks to an object that is a header and nothing
// else: all three lengths grow by theirs.
func TestAppendObjectSmallest(t *testing.T) {
	b := encode(t, fixture(t, "object 2"))[88:]
	got := datablock.AppendObject([]byte("x"), b, counter.Clocks{PerfTime: 1, PerfFreq: 2, Time100ns: 3})
	want := append([]byte("x\x60\x00\x00\x00\x60\x00\x00\x00\x60\x00\x00\x00"), b[12:]...)
	want = append(want, "LXCK\x00\x00\x00\x00"+
		"\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"...)
	if !bytes.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAppendObjectDamaged takes over what is no object as it is.
func TestAppendObjectDamaged(t *testing.T) {
	short := make([]byte, 63)
	long := make([]byte, 64)
	long[8], long[9] = 0xFF, 0xFF // HeaderLength
	within := make([]byte, 64)
	within[8] = 63
	for _, b := range [][]byte{nil, short, long, within} {
		if got := datablock.AppendObject([]byte("x"), b, counter.Clocks{}); !bytes.Equal(got,
			append([]byte("x"), b...)) {
			t.Errorf("%d bytes became %d", len(b), len(got))
		}
	}
}

// TestOwnClock links counters with the clocks of their own that follow them, if
// both parts are there and can be read.
func TestOwnClock(t *testing.T) {
	const own = "counter 4 0x40130500\n"
	const missing = "counter 4 0x40130500 offset=0xFFFFFFF8\n"
	for text, want := range map[string][2]int32{
		"counter 4 PERF_100NSEC_TIMER\n" + own + own +
			"values : 1 2 3": {2, 3},
		"counter 4 PERF_100NSEC_MULTI_TIMER\ncounter 4 PERF_COUNTER_MULTI_BASE\n" + own + own +
			"values : 1 2 3 4": {3, 4},
		"counter 4 PERF_100NSEC_TIMER\n" + own + "values : 1 2":                                       {},
		"counter 4 PERF_100NSEC_TIMER\n" + own + missing + "values : 1 2 -":                           {},
		"counter 4 PERF_100NSEC_TIMER\n" + own + "counter 4 PERF_LARGE_RAW_BASE\nvalues : 1 2 3":      {},
		"counter 4 PERF_COUNTER_RAWCOUNT\n" + own + own + "values : 1 2 3":                            {},
		"counter 4 PERF_AVERAGE_BULK\ncounter 4 PERF_AVERAGE_BASE\n" + own + own + "values : 1 2 3 4": {},
		// and needs no frequency of the block's
		"counter 4 PERF_COUNTER_COUNTER\n" + own + own + "values : 1 2 3": {2, 3},
	} {
		b := encode(t, fixture(t, "block\nobject 2 form=single\n"+text))
		ix, err := decode(b, datablock.Options{})
		if err != nil || len(ix.Damage) > 0 && !strings.Contains(text, "FFF8") {
			t.Fatalf("%s: %v, damage %v", text, err, ix.Damage)
		}
		if c := ix.Counters[0]; c.Time != want[0] || c.Freq != want[1] {
			t.Errorf("%s: clock %d and frequency %d, want %d", text, c.Time, c.Freq, want)
		}
	}
}
