package provider_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/provider"
)

// The objects of the sample in Microsoft Learn, "Implementing
// CollectPerformanceData", with First Counter 2000 and First Help 2001.

func transfer() *provider.Object {
	return &provider.Object{Index: 2000, Name: "Transfer", Help: "About transfers.",
		Counters: []provider.Counter{
			{Index: 2002, Name: "Bytes Sent", Type: counter.RawCount, Detail: provider.Advanced},
			{Index: 2004, Name: "Available Bandwidth", Type: counter.RawFraction, Detail: provider.Advanced},
		}}
}

func peer() *provider.Object {
	return &provider.Object{Index: 2006, Name: "Peer", Multi: true, Counters: []provider.Counter{
		{Index: 2008, Name: "Bytes Served", Type: counter.RawCount, Detail: provider.Advanced},
	}}
}

func writeTransfer(w *provider.Writer, l *provider.Layout) {
	o := w.Object(l)
	o.Set(0, 5)
	o.Set(1, 20)
	o.SetBase(1, 50)
	o.End()
}

func writePeers(w *provider.Writer, l *provider.Layout, first, second uint64) {
	o := w.Object(l)
	o.Instance(provider.Instance{Name: "Peer 1"})
	o.Set(0, first)
	o.Instance(provider.Instance{Name: "Peer 2"})
	o.Set(0, second)
	o.End()
}

// plain returns the first bytes of an object as they would be without the 8
// bytes of the mark behind PERF_OBJECT_TYPE, and without the growth (more
// bytes) of TotalByteLength.
func plain(object []byte, more int) []byte {
	p := append([]byte(nil), object[:64]...)
	for at, by := range map[int]int{0: more, 4: 8, 8: 8} { // TotalByteLength, DefinitionLength, HeaderLength
		binary.LittleEndian.PutUint32(p[at:], uint32(field(p, at)-by))
	}
	return append(p, object[72:field(object, 4)]...)
}

// words encodes 4-byte fields.
func words(list ...int) (p []byte) {
	for _, w := range list {
		p = binary.LittleEndian.AppendUint32(p, uint32(w))
	}
	return p
}

func TestWorkedExample(t *testing.T) {
	tr, pe := layout(t, transfer()), layout(t, peer())
	ix := once(t, func(w *provider.Writer) { writeTransfer(w, tr); writePeers(w, pe, 15, 30) }, tr, pe)

	object := func(i int) []byte { return ix.Data[ix.Objects[i].Off:][:ix.Objects[i].Len] }
	// The documented sample has no default counter (-1).
	want := words(200, 184, 64, 2000, 0, 2001, 0, 200, 3, 2002, -1, 0, 0, 0, 0, 0,
		40, 2002, 0, 2003, 0, 0, 200, 0x00010000, 4, 4,
		40, 2004, 0, 2005, 0, 0, 200, 0x20020400, 4, 8,
		40, 0, 0, 0, 0, 0, 200, 0x40030403, 4, 12)
	if diff := cmp.Diff(want, plain(object(0), 16)); diff != "" {
		t.Errorf("Transfer (-want +got):\n%s", diff)
	}
	// Learn's instance definitions have space for 16 characters: 56 bytes. Ours are as long as the name needs.
	want = words(232-2*(56-40), 104, 64, 2006, 0, 2007, 0, 200, 1, 2008, 2, 0, 0, 0, 0, 0,
		40, 2008, 0, 2009, 0, 0, 200, 0x00010000, 4, 4)
	if diff := cmp.Diff(want, plain(object(1), 8+2*8)); diff != "" {
		t.Errorf("Peer (-want +got):\n%s", diff)
	}
	single := ix.Instances[0].Block
	want = append(words(24, 5, 20, 50), 0, 0, 0, 0, 0, 0, 0, 0)
	if diff := cmp.Diff(want, ix.Data[single:][:24]); diff != "" {
		t.Errorf("values of Transfer (-want +got):\n%s", diff)
	}
	in := ix.Instances[1]
	want = append(words(40, 0, 0, -1, 24, 14), "P\x00e\x00e\x00r\x00 \x001\x00\x00\x00\x00\x00"...)
	want = append(want, words(16, 15, 0, 0)...)
	if diff := cmp.Diff(want, ix.Data[in.Off:][:40+16]); diff != "" {
		t.Errorf("Peer 1 (-want +got):\n%s", diff)
	}
	for i, want := range []uint64{15, 30} {
		if got, ok := ix.Value(1, i, 0); got != want || !ok {
			t.Errorf("Peer %d: %d (there: %v), want %d", i+1, got, ok, want)
		}
	}
}

// TestWorkedExampleCooked reads the example's displayed values.
func TestWorkedExampleCooked(t *testing.T) {
	l := layout(t, transfer())
	d := dispatcher(t, nil, writes(func(w *provider.Writer) { writeTransfer(w, l) }, l))
	block, err := d.Collect(t.Context(), everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: block}.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	if got := f.Time().Format("2006-01-02 15:04:05.00"); got != "2026-03-01 09:30:15.25" ||
		f.Machine() != "HOST" {
		t.Errorf("sample of %s at %s", f.Machine(), got)
	}
	o, ok := f.Find(winperf.ObjectID{Index: 2000})
	if !ok || o.Default() != 0 {
		t.Fatalf("object 2000 there: %v, default counter %d", ok, o.Default())
	}
	for index, want := range map[uint32]counter.Value{2002: counter.Int(5), 2004: counter.Float(40)} {
		k, ok := o.FindCounter(winperf.CounterID{Index: index})
		if !ok {
			t.Fatalf("no counter %d", index)
		}
		var s counter.Sample
		s.Value, _ = o.Raw(0, k)
		if base := o.Counter(k).Base; base >= 0 {
			s.Base, _ = o.Raw(0, base)
		}
		if r := counter.Cook(o.Counter(k).Type, nil, &s, counter.Options{}); r.Value != want ||
			r.Status != counter.OK {
			t.Errorf("counter %d: %v (%v), want %v", index, r.Value, r.Status, want)
		}
	}
}

// declarable returns a counter of every type that can be declared.
func declarable() (list []provider.Counter) {
	for info := range counter.Types() {
		if !info.Type.IsBase() && info.Bytes > 0 {
			list = append(list, provider.Counter{Index: uint32(100 + 2*len(list)), Name: info.Name,
				Type: info.Type})
		}
	}
	return list
}

func TestEveryType(t *testing.T) {
	all := &provider.Object{Index: 2, Name: "All", Counters: declarable()}
	l := layout(t, all)
	ix := once(t, func(w *provider.Writer) {
		o := w.Object(l)
		o.Clock(1, 10_000_000)
		o.End()
	}, l)
	used := make([]bool, ix.BlockLen(&ix.Instances[0]))
	take := func(off, n uint32) { // no byte serves two values
		for i := off; i < off+n; i++ {
			if used[i] {
				t.Errorf("byte %d of the counter block is used twice", i)
			}
			used[i] = true
		}
	}
	take(0, 4)
	take(ix.Objects[0].Missing, uint32(len(ix.Counters)+7)/8)
	k := 0
	for _, c := range all.Counters {
		got, info := ix.Counters[k], must(c.Type.Info())
		take(got.Value, got.Size)
		if got.Type != c.Type || int(got.Size) != info.Bytes || got.Title != c.Index ||
			got.State != index.Readable {
			t.Errorf("%v: got %+v", c.Type, got)
		}
		k++
		if info.Base == 0 {
			continue
		}
		base := ix.Counters[k]
		take(base.Value, base.Size)
		if base.Type != info.Base || int(base.Size) != must(info.Base.Info()).Bytes || base.Title != 0 ||
			got.Base != int32(k) {
			t.Errorf("%v: got the base %+v, at position %d", c.Type, base, got.Base)
		}
		k++
	}
	if k != len(ix.Counters) || k < 40 {
		t.Errorf("%d definitions, %d were expected", len(ix.Counters), k)
	}
}

func must(info counter.Info, ok bool) counter.Info {
	if !ok {
		panic("unknown type")
	}
	return info
}

func TestTypesThatCannotBeDeclared(t *testing.T) {
	declared := len(declarable())
	for info := range counter.Types() {
		o := &provider.Object{Index: 2, Name: "x",
			Counters: []provider.Counter{{Index: 4, Name: "y", Type: info.Type}}}
		if _, err := provider.NewLayout(o, nil); err == nil {
			declared--
		} else if !errors.Is(err, provider.ErrSchema) {
			t.Errorf("%v: error %v", info.Type, err)
		}
	}
	if declared != 0 {
		t.Errorf("%d types more than expected are refused", declared)
	}
}

// disk has two counters that share a base, one that has its own, and one of
// another width between them.
func disk() *provider.Object {
	return &provider.Object{Index: 236, Name: "Disk", Default: 2, Counters: []provider.Counter{
		{Index: 202, Name: "% Read Time", Type: counter.Precision100NSTimer, BaseSlot: "time",
			Detail: provider.Expert},
		{Index: 208, Name: "Reads", Type: counter.RawCount, Detail: provider.Wizard},
		{Index: 204, Name: "% Write Time", Type: counter.Precision100NSTimer, BaseSlot: "time",
			Detail: provider.Wizard},
		{Index: 206, Name: "sec/Read", Type: counter.AverageTimer, Detail: provider.Wizard},
	}}
}

// definitions returns title, type and offset of each definition.
func definitions(ix *index.Index) (list [][3]uint32) {
	for _, c := range ix.Counters {
		list = append(list, [3]uint32{c.Title, uint32(c.Type), c.Value})
	}
	return list
}

func TestSharedBase(t *testing.T) {
	const timer, timestamp = uint32(counter.Precision100NSTimer), uint32(counter.PrecisionTimestamp)
	for _, tt := range []struct {
		name   string
		object *provider.Object
		keep   func(int) bool
		want   [][3]uint32
		detail provider.Detail
		first  int32
	}{
		{"whole", disk(), nil, [][3]uint32{
			{202, timer, 8}, {0, timestamp, 16}, {208, uint32(counter.RawCount), 24},
			{204, timer, 32}, {0, timestamp, 16}, {206, uint32(counter.AverageTimer), 40},
			{0, uint32(counter.AverageBase), 48},
		}, provider.Expert, 3},
		{"left out", disk(), func(i int) bool { return i == 1 || i == 3 }, [][3]uint32{
			{208, uint32(counter.RawCount), 4}, {206, uint32(counter.AverageTimer), 8},
			{0, uint32(counter.AverageBase), 16},
		}, provider.Wizard, -1},
		{"first of the shared left out", disk(), func(i int) bool { return i == 2 }, [][3]uint32{
			{204, timer, 8}, {0, timestamp, 16},
		}, provider.Wizard, 0},
	} {
		l, err := provider.NewLayout(tt.object, tt.keep)
		if err != nil {
			t.Fatal(err)
		}
		ix := once(t, func(w *provider.Writer) {
			o := w.Object(l)
			o.SetBase(0, 77) // the base of counter 2 as well
			o.End()
		}, l)
		if diff := cmp.Diff(tt.want, definitions(ix)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if got := ix.Objects[0]; got.Detail != uint32(tt.detail) || got.DefaultCounter != tt.first {
			t.Errorf("%s: detail level %d and default counter %d, want %d and %d", tt.name, got.Detail,
				got.DefaultCounter, tt.detail, tt.first)
		}
		for k, c := range ix.Counters {
			v, ok := ix.Value(0, 0, k)
			if want := c.Type == counter.PrecisionTimestamp; ok != want || want && v != 77 {
				t.Errorf("%s: definition %d has the value %d (there: %v)", tt.name, k, v, ok)
			}
		}
		for i := range tt.object.Counters {
			if want := tt.keep == nil || tt.keep(i); l.Has(i) != want {
				t.Errorf("%s: Has(%d) = %v", tt.name, i, !want)
			}
		}
	}
}

func TestNothingKept(t *testing.T) {
	_, err := provider.NewLayout(disk(), func(int) bool { return false })
	if !errors.Is(err, provider.ErrSchema) ||
		!strings.Contains(err.Error(), `object "Disk" (index 236): keep selects no counters`) {
		t.Errorf("error %v", err)
	}
}

// TestDefaultCounter: a position would be taken for the title index of another
// counter, or of a base.
func TestDefaultCounter(t *testing.T) {
	o := &provider.Object{Index: 230, Name: "x", Counters: []provider.Counter{
		{Index: 10, Name: "a", Type: counter.RawCount},
		{Index: 2, Name: "b", Type: counter.RawFraction},
		{Index: 8, Name: "c", Type: counter.RawCount},
	}}
	for i, want := range []int32{0, 1, 3} {
		o.Default = i
		l := layout(t, o)
		ix := once(t, func(w *provider.Writer) { w.Definitions(l) }, l)
		if got := ix.Objects[0].DefaultCounter; got != want {
			t.Errorf("default %d: position %d, want %d", i, got, want)
		}
	}
}

// TestHeaderMark: a reader that does not know the mark steps over it.
func TestHeaderMark(t *testing.T) {
	l := layout(t, disk())
	ix := once(t, func(w *provider.Writer) { o := w.Object(l); o.Set(1, 3); o.End() }, l)
	object := ix.Data[ix.Objects[0].Off:]
	copy(object[64:], "XXXX")
	var other index.Index
	if err := datablock.Decode(ix.Data, &other, datablock.Options{}); err != nil ||
		len(other.Damage) > 0 {
		t.Fatalf("error %v, damage %v", err, other.Damage)
	}
	for k := range other.Counters {
		want := uint64(0)
		if k == 2 {
			want = 3
		}
		if v, ok := other.Value(0, 0, k); v != want || !ok {
			t.Errorf("definition %d: %d (there: %v), want %d", k, v, ok, want)
		}
	}
}
