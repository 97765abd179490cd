package datablock_test

import (
	"bytes"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/perfdata"
)

func quirks(q byte) winperf.Quirks { return winperf.Quirks(q) }

// missing stands for no value in the cases below.
const missing = math.MaxUint64

// formCases are blocks in unusual forms and what is to be read from the first
// object: the names of its instances and, one row for each, the values.
var formCases = []struct {
	name   string
	text   string
	opt    datablock.Options
	names  []string
	values [][]uint64
	states []index.CounterState
}{
	{
		name:  "single",
		text:  "object 2 form=single\ncounter 4 65536\ncounter 6 65792\nvalues : 7 8",
		names: []string{""}, values: [][]uint64{{7, 8}},
	},
	{
		name: "no instances now",
		text: "object 2\ncounter 4 65536\ntail 0800000007000000",
	},
	{
		name: "metadata",
		text: "object 2 form=metadata-multiple\ncounter 4 65536\ntail 0800000007000000",
	},
	{
		name: "metadata, single",
		text: "object 2 form=metadata-single\ncounter 4 65536",
	},
	{
		name:  "metadata, single, with a block that fits",
		text:  "object 2 form=metadata-single\ncounter 4 65536\nvalues : 7",
		names: []string{""}, values: [][]uint64{{7}},
	},
	{
		name: "metadata, single, with something else behind",
		text: "object 2 form=metadata-single\ncounter 4 65536\ntail 0900000007000000",
	},
	{
		name: "larger structures",
		text: `block name="HOST" nameoffset=96 rest=000000000000000048004f0053005400000000000000
object 2
extra 0102030405060708
counter 4 65536
extra 01
counter 6 65536
extra 0102030405060708
gap 010203
instance "ab" nameoffset=28 rest=0000000061006200000001020304 : 7 8
instance "c" size=40 : 9 10
tail 01020304`,
		names: []string{"ab", "c"}, values: [][]uint64{{7, 8}, {9, 10}},
	},
	{
		name: "names",
		text: `object 2
instance "svchost"
instance -
instance - nameoffset=24 namelength=4 rest=6100620000000000
instance - nameoffset=24 namelength=12 rest=610000006200000000000000
instance - nameoffset=24 namelength=4 rest=00d8620000000000
instance "\U0001F600é"`,
		names:  []string{"svchost", "", "ab", "a", "\uFFFDb", "\U0001F600é"},
		values: [][]uint64{{}, {}, {}, {}, {}, {}},
	},
	{
		name: "code page",
		text: `object 2 codepage=1252
instance "Größe"
instance - nameoffset=24 namelength=3 rest=e4f6fc0000000000`,
		names: []string{"Größe", "äöü"}, values: [][]uint64{{}, {}},
	},
	{
		name: "missing values",
		text: `object 2 missing=auto
counter 4 65536
counter 6 65792
instance "a" : ? 8
instance "b" : 7 ?`,
		names: []string{"a", "b"}, values: [][]uint64{{missing, 8}, {7, missing}},
	},
	{
		name: "blocks of different length",
		text: `object 2
counter 4 65536
counter 6 65536
instance "a" size=8 : 7 -
instance "b" : 8 9`,
		names: []string{"a", "b"}, values: [][]uint64{{7, missing}, {8, 9}},
		states: []index.CounterState{index.Readable, index.OutOfRange},
	},
	{
		name: "map as long as the block",
		text: `object 2 missing=8
counter 4 65536
instance "a" size=9 : ?
instance "b" size=9 : 7`,
		names: []string{"a", "b"}, values: [][]uint64{{missing}, {7}},
	},
	{
		name: "map as long as a block that is too short",
		text: `object 2 missing=8
counter 4 65536
counter 6 65536 offset=12
instance "a" size=9 : 7
instance "b" : ? 8`,
		names: []string{"a", "b"}, values: [][]uint64{{7, missing}, {missing, 8}},
		states: []index.CounterState{index.Readable, index.OutOfRange},
	},
	{
		name: "map before the values",
		text: `object 2 missing=4
counter 4 65536 offset=8
instance "a" : 7
instance "b" : ?`,
		names: []string{"a", "b"}, values: [][]uint64{{7}, {missing}},
	},
	{
		name:  "smallest instances",
		text:  "object 2\ninstance - size=4\ninstance - size=4",
		names: []string{"", ""}, values: [][]uint64{{}, {}},
	},
	{
		name:  "smallest single",
		text:  "object 2 form=single\nvalues size=4",
		names: []string{""}, values: [][]uint64{{}},
	},
	{
		name:  "smallest metadata, single",
		text:  "object 2 form=metadata-single\nvalues size=4",
		names: []string{""}, values: [][]uint64{{}},
	},
	{
		name: "states",
		text: `object 2 form=single
counter 4 PERF_COUNTER_NODATA
counter 6 PERF_COUNTER_TEXT size=16
counter 8 PERF_COUNTER_RAWCOUNT size=3
counter 10 PERF_COUNTER_RAWCOUNT offset=2
counter 12 PERF_RAW_FRACTION
counter 14 PERF_RAW_FRACTION
counter 14 PERF_RAW_BASE offset=0xFFFFFFF8
values : - "text" - - 1 2 -`,
		names: []string{""}, values: [][]uint64{{missing, missing, missing, missing, 1, 2, missing}},
		states: []index.CounterState{
			index.NoValue, index.TextValue, index.BadSize, index.OutOfRange, index.MissingBase,
			index.MissingBase, index.OutOfRange,
		},
	},
	{
		name: "odd places",
		text: `block
set HeaderLength=88
object 2
counter 4 65792 offset=5
extra 00
counter 6 65536 offset=13
gap 000000
instance "a" : 0x1122334455667788 7
tail 00`,
		names: []string{"a"}, values: [][]uint64{{0x1122334455667788, 7}},
	},
	{
		name: "width from type",
		text: "object 2 form=single\ncounter 4 65536 offset=4 size=8\ncounter 6 65536 offset=8 " +
			"size=8\nvalues : 7 8",
		opt:   datablock.Options{Quirks: winperf.WidthFromType},
		names: []string{""}, values: [][]uint64{{7, 8}},
	},
	{
		name: "no width from type",
		text: `object 2 form=single
counter 4 PERF_COUNTER_NODATA offset=4 size=4
counter 6 65536 offset=4
values : - 7`,
		opt:   datablock.Options{Quirks: winperf.WidthFromType},
		names: []string{""}, values: [][]uint64{{missing, 7}},
		states: []index.CounterState{index.NoValue, index.Readable},
	},
	{
		name:  "total without header",
		text:  "block\nset TotalByteLength=112\nobject 2 form=single\ncounter 4 65536\nvalues : 7",
		opt:   datablock.Options{Quirks: winperf.TotalExcludesHeader},
		names: []string{""}, values: [][]uint64{{7}},
	},
	{
		name:  "count of a multi-timer behind its value",
		text:  "object 2 form=single\ncounter 4 PERF_100NSEC_MULTI_TIMER\ncounter 6 65536\nvalues : 7 4",
		names: []string{""}, values: [][]uint64{{7, 4}},
	},
	{
		name: "count of a multi-timer in a base",
		text: "object 2 form=single\ncounter 4 PERF_100NSEC_MULTI_TIMER\ncounter 6 " +
			"PERF_COUNTER_MULTI_BASE\nvalues : 7 4",
		names: []string{""}, values: [][]uint64{{7, 4}},
	},
}

func TestForms(t *testing.T) {
	for _, c := range formCases {
		t.Run(c.name, func(t *testing.T) {
			b := encode(t, fixture(t, c.text))
			ix, err := decode(b, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if len(ix.Objects) == 0 {
				t.Fatalf("no object: %v", ix.Damage)
			}
			checkIndex(t, ix)
			var names []string
			var values [][]uint64
			for i := range ix.Instances {
				names = append(names, string(ix.AppendName(nil, &ix.Instances[i], ix.Objects[0].CodePage)))
				row := []uint64{}
				for k := range ix.Counters {
					v, ok := ix.Value(0, i, k)
					if !ok {
						v = missing
					}
					row = append(row, v)
				}
				values = append(values, row)
			}
			if diff := cmp.Diff(c.names, names); diff != "" {
				t.Errorf("names: %s", diff)
			}
			if diff := cmp.Diff(c.values, values); diff != "" {
				t.Errorf("values: %s", diff)
			}
			for k, state := range c.states {
				if ix.Counters[k].State != state {
					t.Errorf("counter %d: state %d, want %d", k, ix.Counters[k].State, state)
				}
			}
		})
	}
}

// TestMulti finds the number of components in both places.
func TestMulti(t *testing.T) {
	for _, c := range formCases[len(formCases)-2:] {
		ix, err := decode(encode(t, fixture(t, c.text)), datablock.Options{})
		if err != nil || len(ix.Damage) > 0 {
			t.Fatalf("%s: error %v, damage %v", c.name, err, ix.Damage)
		}
		count := make([]uint64, 1)
		if base := ix.Counters[0].Base; base >= 0 {
			ix.Column(count, 0, int(base), 0)
		} else if !ix.MultiColumn(count, 0, 0, 0) {
			t.Errorf("%s: neither base nor count", c.name)
		}
		if count[0] != 4 {
			t.Errorf("%s: count %d, want 4", c.name, count[0])
		}
	}
}

func TestText(t *testing.T) {
	ix, err := decode(encode(t, fixture(t, `object 2 form=single
counter 4 PERF_COUNTER_TEXT size=16
values : "text"`)), datablock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, ok := ix.Text(0, 0, 0)
	if got := wire.Text(b, wire.UTF16LE); !ok || got != "text" {
		t.Errorf("text %q, %v", got, ok)
	}
}

// TestParents resolves parents that come later, are not there, or are the
// instance itself.
func TestParents(t *testing.T) {
	ix, err := decode(encode(t, fixture(t, `object 232
instance "0" parent=230 position=1
instance "1" parent=230 position=2
instance "2" parent=999
instance "3" parent=232 position=3
object 230
instance "a"
instance "b"
object 230
instance "c"
instance "d"
instance "e"`)), datablock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{5, -1, -1, 3} {
		if got := ix.Link(&ix.Objects[0], i).Parent; got != want {
			t.Errorf("instance %d: parent %d, want %d", i, got, want)
		}
	}
}

// TestLinks reads parents and unique ids. An object where no instance has any has
// no links; where one has some, all others have none of their own.
func TestLinks(t *testing.T) {
	const id, parent = `instance "a" id=7`, `instance "b" parent=3 position=2`
	const text = "object 2\ninstance \"x\"\ninstance \"y\" id=-1\n" +
		"object 4\ninstance \"x\"\n" + id + "\ninstance \"y\"\n" +
		"object 6\n" + parent + "\n" + id + "\ninstance \"y\"\n"
	ix, err := decode(encode(t, fixture(t, text)), datablock.Options{})
	if err != nil || len(ix.Damage) > 0 {
		t.Fatal(err, ix.Damage)
	}
	checkIndex(t, ix)
	none, seven := index.NoLink, index.Link{UniqueID: 7, Parent: -1}
	child := index.Link{ParentObject: 3, ParentInstance: 2, UniqueID: -1, Parent: -1}
	for i, want := range [][]index.Link{{none, none}, {none, seven, none}, {child, seven, none}} {
		o := &ix.Objects[i]
		for k := range want {
			if got := ix.Link(o, k); got != want[k] {
				t.Errorf("object %d, instance %d: %+v, want %+v", o.Title, k, got, want[k])
			}
		}
		if (o.Link0 < 0) != (i == 0) {
			t.Errorf("object %d: links at %d", o.Title, o.Link0)
		}
	}
}

// TestMachineAtTheEnd reads a machine's name with which the block ends.
func TestMachineAtTheEnd(t *testing.T) {
	ix, err := decode(encode(t, fixture(t, "block nameoffset=88 namelength=8 rest=48004f0053005400")),
		datablock.Options{})
	if err != nil || len(ix.Damage) > 0 || len(ix.Data) != 96 || ix.MachineName() != "HOST" {
		t.Errorf("machine %q, error %v, damage %v", ix.MachineName(), err, ix.Damage)
	}
}

// TestDamageCostsItself puts a damaged object between two good ones.
func TestDamageCostsItself(t *testing.T) {
	b := encode(t, fixture(t, `object 2 form=single
counter 4 65536
values : 7
object 4 form=single
set NumCounters=99
counter 6 65536
values : 8
object 6 form=single
counter 8 65536
values : 9`))
	ix, err := decode(b, datablock.Options{})
	if err != nil || len(ix.Damage) != 1 || !errors.Is(ix.Damage[0], datablock.ErrCount) {
		t.Fatalf("error %v, damage %v", err, ix.Damage)
	}
	first, _ := ix.Value(0, 0, 0)
	last, _ := ix.Value(1, 0, 0)
	if len(ix.Objects) != 2 || first != 7 || last != 9 {
		t.Errorf("%d objects, values %d and %d", len(ix.Objects), first, last)
	}
}

// TestCut cuts a block with three objects at every length and keeps the objects
// that are whole.
func TestCut(t *testing.T) {
	b := encode(t, fixture(t, plain+"object 2 form=single\ncounter 4 65536\nvalues : 7\nobject 4\n"))
	whole, err := decode(b, datablock.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(b) {
		ix, err := decode(b[:n:n], datablock.Options{})
		if !isFailure(err) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
		checkIndex(t, ix)
		want := 0
		for _, o := range whole.Objects {
			if int(o.Off+o.Len) <= n {
				want++
			}
		}
		if diff := cmp.Diff(whole.Objects[:want], ix.Objects, cmp.Transformer("", cutSlice)); diff != "" {
			t.Fatalf("cut to %d bytes: %s", n, diff)
		}
	}
}

// cutSlice makes empty slices equal.
func cutSlice(o []index.Object) []any {
	s := []any{}
	for i := range o {
		s = append(s, o[i])
	}
	return s
}

// TestFlips changes every byte of every fixture in several ways and checks all
// that must hold for any bytes.
func TestFlips(t *testing.T) {
	for _, good := range seeds(t) {
		if len(good) > 1000 {
			continue
		}
		var warm index.Index
		for i := range good {
			for _, flip := range []byte{0x01, 0x80, 0xFF} {
				b := bytes.Clone(good)
				b[i] ^= flip
				checkBytes(t, b, &warm, datablock.Options{})
			}
		}
	}
}

// TestMoreDamage counts what does not fit the list.
func TestMoreDamage(t *testing.T) {
	text := "object 2 form=single\n" + strings.Repeat("counter 4 65536 size=3 offset=4\n", 150) + "values\n"
	ix, err := decode(encode(t, fixture(t, text)), datablock.Options{})
	if err != nil || len(ix.Damage) != 100 || ix.MoreDamage != 50 {
		t.Errorf("error %v, %d findings and %d more, want 100 and 50", err, len(ix.Damage), ix.MoreDamage)
	}
}

// TestMemory decodes blocks that ask for as much memory as the format allows,
// or claim to.
func TestMemory(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes slices.Grow allocate twice")
	}
	const n = 20_000
	texts := map[string]string{
		"objects":   strings.Repeat("object 2\n", n),
		"counters":  "object 2\n" + strings.Repeat("counter 4 65536 offset=4\n", n),
		"instances": "object 2\n" + strings.Repeat("instance - size=4\n", n),
		"both": "object 2\n" + strings.Repeat("counter 4 0x40000200\n", 2) +
			strings.Repeat("instance - size=4\n", n) +
			"object 4\n" + strings.Repeat("counter 4 65536 offset=4\n", n),
		"later claims": "object 2\ncounter 4 65536\ninstance - size=8\n" +
			strings.Repeat("object 2\nset NumCounters=0xFFFFFFFF NumInstances=0x7FFFFFFF "+
				"DefinitionLength=0xFFFFFFFF\n", n),
		"claims beside others": "object 2\ncounter 4 65536\ninstance - size=8\n" +
			strings.Repeat("object 2\nset NumCounters=0xFFFFFFFF NumInstances=0x7FFFFFFF\n"+
				"counter 4 65536\ninstance - size=8\n", n),
		"claims": "block\n" +
			strings.Repeat("object 2\nset NumCounters=0xFFFFFFFF NumInstances=0x7FFFFFFF\n", n),
	}
	for name, text := range texts {
		b := encode(t, fixture(t, text))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ix, err := decode(b, datablock.Options{})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		const small = 64 << 10 // for what does not grow with the input
		got := after.TotalAlloc - before.TotalAlloc
		if limit := 4*uint64(len(b)) + small; got > limit {
			t.Errorf("%s: %d bytes allocated for %d bytes of input, want at most %d", name, got,
				len(b), limit)
		}
		t.Logf("%s: %d objects, %.2f bytes allocated for each of input", name, len(ix.Objects),
			float64(got)/float64(len(b)))
	}
}

// TestRoom decodes blocks of few and of many objects: memory is taken for all of
// them at once, and not for more than there is.
func TestRoom(t *testing.T) {
	if underRace {
		t.Skip("the race detector makes slices.Grow allocate twice")
	}
	const both = "counter 4 65536\ncounter 6 65536\n"
	const many = "object 8\n" + both + "instance \"a\" : 1 2\ninstance \"b\" : 3 4\n"
	for name, object := range map[string]string{
		"empty":     "object 2\n",
		"metadata":  "object 2 form=metadata-multiple\n" + both,
		"single":    "object 2 form=single\ncounter 4 65536\nvalues : 7\n",
		"instances": many,
		"mixed": "object 2\ncounter 4 65536\ninstance \"a\" : 1\nobject 3\n" +
			"object 4 form=single\nextra 0000000000000000\ncounter 4 65536\nvalues : 7\n" +
			"object 6 form=metadata-single\ncounter 4 65536\n" + many,
	} {
		var allocs [2]float64
		for i, n := range []int{20, 400} {
			b := encode(t, fixture(t, strings.Repeat(object, n)))
			allocs[i] = testing.AllocsPerRun(5, func() {
				var ix index.Index
				if err := datablock.Decode(b, &ix, datablock.Options{}); err != nil || len(ix.Damage) > 0 {
					t.Fatal(err, ix.Damage)
				}
				if most := len(ix.Counters)*5/4 + 8; cap(ix.Counters) > most {
					t.Errorf("%s: room for %d counters, want at most %d", name, cap(ix.Counters), most)
				}
				if most := len(ix.Instances)*5/4 + 8; cap(ix.Instances) > most {
					t.Errorf("%s: room for %d instances, want at most %d", name, cap(ix.Instances), most)
				}
			})
		}
		if allocs[0] != allocs[1] {
			t.Errorf("%s: %v allocations for few objects, %v for many", name, allocs[0], allocs[1])
		}
	}
}

// TestDefaultCounter reads DefaultCounter as a title index, or else as a
// position, which on a base means the counter before it.
func TestDefaultCounter(t *testing.T) {
	for raw, want := range map[string]int32{"-1": -1, "0": 0, "1": 1, "2": 1, "3": -1, "7": -1, "5": 1,
		"-2147483648": -1} {
		ix, err := decode(encode(t, fixture(t, "object 2 default="+raw+`
counter 4 65536
counter 5 PERF_RAW_FRACTION
counter 0 PERF_RAW_BASE`)), datablock.Options{})
		if err != nil || ix.Objects[0].DefaultCounter != want {
			t.Errorf("%s: %d, want %d (%v)", raw, ix.Objects[0].DefaultCounter, want, err)
		}
	}
}

// TestMemo decodes blocks one after the other into one index, which keeps
// definitions, and compares with a new index for each.
func TestMemo(t *testing.T) {
	const counters = "counter 4 PERF_RAW_FRACTION\ncounter 4 PERF_RAW_BASE\n"
	const second = "object 4 form=single\n" + counters + "values : 1 2\n"
	width := datablock.Options{Quirks: winperf.WidthFromType}
	for name, steps := range map[string][]struct {
		text string
		opt  datablock.Options
	}{
		"objects that move": {
			{text: "object 2\ninstance \"a\"\n" + second},
			{text: "object 2\ninstance \"a longer name\"\n" + second},
			{text: "object 2\ninstance \"a longer name\"\ninstance \"b\"\n" + second},
		},
		"count that a shorter block lacks": {
			{text: "object 2\ncounter 4 PERF_100NSEC_MULTI_TIMER\ninstance \"a\" size=24"},
			{text: "object 2\ncounter 4 PERF_100NSEC_MULTI_TIMER\ninstance \"a\" size=16"},
			{text: "object 2\ncounter 4 PERF_100NSEC_MULTI_TIMER\ninstance \"a\" size=24"},
		},
		"other quirks": {
			{text: "object 2 form=single\ncounter 4 65536 size=8\nvalues : 1"},
			{text: "object 2 form=single\ncounter 4 65536 size=8\nvalues : 1", opt: width},
			{text: "object 2 form=single\ncounter 4 65536 size=8\nvalues : 1"},
		},
		"dropped on the way": {
			{text: "object 4 missing=auto\n" + counters + "instance \"a\"\n" + second},
			{text: "object 4 missing=auto\n" + counters + "instance \"a\" size=12\nobject 4 missing=auto\n" +
				counters + "instance \"a\"\n" + second},
		},
		"links that come and go": {
			{text: "object 2\ninstance \"a\" id=1\ninstance \"b\" id=2\ninstance \"c\" parent=2 " +
				"position=1\n" +
				second},
			{text: "object 2\ninstance \"a\" id=1\ninstance \"b\"\ninstance \"c\"\n" + second},
			{text: "object 2\ninstance \"a\"\ninstance \"b\"\ninstance \"c\" id=3\n" + second},
			{text: "object 2\nset NumInstances=3\ninstance \"a\" id=1\ninstance \"b\" id=2\ntail 00000000\n" +
				"object 2\ninstance \"a\" id=5"},
		},
		"a definition that was a gap": {
			{text: "object 2 form=single\nset NumCounters=1\n" + counters + "values : 1 2\n" + second},
			{text: "object 2 form=single\n" + counters + "values : 1 2\n" + second},
			{text: "object 2 form=single\nset NumCounters=1\n" + counters + "values : 1 2\n" + second},
		},
		"a header that grows into a gap": {
			{text: "object 2 form=single\n" + counters + "gap 0000000000000000\nvalues : 1 2\n" + second},
			{text: "object 2 form=single\nextra 0000000000000000\n" + counters + "values : 1 2\n" + second},
			{text: "object 2 form=single\nextra 0000000000000000\n" + counters +
				"gap 0000000000000000\nvalues : 1 2\n" + second},
		},
		"another default counter": {
			{text: "object 2 form=single default=0\n" + counters + counters + "values : 1 2 3 4\n" + second},
			{text: "object 2 form=single default=2\n" + counters + counters + "values : 1 2 3 4\n" + second},
			{text: "object 2 form=single default=-1\n" + counters + counters + "values : 1 2 3 4\n" + second},
		},
		"findings around the hundredth": {
			{text: strings.Repeat("object 2\ncounter 4 65536 size=3 offset=4\n", 99) + "object 4\n" +
				strings.Repeat("counter 4 65536 size=3 offset=4\n", 2) + second},
			{text: strings.Repeat("object 2\ncounter 4 65536 size=3 offset=4\n", 99) + "object 4\n" +
				strings.Repeat("counter 4 65536 size=3 offset=4\n", 2) + second},
		},
		"more and fewer counters": {
			{text: second + second + second},
			{text: "object 4\n" + second + second},
			{text: "object 4\n" + counters + counters + "\n" + second + "object 5\n" + second},
		},
	} {
		var warm index.Index
		for i, step := range steps {
			b := encode(t, fixture(t, step.text))
			cold, err := decode(b, step.opt)
			if err != nil {
				t.Fatalf("%s, block %d: %v", name, i, err)
			}
			if err := datablock.Decode(b, &warm, step.opt); err != nil || !same(cold, &warm) {
				t.Errorf("%s, block %d: error %v, or another result:\n%+v\n%+v", name, i, err, cold, &warm)
			}
		}
	}
}

// TestTakenOver puts a mark on every counter of an index: it stays where
// definitions are those of the block before, which are not decoded again, and goes
// where anything about them differs.
func TestTakenOver(t *testing.T) {
	const counters = "counter 4 PERF_RAW_FRACTION\ncounter 4 PERF_RAW_BASE\n"
	const first, second = "object 2\n" + counters, "object 4 form=single\n" + counters + "values : 1 2\n"
	const whole = first + "instance \"a\" : 1 2\n" + second
	for _, c := range []struct {
		name, before, now string
		want              []bool // of each object: are the marks there
	}{
		{"nothing changed", whole, whole, []bool{true, true}},
		{"other values and instances", whole,
			first + "instance \"bc\" : 3 4\ninstance \"d\" : 1 2\n" + second,
			[]bool{true, true}},
		{"no instances", whole, first + second, []bool{true, true}},
		{"another default counter", whole, strings.Replace(whole, "2\n", "2 default=1\n", 1),
			[]bool{false, false}},
		{"another counter", whole, strings.Replace(whole, "counter 4 PERF_RAW_B", "counter 6 PERF_RAW_B", 1),
			[]bool{false, false}},
		{"another one in the second object", whole, whole[:len(first)+20] +
			strings.Replace(whole[len(first)+20:], "4 PERF_RAW_F", "6 PERF_RAW_F", 1),
			[]bool{true, false}},
		{"one object more", first, whole, []bool{true, false}},
		{"damaged", "object 2\ncounter 4 PERF_RAW_FRACTION", "object 2\ncounter 4 PERF_RAW_FRACTION",
			[]bool{false}},
	} {
		var ix index.Index
		if err := datablock.Decode(encode(t, fixture(t, c.before)), &ix, datablock.Options{}); err != nil {
			t.Fatal(err)
		}
		const mark = 77
		for k := range ix.Counters {
			ix.Counters[k].Scale = mark
		}
		if err := datablock.Decode(encode(t, fixture(t, c.now)), &ix, datablock.Options{}); err != nil {
			t.Fatal(err)
		}
		for i, o := range ix.Objects {
			for _, ctr := range ix.Counters[o.Counter0:o.CounterEnd] {
				if (ctr.Scale == mark) != c.want[i] {
					t.Errorf("%s: object %d was decoded with scale %d, taken over: want %t", c.name, i,
						ctr.Scale, c.want[i])
				}
			}
		}
	}
}

// TestWarmDecode allocates nothing and gives the same as a new index.
func TestWarmDecode(t *testing.T) {
	samples := perftest.Series(perftest.Small, 6, 20, 1)
	var warm index.Index
	for i, s := range samples {
		cold, err := decode(s.Bytes, datablock.Options{})
		if err != nil || len(cold.Damage) > 0 {
			t.Fatalf("sample %d: error %v, damage %v", i, err, cold.Damage)
		}
		if err := datablock.Decode(s.Bytes, &warm, datablock.Options{}); err != nil || !same(cold, &warm) {
			t.Fatalf("sample %d: error %v, or the warm index differs", i, err)
		}
	}
	next := 0
	allocs := testing.AllocsPerRun(100, func() {
		if err := datablock.Decode(samples[next%len(samples)].Bytes, &warm, datablock.Options{}); err != nil {
			t.Error(err)
		}
		next++
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

// TestMetadataClock shows that definitions without values need no clock.
func TestMetadataClock(t *testing.T) {
	for _, form := range []string{"metadata-multiple", "metadata-single"} {
		var ix index.Index
		b := encode(t, fixture(t, "block name=\"HOST\"\nobject 230 form="+form+
			"\ncounter 684 PERF_ELAPSED_TIME\ncounter 146 PERF_COUNTER_COUNTER"))
		if err := datablock.Decode(b, &ix, datablock.Options{}); err != nil || len(ix.Damage) != 0 {
			t.Errorf("%s: %v, damage %v", form, err, ix.Damage)
		}
	}
}

// TestReferenceBlocks makes sure that the codec agrees with the generator,
// which shares no code with it.
func TestReferenceBlocks(t *testing.T) {
	for _, size := range []perftest.Size{perftest.Small, perftest.Desktop} {
		b := perftest.Block(size)
		ix, err := decode(b, datablock.Options{})
		if err != nil || len(ix.Damage) > 0 {
			t.Fatalf("%v: error %v, damage %v", size, err, ix.Damage)
		}
		objects, instances, _ := size.Count()
		sum, n := sumColumns(ix)
		wantSum, want, err := perftest.Walk(b)
		if err != nil || sum != wantSum || n != want || len(ix.Objects) != objects ||
			len(ix.Instances) != instances {
			t.Errorf("%v: %d values, sum %d; want %d, sum %d (%v)", size, n, sum, want, wantSum, err)
		}
		parsed, err := perfdata.Parse(bytes.Clone(b), 0)
		if err != nil || !bytes.Equal(encode(t, parsed), b) {
			t.Errorf("%v: error %v, or encoded again it differs", size, err)
		}
	}
}
