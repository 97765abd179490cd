package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
)

const small = `
block name="HOST" time100ns=133500000000000000
object 238
  counter 6 PERF_COUNTER_RAWCOUNT
  instance "0" : 1
  instance "1" : 2
`

// TestKeep shows that a frame is valid until two more were decoded, and for good once it was kept.
func TestKeep(t *testing.T) {
	var pool frame.Pool
	var q taker
	kept := q.take(t, &pool, block(t, small), frame.Frame{})
	if err := kept.Keep(); err != nil {
		t.Fatal(err)
	}
	a := q.take(t, &pool, block(t, small), kept)
	b := q.take(t, &pool, block(t, small), a)
	if err := a.Keep(); err != nil {
		t.Errorf("the frame before the last one: %v", err)
	}
	c := q.take(t, &pool, block(t, small), b)
	d := q.take(t, &pool, block(t, small), c)

	var ck frame.Cooker
	_, decode := pool.Decode(&winperf.Sample{}, b)
	for name, err := range map[string]error{
		"keep": b.Keep(), "decode": decode,
		"cook as the older": ck.Set(b, d, counter.Options{}), "cook as the newer": ck.Set(c, b, counter.Options{}),
	} {
		if !errors.Is(err, winperf.ErrState) {
			t.Errorf("%s of a frame whose memory another one uses: %v, expected ErrState", name, err)
		}
	}

	for _, f := range []frame.Frame{kept, a, c, d} {
		if err := f.Keep(); err != nil || f.Object(0).Instance(1).Name() != "1" {
			t.Errorf("frame is not valid any more: %v", err)
		}
	}
	if err := (frame.Frame{}).Keep(); err != nil {
		t.Errorf("keep of the zero Frame: %v", err)
	}
}

// TestMemoryIsUsedAgain shows that frames which follow each other use the memory of three.
func TestMemoryIsUsedAgain(t *testing.T) {
	var pool frame.Pool
	raw := block(t, small)
	var q taker
	var before frame.Frame
	next := func() { before = q.take(t, &pool, raw, before) }
	for range 6 {
		next()
	}
	if n := testing.AllocsPerRun(30, next); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestReaders reads one frame that was kept from several goroutines while others are decoded;
// under the race detector this shows that nobody writes to it.
func TestReaders(t *testing.T) {
	var pool frame.Pool
	var q taker
	raw := perftest.Block(perftest.Small)
	f := q.take(t, &pool, raw, frame.Frame{})
	if err := f.Keep(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := f.Keep(); err != nil {
				t.Error(err)
			}
			n := 0
			for o := range f.Objects() {
				for in := range o.Instances() {
					n += len(in.Full()) + in.Occurrence()
				}
			}
			if n == 0 {
				t.Error("no names")
			}
		})
	}
	for range 4 {
		q.take(t, &pool, raw, frame.Frame{})
	}
	wg.Wait()
}

func TestDecodeErrors(t *testing.T) {
	var pool frame.Pool
	if _, err := pool.Decode(winperf.Raw{}.Sample(), frame.Frame{}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("no format: %v", err)
	}
	raw := winperf.Raw{Format: winperf.FormatV1, Bytes: []byte("no block")}
	if _, err := pool.Decode(raw.Sample(), frame.Frame{}); !errors.Is(err, winperf.ErrBadData) {
		t.Errorf("no block: %v", err)
	}

	// Frames before a sample that cannot be read are as valid as they were.
	good := winperf.Raw{Format: winperf.FormatV1, Bytes: block(t, small)}
	var before [2]frame.Frame
	for i := range before {
		f, err := pool.Decode(good.Sample(), before[0])
		if err != nil {
			t.Fatal(err)
		}
		before[i] = f
	}
	for range 3 {
		if _, err := pool.Decode(raw.Sample(), before[1]); err == nil {
			t.Error("no block can be read")
		}
	}
	for _, f := range before {
		if f.Object(0).Instance(1).Name() != "1" || f.Keep() != nil {
			t.Error("a frame is not valid any more after an error")
		}
	}

	// What is before the damage can be read.
	whole := block(t, small+"object 4 form=single\n counter 24 PERF_COUNTER_RAWCOUNT\n values : 7\n")
	raw.Bytes = whole[:len(whole)-8]
	f, err := pool.Decode(raw.Sample(), frame.Frame{})
	if err != nil || f.NumObjects() != 1 || len(f.Damage()) != 1 || !errors.Is(f.Damage()[0], winperf.ErrBadData) {
		t.Errorf("cut block: %v, %d objects, damage %v", err, f.NumObjects(), f.Damage())
	}
}

// TestLabels shows what instances are called in paths.
func TestLabels(t *testing.T) {
	text := `
block name="HOST"
object 230
  counter 784 PERF_COUNTER_RAWCOUNT
  instance "svchost" : 1
  instance "Idle" : 0
  instance "SvcHost" : 2
  instance "svchost" : 3
object 232
  counter 804 PERF_COUNTER_RAWCOUNT
  instance "0" parent=230 position=0 : 1
  instance "1" parent=230 position=0 : 2
  instance "0" parent=230 position=3 : 3
  instance "0" parent=230 position=4 : 3
  instance "0" parent=999 position=0 : 3
object 1000
  counter 1002 PERF_COUNTER_RAWCOUNT
  instance - : 1
  instance - id=77 : 2
  instance "named" id=5 : 2
object 1004 codepage=1252
  counter 1002 PERF_COUNTER_RAWCOUNT
  instance "Größe" : 1
`
	var pool frame.Pool
	f := take(t, &pool, block(t, text), frame.Frame{})
	var got []string
	for o := range f.Objects() {
		for in := range o.Instances() {
			got = append(got, fmt.Sprintf("%d %s#%d", o.ID().Index, in.Full(), in.Occurrence()))
		}
	}
	want := []string{
		"230 svchost#0", "230 Idle#0", "230 SvcHost#1", "230 svchost#2",
		"232 svchost/0#0", "232 svchost/1#0", "232 svchost/0#1", "232 0#0", "232 0#1",
		"1000 0#0", "1000 77#0", "1000 named#0",
		"1004 Größe#0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p, ok := f.Object(1).Instance(2).Parent(); !ok || p.Position() != 3 || p.Name() != "svchost" {
		t.Errorf("parent of the third thread: %v at %d", p.Name(), p.Position())
	}
	if _, ok := f.Object(1).Instance(3).Parent(); ok {
		t.Error("a parent beyond the last instance was found")
	}
	if id, ok := f.Object(2).Instance(1).UniqueID(); !ok || id != 77 {
		t.Errorf("unique id %d, %v", id, ok)
	}
}

// TestParents shows that each instance gets the parent that it names, of several
// objects and wherever that is in the sample.
func TestParents(t *testing.T) {
	objects := []string{
		"object 234\n counter 6 PERF_COUNTER_RAWCOUNT\n instance \"disk0\" : 1\n instance \"disk1\" : 1\n",
		"object 236\n counter 6 PERF_COUNTER_RAWCOUNT\n",
		"object 238\n counter 6 PERF_COUNTER_RAWCOUNT\n instance \"cpu0\" : 1\n instance \"cpu1\" : 1\n instance \"cpu2\" : 1\n",
		"object 240\n counter 6 PERF_COUNTER_RAWCOUNT\n instance \"net0\" : 1\n",
	}
	type child struct {
		object   uint32
		position int64
		want     string // full name; the parent's name is what is before the slash
	}
	children := []child{
		{238, 0, "cpu0/7"}, {234, 0, "disk0/7"}, {234, 1, "disk1/7"}, {238, 2, "cpu2/7"}, {240, 0, "net0/7"},
		{236, 0, "7"}, {240, 1, "7"}, {999, 0, "7"}, {238, 1<<32 - 1, "7"}, {0, 0, "7"},
	}
	lines := "object 1000\n counter 6 PERF_COUNTER_RAWCOUNT\n"
	for _, c := range children {
		lines += fmt.Sprintf(" instance \"7\" parent=%d position=%d : 1\n", c.object, c.position)
	}
	for at := range len(objects) + 1 {
		all := slices.Insert(slices.Clone(objects), at, lines)
		slices.Reverse(all[at:])
		var pool frame.Pool
		f := take(t, &pool, block(t, "block name=\"HOST\"\n"+strings.Join(all, "")), frame.Frame{})
		o, _ := f.Find(winperf.ObjectID{Index: 1000})
		for i, c := range children {
			in := o.Instance(i)
			object, position, named := in.ParentPlace()
			if object != c.object || position != c.position || named != (c.object != 0) {
				t.Errorf("child %d: place %d of object %d, %v", i, position, object, named)
			}
			name := ""
			if parent, ok := in.Parent(); ok {
				name = parent.Name() + "/"
			}
			if name+"7" != c.want || in.Full() != c.want {
				t.Errorf("child %d at %d: %q below %q, want %q", i, at, in.Full(), name, c.want)
			}
		}
	}
}

// TestManyParents shows that parents are told from each other also where there
// are more objects of them than are kept apart: the rest is called without.
func TestManyParents(t *testing.T) {
	const objects, kept = 12, 8
	text, children := "block name=\"HOST\"\n", "object 1000\n counter 6 PERF_COUNTER_RAWCOUNT\n"
	for i := range objects {
		text += fmt.Sprintf("object %d\n counter 6 PERF_COUNTER_RAWCOUNT\n instance \"p%d\" : 1\n", 500+i, i)
		children += fmt.Sprintf(" instance \"c\" parent=%d position=0 : 1\n", 500+i)
	}
	var pool frame.Pool
	f := take(t, &pool, block(t, text+children), frame.Frame{})
	o, _ := f.Find(winperf.ObjectID{Index: 1000})
	for i := range objects {
		want := "c"
		if i < kept {
			want = fmt.Sprintf("p%d/c", i)
		}
		if got := o.Instance(i).Full(); got != want {
			t.Errorf("child %d is called %q, want %q", i, got, want)
		}
	}
}

// TestNamesShared shows that the strings of names are taken over from the frame
// before where the bytes are the same, also when instances came and went, and
// that labels are the same exactly when no instance came, went or moved.
func TestNamesShared(t *testing.T) {
	const head = "block name=\"HOST\"\nobject 238\n counter 6 PERF_COUNTER_RAWCOUNT\n"
	inst := func(names ...string) string {
		var b strings.Builder
		for _, n := range names {
			fmt.Fprintf(&b, " instance %q : 1\n", n)
		}
		return b.String()
	}
	var pool frame.Pool
	first := take(t, &pool, block(t, head+inst("alpha", "beta", "gamma", "delta")), frame.Frame{})
	for _, tt := range []struct {
		now        []string
		shared     []int // position in first of each name that is shared, -1 = new
		sameLabels bool
	}{
		{[]string{"alpha", "beta", "gamma", "delta"}, []int{0, 1, 2, 3}, true},
		{[]string{"alpha", "beta", "gamma"}, []int{0, 1, 2}, false},
		{[]string{"alpha", "beta", "gamma", "delta", "epsilon"}, []int{0, 1, 2, 3, -1}, false},
		{[]string{"alpha", "gamma", "delta"}, []int{0, 2, 3}, false},
		{[]string{"alpha", "new", "beta", "gamma", "delta"}, []int{0, -1, 1, 2, 3}, false},
		{[]string{"delta", "alpha"}, []int{3, -1}, false},
		{[]string{"alpha", "beta", "gamma", "Delta"}, []int{0, 1, 2, -1}, false},
		{nil, nil, false},
	} {
		labels := first.Object(0).Labels()
		f := take(t, &pool, block(t, head+inst(tt.now...)), first)
		for i, j := range tt.shared {
			name := f.Object(0).Instance(i).Name()
			if name != tt.now[i] {
				t.Errorf("%q: instance %d is %q", tt.now, i, name)
			}
			if j >= 0 && unsafe.StringData(name) != unsafe.StringData(first.Object(0).Instance(j).Name()) {
				t.Errorf("%q: the name %q is not shared", tt.now, name)
			}
		}
		if got := f.Object(0).Labels() == labels; got != tt.sameLabels {
			t.Errorf("%q: same labels %v, expected %v", tt.now, got, tt.sameLabels)
		}
	}
}

// TestPadding shows that what is behind a name does not make it another one,
// and that a unique id or a code page does.
func TestPadding(t *testing.T) {
	text := func(page, instance string) []byte {
		return block(t, "block name=\"HOST\"\nobject 238"+page+"\n counter 6 PERF_COUNTER_RAWCOUNT\n instance "+instance+" : 1\n")
	}
	var pool frame.Pool
	b := text("", `"12"`) // 6 bytes of name and 2 of padding
	first := take(t, &pool, b, frame.Frame{})
	padding := bytes.Index(b, []byte("1\x002\x00")) + 6
	b[padding]++
	for _, tt := range []struct {
		name string
		b    []byte
		same bool
	}{
		{"padding", b, true},
		{"unique id", text("", `"12" id=7`), false},
		{"code page", text(" codepage=1252", `"12"`), false},
	} {
		f := take(t, &pool, tt.b, first)
		if got := f.Object(0).Labels() == first.Object(0).Labels(); got != tt.same {
			t.Errorf("%s: same labels %v, expected %v", tt.name, got, tt.same)
		}
	}
}

// TestParentMoved shows that labels are not shared when a parent got another
// name or place.
func TestParentMoved(t *testing.T) {
	text := func(parents, position string) string {
		return "block name=\"HOST\"\nobject 230\n counter 784 PERF_COUNTER_RAWCOUNT\n" + parents +
			"object 232\n counter 804 PERF_COUNTER_RAWCOUNT\n instance \"7\" parent=230 position=" + position + " : 1\n"
	}
	const a, b, c = " instance \"a\" : 1\n", " instance \"b\" : 2\n", " instance \"c\" : 2\n"
	var pool frame.Pool
	first := take(t, &pool, block(t, text(a+b, "1")), frame.Frame{})
	if got := first.Object(1).Instance(0).Full(); got != "b/7" {
		t.Fatalf("%q", got)
	}
	for _, tt := range []struct{ parents, position, want string }{
		{a + b, "1", "b/7"}, {a + c, "1", "c/7"}, {a + b, "0", "a/7"}, {b, "0", "b/7"},
	} {
		f := take(t, &pool, block(t, text(tt.parents, tt.position)), first)
		if got := f.Object(1).Instance(0).Full(); got != tt.want {
			t.Errorf("parents %q at %s: %q, expected %q", tt.parents, tt.position, got, tt.want)
		}
	}
}

// TestWarmDecode shows that a warm decode allocates nothing.
func TestWarmDecode(t *testing.T) {
	var pool frame.Pool
	series := perftest.Series(perftest.Desktop, 2, 0, 1)
	before, i := frame.Frame{}, 0
	var q taker
	cycle := func() {
		f := q.take(t, &pool, series[i%2].Bytes, before)
		before, i = f, i+1
	}
	for range 4 {
		cycle()
	}
	if n := testing.AllocsPerRun(20, cycle); n != 0 {
		t.Errorf("%v allocations in a warm decode", n)
	}
}

// TestReadRows shows that rows hold what single values are, of any number of
// instances at once.
func TestReadRows(t *testing.T) {
	var pool frame.Pool
	for _, b := range [][]byte{perftest.Block(perftest.Small), block(t, at0+"object 1000 missing=auto\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_TEXT size=8\n instance \"a\" : ?1 \"x\"\n instance \"b\" : 2 \"y\"\n")} {
		f := take(t, &pool, b, frame.Frame{})
		for o := range f.Objects() {
			width, atOnce := o.NumCounters(), 1
			for first := 0; first < o.Len(); atOnce++ {
				rows, missing := make([]uint64, width*atOnce), false
				n, whole := o.ReadRows(rows, first)
				if n != min(atOnce, o.Len()-first) {
					t.Fatalf("object %d: %d of %d instances from %d on", o.ID().Index, n, atOnce, first)
				}
				for i, v := range rows[:n*width] {
					want, ok := o.Raw(first+i/width, i%width)
					missing = missing || !ok
					if v != want {
						t.Errorf("object %d instance %d counter %d: %d, expected %d", o.ID().Index, first+i/width, i%width, v, want)
					}
				}
				if whole == missing {
					t.Errorf("object %d from %d on: whole is %v", o.ID().Index, first, whole)
				}
				first += n
			}
		}
	}
}

// TestASCIIText reads text of one byte a character as it was written: in the code
// page of its object or, where that names none, in the usual one of Windows.
func TestASCIIText(t *testing.T) {
	for page, text := range map[string]string{"": "äb€", " codepage=1251": "Память"} {
		var pool frame.Pool
		raw := block(t, "object 2 form=single"+page+"\ncounter 4 0x10B00 size=8\nvalues : \""+text+"\"\n")
		f := take(t, &pool, raw, frame.Frame{})
		if got, ok := f.Object(0).Text(0, 0); !ok || got != text {
			t.Errorf("object%s: %q, %t; want %q", page, got, ok, text)
		}
	}
}

func TestAccessors(t *testing.T) {
	var pool frame.Pool
	f := take(t, &pool, block(t, `
block name="HOST" perftime=5 perffreq=7 time100ns=133500000000000000
object 236 help=237 default=0 missing=auto
  counter 408 PERF_RAW_FRACTION help=409 scale=-1 detail=200
  counter 0 PERF_RAW_BASE
  counter 410 PERF_COUNTER_LARGE_RAWCOUNT
  counter 412 PERF_COUNTER_TEXT size=8
  counter 414 0x10B00 size=4
  instance "C:" : 1 2 ?- "ab" hex:61000000
object 4 form=single
  counter 24 PERF_COUNTER_RAWCOUNT
  values : 9
object 700
  counter 702 PERF_COUNTER_RAWCOUNT
object 702 form=metadata-multiple
  counter 702 PERF_COUNTER_RAWCOUNT
object 704 form=metadata-single
  counter 702 PERF_COUNTER_RAWCOUNT
`), frame.Frame{})
	if f.Machine() != "HOST" || f.Time().Year() != 2024 || f.Clocks().PerfFreq != 7 {
		t.Errorf("header: %q %v %+v", f.Machine(), f.Time(), f.Clocks())
	}
	o, ok := f.Find(winperf.ObjectID{Index: 236})
	if !ok || o.Help() != 237 || o.Default() != 0 || o.Single() || o.Metadata() || o.Len() != 1 {
		t.Errorf("object 236: %v %+v", ok, o)
	}
	if k, ok := o.FindCounter(winperf.CounterID{Index: 410}); !ok || k != 2 {
		t.Errorf("counter 410 at %d, %v", k, ok)
	}
	if _, ok := o.FindCounter(winperf.CounterID{Index: 0}); ok {
		t.Error("a base was found as a counter")
	}
	if c := o.Counter(0); c.Base != 1 || c.Scale != -1 || c.Detail != 200 || c.Help != 409 {
		t.Errorf("counter 408: %+v", c)
	}
	if _, ok := f.Find(winperf.ObjectID{Index: 1}); ok {
		t.Error("object 1 was found")
	}
	forms := []string{}
	for o := range f.Objects() {
		forms = append(forms, fmt.Sprint(o.ID().Index, o.Single(), o.Metadata(), o.Len()))
	}
	want := []string{"236 false false 1", "4 true false 1", "700 false false 0", "702 false true 0", "704 true true 0"}
	if diff := cmp.Diff(want, forms); diff != "" {
		t.Error(diff)
	}
}

// TestReadMulti reads the numbers of components behind values, and says where there are none.
func TestReadMulti(t *testing.T) {
	var pool frame.Pool
	f := take(t, &pool, block(t, at0+"object 1000\n counter 1002 PERF_100NSEC_MULTI_TIMER\n counter 0 PERF_COUNTER_MULTI_BASE\n"+
		" counter 1004 PERF_COUNTER_MULTI_TIMER offset=24\n counter 1006 PERF_COUNTER_RAWCOUNT offset=32\n"+
		" instance \"0\" : 0 3 0 4\n instance \"1\" : 0 3 0 5\n instance \"2\" : 0 3 0 6\n"), frame.Frame{})
	for k, want := range [][]uint64{{0, 0}, {0, 0}, {5, 6}, {0, 0}} {
		got := []uint64{9, 9}
		if ok := f.Object(0).ReadMulti(got, k, 1); ok != (want[0] != 0) || !slices.Equal(got, want) {
			t.Errorf("counter %d: %v, %v; want %v", k, got, ok, want)
		}
	}
}
