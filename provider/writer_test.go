package provider_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// process and thread are objects of which one's instances are the parents of
// the other's.
func process() *provider.Object {
	return &provider.Object{Index: 230, Name: "Process", Multi: true, Counters: []provider.Counter{
		{Index: 784, Name: "ID Process", Type: counter.RawCount},
		{Index: 684, Name: "Elapsed Time", Type: counter.ElapsedTime},
	}}
}

func thread() *provider.Object {
	return &provider.Object{Index: 232, Name: "Thread", Multi: true, Counters: []provider.Counter{
		{Index: 804, Name: "ID Thread", Type: counter.RawCount},
	}}
}

func TestInstances(t *testing.T) {
	pl, tl := layout(t, process()), layout(t, thread())
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(pl)
		o.Clock(500, 100)
		names := []string{"Idle", "Ünïcode 𝄞", ""}
		for i, name := range names {
			if at := o.Instance(provider.Instance{Name: name}); at != i {
				t.Errorf("instance %d is at position %d", i, at)
			}
		}
		o.End()
		o = w.Object(tl)
		o.Instance(provider.Instance{Name: "0", ParentObject: 230, ParentPosition: 1})
		o.Instance(provider.Instance{Name: "1", ParentObject: 230, ParentPosition: 2, UniqueID: 7,
			HasUniqueID: true})
		o.Instance(provider.Instance{UniqueID: -8, HasUniqueID: true})
		o.Instance(provider.Instance{UniqueID: 9})
		o.End()
	}, pl, tl)

	type instance struct {
		Name             string
		Parent, UniqueID int32
	}
	var got []instance
	for k := range ix.Objects {
		o := &ix.Objects[k]
		for i := range ix.Instances[o.Instance0:o.InstanceEnd] {
			link := ix.Link(o, i)
			got = append(got, instance{string(ix.AppendName(nil, &ix.Instances[int(o.Instance0)+i], 0)),
				link.Parent, link.UniqueID})
		}
	}
	want := []instance{
		{"Idle", -1, -1}, {"Ünïcode 𝄞", -1, -1}, {"", -1, -1},
		{"0", 1, -1}, {"1", 2, 7}, {"", -1, -8}, {"", -1, -1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
	if o := ix.Objects[0]; o.Time != 500 || o.Freq != 100 || o.NumInstances != 3 {
		t.Errorf("clock %d/%d, %d instances", o.Time, o.Freq, o.NumInstances)
	}
	if o := ix.Objects[1]; o.Time != 0 || o.Freq != 0 || o.NumInstances != 4 {
		t.Errorf("no clock was set: %d/%d, %d instances", o.Time, o.Freq, o.NumInstances)
	}
}

// TestReturn writes an instance's values when those behind it, which made the
// buffer grow, have theirs already.
func TestReturn(t *testing.T) {
	l := layout(t, process())
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		o.Clock(500, 100)
		o.Instance(provider.Instance{Name: "_Total"})
		total := o.Place()
		o.Set(1, 100)
		for i := range 1000 {
			o.Instance(provider.Instance{Name: fmt.Sprint(i)})
			o.Set(0, uint64(i))
		}
		o.Return(total)
		o.Set(0, 5000)
		if o.Place() != total {
			t.Error("the place of the instance has changed")
		}
		o.End()
	}, l)
	if v, ok := ix.Value(0, 0, 0); v != 5000 || !ok {
		t.Errorf("the first value is %d (there: %v)", v, ok)
	}
	if v, ok := ix.Value(0, 0, 1); v != 100 || !ok {
		t.Errorf("the second value is %d (there: %v)", v, ok)
	}
	for i := range 1000 {
		if v, ok := ix.Value(0, 1+i, 0); v != uint64(i) || !ok {
			t.Errorf("value of instance %d is %d (there: %v)", i, v, ok)
		}
		if _, ok := ix.Value(0, 1+i, 1); ok {
			t.Errorf("instance %d has the total's value", i)
		}
	}
}

func TestNoInstances(t *testing.T) {
	l := layout(t, peer())
	ix := once(t, func(w *provider.Writer) { o := w.Object(l); o.End() }, l)
	if o := ix.Objects[0]; o.NumInstances != 0 || len(ix.Instances) != 0 {
		t.Errorf("NumInstances is %d, %d instances were read", o.NumInstances, len(ix.Instances))
	}
}

// TestMissing: a value that was not written is not there; one that was written
// as zero is.
func TestMissing(t *testing.T) {
	many := &provider.Object{Index: 2, Name: "Many", Multi: true} // more than one byte of marks
	for i := range 20 {
		c := provider.Counter{Index: uint32(100 + 2*i), Name: fmt.Sprint(i), Type: counter.BulkCount}
		if i%4 == 0 {
			c.Type = counter.AverageBulk
		}
		many.Counters = append(many.Counters, c)
	}
	l := layout(t, many)
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		for inst := range 3 {
			o.Instance(provider.Instance{Name: fmt.Sprint(inst)})
			for i := range many.Counters {
				if i%3 == inst {
					o.Set(i, 0)
				}
				if i%8 == 4*inst {
					o.SetBase(i, uint64(i))
				}
			}
		}
		o.End()
	}, l)
	if len(ix.Counters) != 25 {
		t.Fatalf("%d definitions", len(ix.Counters))
	}
	for inst := range 3 {
		k := 0
		check := func(want uint64, there bool) {
			if v, ok := ix.Value(0, inst, k); ok != there || there && v != want {
				t.Errorf("instance %d, definition %d: %d (there: %v), want %d (%v)", inst, k, v, ok,
					want, there)
			}
			k++
		}
		for i := range many.Counters {
			check(0, i%3 == inst)
			if i%4 == 0 {
				check(uint64(i), i%8 == 4*inst)
			}
		}
	}
}

func TestSet(t *testing.T) {
	o := &provider.Object{Index: 2, Name: "x", Counters: []provider.Counter{
		{Index: 4, Name: "narrow", Type: counter.CounterCounter},
		{Index: 6, Name: "wide", Type: counter.LargeRawFraction},
		{Index: 8, Name: "left out", Type: counter.LargeRawFraction},
		{Index: 10, Name: "narrow base", Type: counter.SampleFraction},
	}}
	l, err := provider.NewLayout(o, func(i int) bool { return i != 2 })
	if err != nil {
		t.Fatal(err)
	}
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		for i := range 4 {
			o.Set(i, 1)
			o.Set(i, 0x1_2345_6789_ABCD+uint64(i)) // the later one counts
			o.SetBase(i, 0x2_3456_789A_BCDE+uint64(i))
		}
		o.End()
	}, l)
	var got []uint64
	for k := range ix.Counters {
		v, ok := ix.Value(0, 0, k)
		if !ok {
			t.Errorf("definition %d has no value", k)
		}
		got = append(got, v)
	}
	want := []uint64{0x6789_ABCD, 0x1_2345_6789_ABCE, 0x2_3456_789A_BCDF, 0x6789_ABD0, 0x789A_BCE1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestDefinitions(t *testing.T) {
	single, multi := layout(t, transfer()), layout(t, peer())
	ix := once(t, func(w *provider.Writer) { w.Definitions(single); w.Definitions(multi) }, single, multi)
	if len(ix.Instances) != 0 {
		t.Errorf("%d instances", len(ix.Instances))
	}
	for i, want := range []struct {
		instances int32
		length    uint32
	}{{-3, 72 + 3*40}, {-2, 72 + 40}} {
		if o := ix.Objects[i]; o.NumInstances != want.instances || o.Len != want.length {
			t.Errorf("object %d: NumInstances %d, %d bytes, want %+v", o.Title, o.NumInstances, o.Len, want)
		}
	}
}

// TestMistakes: what a provider does wrong is reported and spoils nothing.
func TestMistakes(t *testing.T) {
	single, multi := layout(t, transfer()), layout(t, peer())
	other := layout(t, disk())
	for _, tt := range []struct {
		want  string
		write func(w *provider.Writer)
	}{
		{"write an object without End", func(w *provider.Writer) { w.Object(single) }},
		{"write object 2006 before End of another", func(w *provider.Writer) {
			o := w.Object(single)
			writePeers(w, multi, 1, 2)
			o.End()
		}},
		{"write object 2006 before End of another",
			func(w *provider.Writer) { w.Object(single); w.Definitions(multi) }},
		{"write object 2000 twice", func(w *provider.Writer) {
			writeTransfer(w,
				single)
			writeTransfer(w, single)
		}},
		{"write object 236, which the provider did not declare",
			func(w *provider.Writer) { w.Definitions(other) }},
		{"write end of object 2000 after End",
			func(w *provider.Writer) { o := w.Object(single); o.End(); o.End() }},
		{"write clock of object 2000 after End",
			func(w *provider.Writer) { o := w.Object(single); o.End(); o.Clock(1, 1) }},
		{"write value of object 2000 outside of an instance",
			func(w *provider.Writer) { o := w.Object(single); o.End(); o.Set(0, 1) }},
		{"write value of object 2006 outside of an instance", func(w *provider.Writer) {
			o := w.Object(multi)
			o.End()
			next := w.Object(single)
			o.Set(0, 1)
			next.End()
		}},
		{"write return to an instance of object 2006 after End", func(w *provider.Writer) {
			o := w.Object(multi)
			o.Instance(provider.Instance{})
			at := o.Place()
			o.End()
			o.Return(at)
		}},
		{"write return to an instance that is not one of object 2006", func(w *provider.Writer) {
			o := w.Object(multi)
			o.Return(provider.Place{})
			o.End()
		}},
		{"write return to an instance that is not one of object 2006", func(w *provider.Writer) {
			o := w.Object(multi)
			o.Return(o.Place())
			o.End()
		}},
		{"write instance of object 2006 after End",
			func(w *provider.Writer) { o := w.Object(multi); o.End(); o.Instance(provider.Instance{}) }},
		{"write instance of object 2000, which has none", func(w *provider.Writer) {
			o := w.Object(single)
			o.Instance(provider.Instance{Name: "x"})
			o.End()
		}},
		{"write value of object 2006 outside of an instance", func(w *provider.Writer) {
			o := w.Object(multi)
			o.Set(0, 1)
			o.Instance(provider.Instance{Name: "x"})
			o.End()
		}},
	} {
		var problems []provider.Problem
		bad := writes(tt.write, single, multi)
		good := writes(func(w *provider.Writer) { o := w.Object(other); o.Set(0, 5); o.End() }, other)
		d := dispatcher(t, func(p provider.Problem) { problems = append(problems, p) }, bad, good)
		ix := ask(t, d, everything())
		if diff := cmp.Diff([]uint32{236}, titles(ix)); diff != "" {
			t.Errorf("%s: objects (-want +got):\n%s", tt.want, diff)
		}
		if v, ok := ix.Value(0, 0, 0); v != 5 || !ok {
			t.Errorf("%s: the good provider's value is %d (there: %v)", tt.want, v, ok)
		}
		if len(problems) != 1 || problems[0].Stage != "collect" ||
			!errors.Is(problems[0].Err, winperf.ErrState) ||
			!strings.HasPrefix(problems[0].Err.Error(), tt.want+": ") {
			t.Errorf("%s: problems %+v", tt.want, problems)
		}
	}
}

// TestAppend: a block that is not the first in its buffer, nor at an aligned
// place, is the same block.
func TestAppend(t *testing.T) {
	l := layout(t, peer())
	d := dispatcher(t, nil, writes(func(w *provider.Writer) { writePeers(w, l, 15, 30) }, l))
	want, err := d.Collect(t.Context(), everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 9 {
		prefix := []byte("prefixes!")[:n]
		got, err := d.Collect(t.Context(), everything(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(prefix), string(got[:n])); diff != "" {
			t.Errorf("prefix (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, got[n:]); diff != "" {
			t.Errorf("block behind %d bytes (-want +got):\n%s", n, diff)
		}
		decode(t, got[n:])
	}
}

// TestNoAllocations: a warm dispatcher allocates nothing, from one provider or
// several.
func TestNoAllocations(t *testing.T) {
	l := layout(t, process())
	many := writes(func(w *provider.Writer) { writeProcesses(w, l, 100) }, l)
	second := answers(t, "second", simple(2, false))
	third := answers(t, "third", simple(4, false))
	d := dispatcher(t, nil, second, many, third)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, text := range []string{"230", "2 230 4"} {
		query := provider.ParseQuery(text)
		var buf []byte
		collect := func() {
			var err error
			if buf, err = d.Collect(ctx, query, buf[:0]); err != nil {
				t.Error(err)
			}
		}
		collect()
		collect()
		if n := testing.AllocsPerRun(100, collect); n != 0 {
			t.Errorf("%q: %v allocations for a block", text, n)
		}
		if ix := decode(t, buf); len(ix.Objects) != len(query.Objects) {
			t.Errorf("%q: %d objects", text, len(ix.Objects))
		}
	}
}

// writeProcesses writes n instances of process.
func writeProcesses(w *provider.Writer, l *provider.Layout, n int) {
	o := w.Object(l)
	o.Clock(1000, 10_000_000)
	for i := range n {
		o.Instance(provider.Instance{Name: "svchöst"})
		o.Set(0, uint64(4*i))
		o.Set(1, uint64(i))
	}
	o.End()
}

// TestGrow: room is made at once and with little to spare, which is enough for a
// later sample that is somewhat larger.
func TestGrow(t *testing.T) {
	pl := layout(t, process())
	const much = 1 << 20
	for _, n := range []int{-1, 0, 10_000, 10 * much} {
		size := n
		d := dispatcher(t, nil, writes(func(w *provider.Writer) {
			w.Grow(size)
			o := w.Object(pl)
			o.End()
		}, pl))
		var block []byte
		for round := range 3 {
			was := cap(block)
			var err error
			if block, err = d.Collect(t.Context(), everything(), block[:0]); err != nil {
				t.Fatal(err)
			}
			if room := cap(block); room < size || room > max(n, 0)+min(n/8, much)+8192 {
				t.Errorf("round %d: room for %d bytes is %d", round, size, room)
			}
			if round > 0 && cap(block) != was {
				t.Errorf("round %d: %d bytes of room were %d", round, cap(block), was)
			}
			size = n + n/32
		}
	}
}

// TestRestart: what was written before is not there, mistakes and reports are.
func TestRestart(t *testing.T) {
	pl, tl := layout(t, process()), layout(t, thread())
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(tl)
		o.Instance(provider.Instance{Name: "0"})
		o.End()
		o = w.Object(pl)
		o.Instance(provider.Instance{Name: "gone"})
		w.Restart()
		o = w.Object(pl)
		o.Clock(500, 100)
		o.Instance(provider.Instance{Name: "there"})
		o.End()
	}, pl, tl)
	if got := titles(ix); len(got) != 1 || got[0] != 230 || len(ix.Instances) != 1 {
		t.Errorf("objects %v with %d instances", got, len(ix.Instances))
	}

	var told []error
	report := func(p provider.Problem) { told = append(told, p.Err) }
	wrong := writes(func(w *provider.Writer) {
		w.Report(errors.New("reported"))
		o := w.Object(pl)
		o.End()
		w.Object(pl)
		w.Restart()
	}, pl)
	if got := titles(ask(t, dispatcher(t, report, wrong), everything())); len(got) > 0 || len(told) != 2 {
		t.Errorf("objects %v, problems %q", got, told)
	}
}

// TestDeny: a value that the reader has no right to is missing and says why, also if it
// was written before; one that is written afterwards is there.
func TestDeny(t *testing.T) {
	l := layout(t, process())
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		o.Clock(500, 100)
		for _, name := range []string{"denied", "missing", "there", "denied afterwards"} {
			o.Instance(provider.Instance{Name: name})
			switch name {
			case "denied":
				o.Deny(0)
			case "there":
				o.Deny(0)
				o.Set(0, 5)
			case "denied afterwards":
				o.Set(0, 5)
				o.Deny(0)
			}
		}
		o.End()
	}, l)
	for i, want := range []counter.Status{
		counter.NotPermitted, counter.InvalidData, counter.OK, counter.NotPermitted,
	} {
		got := counter.OK
		if _, ok := ix.Value(0, i, 0); !ok {
			got = ix.Lack(0, i, 0)
		}
		if got != want {
			t.Errorf("instance %d: %v, want %v", i, got, want)
		}
	}
}
