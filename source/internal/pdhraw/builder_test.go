package pdhraw_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/source/internal/pdhraw"
)

const filetime = 130_058_022_178_447_225 // 2013-02-20 02:50:17.8447225 UTC

// single and array are counters. The time base of tick counters is 2 MHz.
func single(path string, typ counter.Type) pdhraw.Counter {
	p, err := winperf.ParsePath(path)
	if err != nil {
		panic(err)
	}
	base := int64(2_000_000)
	if typ.Clock() == counter.Clock100ns || typ.Clock() == counter.ObjectClock {
		base = 10_000_000
	}
	return pdhraw.Counter{Path: p, Type: typ, TimeBase: base}
}

func array(path string, typ counter.Type) pdhraw.Counter {
	c := single(path, typ)
	c.Array = true
	return c
}

// cell is what a sample has for a counter: a value, or those of instances.
type cell struct {
	pdhraw.Value
	items []item
}

type item struct {
	name string
	pdhraw.Value
}

func value(first, second int64) cell { return multi(first, second, 1) }

func multi(first, second int64, n uint32) cell {
	return cell{Value: pdhraw.Value{First: first, Second: second, Multi: n, Valid: true}}
}

// absent is the value of an instance that is not there, invalid one that says it is
// none.
var absent, invalid = cell{Value: pdhraw.Value{Absent: true}}, cell{Value: pdhraw.Value{First: 9}}

// items are the values of an array: name, first and second one after the other.
func items(all ...any) (c cell) {
	for i := 0; i < len(all); i += 3 {
		c.items = append(c.items, item{all[i].(string), value(int64(all[i+1].(int)), int64(all[i+2].(int))).Value})
	}
	return c
}

// build makes a builder of counters that get their titles from titles.
func build(counters []pdhraw.Counter, titles *pdhraw.Titles, valueClocks bool, bad func(string)) *pdhraw.Builder {
	for i := range counters {
		c := &counters[i]
		c.ObjectTitle, c.Title = titles.Index(c.Path.Object), titles.Index(c.Path.Counter)
	}
	return pdhraw.New("H", counters, pdhraw.Options{PerfFreq: 2_000_000, ValueClocks: valueClocks, Bad: bad})
}

// fill begins a sample with what it has for each counter.
func fill(b *pdhraw.Builder, sample []cell) {
	b.Begin()
	for i := range sample {
		b.Set(i, sample[i].Value)
		for _, it := range sample[i].items {
			b.Item(i, wire.AppendUTF16(nil, it.name), it.Value)
		}
	}
}

// log is a list with samples a second apart.
type log struct {
	list        []pdhraw.Counter
	samples     [][]cell
	valueClocks bool
}

// readings are the displayable values of the samples, or their statuses, by
// path.
func (l *log) readings(t *testing.T) (all []map[string]string, bad []string) {
	t.Helper()
	titles := pdhraw.NewTitles(winperf.NameTable{})
	b := build(l.list, titles, l.valueClocks, func(text string) { bad = append(bad, text) })
	var pool frame.Pool
	var cooker frame.Cooker
	var before frame.Frame
	for i, sample := range l.samples {
		fill(b, sample)
		at := winperf.FromFiletime(filetime).Add(time.Duration(i) * time.Second)
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: b.Append(nil, at)}
		raw.Schema = titles.Schema()
		f, err := pool.Decode(raw.Sample(), before)
		if err != nil || len(f.Damage()) > 0 {
			t.Fatal(err, f.Damage())
		}
		for _, err := range f.Damage() {
			t.Error(err)
		}
		if err := cooker.Set(before, f, counter.Options{}); err != nil {
			t.Fatal(err)
		}
		all = append(all, cooked(&cooker, f))
		before = f
	}
	return all, bad
}

func cooked(c *frame.Cooker, f frame.Frame) map[string]string {
	names, damage := nametable.FromSchema(f.Schema())
	all := map[string]string{}
	for _, d := range damage {
		all["damage"] = d.Error()
	}
	for o := range f.Objects() {
		pair := c.Object(o)
		path := winperf.Path{Object: names.Title(o.ID().Index), HasInstance: !o.Single()}
		for k := range o.NumCounters() {
			if o.Counter(k).Type.IsBase() {
				continue
			}
			col := pair.Column(k)
			path.Counter = names.Title(o.Counter(k).ID.Index)
			for i := range o.Len() {
				path.Instance, path.Index = o.Labels().Full(i), o.Labels().Occurrence(i)
				all[path.String()] = col.Status[i].String()
				if col.Status[i] == counter.OK {
					all[path.String()] = col.Value(i).String()
				}
			}
		}
	}
	return all
}

func TestBuilder(t *testing.T) {
	const sec = 10_000_000
	tests := []struct {
		name string
		log  log
		want []map[string]string
		bad  string
	}{
		{
			name: "counters, bases and clocks",
			log: log{
				list: []pdhraw.Counter{
					single(`\\H\Disk(0 C:)\Bytes/Read`, counter.AverageBulk),
					single(`\\H\Disk(0 C:)\sec/Read`, counter.AverageTimer),
					single(`\\H\Disk(0 C:)\Queue`, counter.QueueLen100NS),
					single(`\\H\Memory\% Used`, counter.RawFraction),
					single(`\\H\Memory\Faults/sec`, counter.CounterCounter),
					single(`\\H\System\Up Time`, counter.ElapsedTime),
					single(`\\H\System\Threads`, counter.RawCount),
				},
				samples: [][]cell{
					{value(1000, 10), value(4_000_000, 10), value(0, filetime), value(20, 50), value(100, 5_000_000), value(filetime-50*sec, filetime), value(77, 0)},
					{value(5096, 11), value(5_000_000, 12), value(5_000_000, filetime+sec), value(30, 60), value(350, 10_000_000), value(filetime-50*sec, filetime+sec), value(78, 0)},
				},
			},
			want: []map[string]string{
				{`\Disk(0 C:)\Bytes/Read`: "no_previous", `\Disk(0 C:)\sec/Read`: "no_previous", `\Disk(0 C:)\Queue`: "no_previous", `\Memory\% Used`: "40",
					`\Memory\Faults/sec`: "no_previous", `\System\Up Time`: "50", `\System\Threads`: "77"},
				{`\Disk(0 C:)\Bytes/Read`: "4096", `\Disk(0 C:)\sec/Read`: "0.25", `\Disk(0 C:)\Queue`: "0.5", `\Memory\% Used`: "50",
					`\Memory\Faults/sec`: "100", `\System\Up Time`: "51", `\System\Threads`: "78"},
			},
		},
		{
			name: "a multi-timer and an inverse one",
			log: log{
				list: []pdhraw.Counter{single(`\\H\Group(g)\% Busy`, counter.MultiTimer100NSec), single(`\\H\Group(g)\% Idle`, counter.MultiTimerInv100NSec)},
				samples: [][]cell{
					{multi(0, filetime, 4), multi(0, filetime, 4)},
					{multi(24_000_000, filetime+sec, 4), multi(24_000_000, filetime+sec, 4)},
				},
			},
			want: []map[string]string{
				{`\Group(g)\% Busy`: "no_previous", `\Group(g)\% Idle`: "no_previous"},
				{`\Group(g)\% Busy`: "60", `\Group(g)\% Idle`: "160"},
			},
		},
		{
			name: "statuses",
			log: log{
				list: []pdhraw.Counter{
					single(`\\H\P(a)\N`, counter.RawCount), single(`\\H\P(b)\N`, counter.RawCount), single(`\\H\P(b)\M`, counter.RawCount),
					single(`\\H\S\N`, counter.RawCount), single(`\\H\S\M`, counter.RawCount),
				},
				samples: [][]cell{
					{value(1, 0), value(2, 0), value(3, 0), value(4, 0), value(5, 0)},
					{absent, invalid, value(0, 0), invalid, value(6, 0)},
					{invalid, value(2, 0), value(3, 0), value(4, 0), invalid},
				},
			},
			want: []map[string]string{
				{`\P(a)\N`: "1", `\P(a)\M`: "invalid_data", `\P(b)\N`: "2", `\P(b)\M`: "3", `\S\N`: "4", `\S\M`: "5"},
				{`\P(b)\N`: "invalid_data", `\P(b)\M`: "0", `\S\N`: "invalid_data", `\S\M`: "6"},
				{`\P(a)\N`: "invalid_data", `\P(a)\M`: "invalid_data", `\P(b)\N`: "2", `\P(b)\M`: "3", `\S\N`: "4", `\S\M`: "invalid_data"},
			},
		},
		{
			name: "arrays whose instances come and go, and differ",
			log: log{
				list: []pdhraw.Counter{array(`\\H\P(*)\N`, counter.RawCount), array(`\\H\P(*)\M`, counter.RawCount)},
				samples: [][]cell{
					{items("a", 1, 0, "b", 2, 0, "b", 3, 0), items("b", 5, 0, "c", 6, 0)},
					{items("B", 2, 0), items("b", 5, 0)},
					{items(), items()},
				},
			},
			want: []map[string]string{
				{`\P(a)\N`: "1", `\P(b)\N`: "2", `\P(b#1)\N`: "3", `\P(c)\N`: "invalid_data", `\P(a)\M`: "invalid_data", `\P(b)\M`: "5", `\P(b#1)\M`: "invalid_data", `\P(c)\M`: "6"},
				{`\P(B)\N`: "2", `\P(B)\M`: "5"},
				{},
			},
		},
		{
			name: "numbers of instances",
			log: log{
				list: []pdhraw.Counter{array(`\\H\P(*)\N`, counter.RawCount), single(`\\H\Q(p/x#2)\N`, counter.RawCount), single(`\\H\P(svc#1)\M`, counter.RawCount)},
				samples: [][]cell{
					{items("svc", 1, 0, "svc#1", 2, 0, "build#5", 3, 0), value(7, 0), value(8, 0)},
				},
			},
			want: []map[string]string{
				{`\P(svc)\N`: "1", `\P(svc#1)\N`: "2", `\P(build#5#0)\N`: "3", `\P(svc)\M`: "invalid_data", `\P(svc#1)\M`: "8", `\P(build#5#0)\M`: "invalid_data",
					`\Q(p/x)\N`: "invalid_data", `\Q(p/x#1)\N`: "invalid_data", `\Q(p/x#2)\N`: "7"},
			},
		},
		{
			name: "an instance that is there twice beside one without a value",
			log: log{
				list:    []pdhraw.Counter{array(`\\H\P(*)\N`, counter.RawCount), single(`\\H\P(a)\N`, counter.RawCount), single(`\\H\P(c)\N`, counter.RawCount)},
				samples: [][]cell{{items("a", 1, 0, "b", 2, 0), value(1, 0), invalid}},
			},
			want: []map[string]string{{`\P(a)\N`: "1", `\P(b)\N`: "2", `\P(c)\N`: "invalid_data"}},
		},
		{
			name: "a number that is too high",
			log: log{
				list:    []pdhraw.Counter{single(`\\H\Q(x#2147483647)\N`, counter.RawCount), single(`\\H\Q(y)\N`, counter.RawCount)},
				samples: [][]cell{{value(7, 0), value(8, 0)}},
			},
			want: []map[string]string{{`\Q(y)\N`: "8"}},
			bad:  "numbers that are too high",
		},
		{
			name: "values that need more than 4 bytes",
			log: log{
				list:    []pdhraw.Counter{single(`\\H\S\N`, counter.RawCount), single(`\\H\S\F`, counter.RawFraction)},
				samples: [][]cell{{value(7, 0), value(1, 4)}, {value(1<<40, 0), value(1<<40, 1<<42)}, {value(8, 0), value(3, 4)}},
			},
			want: []map[string]string{{`\S\N`: "7", `\S\F`: "25"}, {`\S\N`: "1099511627776", `\S\F`: "25"}, {`\S\N`: "8", `\S\F`: "75"}},
		},
		{
			name: "objects that were taken at other times",
			log: log{
				list: []pdhraw.Counter{
					single(`\\H\A\% T`, counter.Timer100NSec), single(`\\H\B\% T`, counter.Timer100NSec), single(`\\H\C\% T`, counter.Timer100NSec), single(`\\H\C\N/sec`, counter.CounterCounter),
				},
				samples: [][]cell{
					{value(0, filetime), value(0, filetime+sec/10), value(0, filetime), value(0, 0)},
					{value(sec/2, filetime+sec), value(sec/2, filetime+sec), value(sec/2, filetime+sec+sec), value(8, 2_000_000)},
					{value(sec, filetime+2*sec), value(sec, filetime+2*sec), value(sec, filetime+3*sec), value(16, 6_000_000)},
				},
			},
			want: []map[string]string{
				{`\A\% T`: "no_previous", `\B\% T`: "no_previous", `\C\% T`: "no_previous", `\C\N/sec`: "no_previous"},
				{`\A\% T`: "50", `\B\% T`: "55.55555555555556", `\C\% T`: "25", `\C\N/sec`: "8"},
				{`\A\% T`: "50", `\B\% T`: "50", `\C\% T`: "50", `\C\N/sec`: "4"},
			},
		},
		{
			name: "a clock that is not that of the object",
			log: log{
				list: []pdhraw.Counter{
					single(`\\H\A\% T`, counter.Timer100NSec), single(`\\H\A\% U`, counter.Timer100NSec), single(`\\H\A\% V`, counter.Timer100NSec),
				},
				samples: [][]cell{
					{value(0, filetime), value(0, filetime), value(0, filetime)},
					{value(sec/2, filetime+sec+1<<30), value(sec/2, filetime+sec), value(sec/2, filetime+sec)},
				},
			},
			want: []map[string]string{
				{`\A\% T`: "no_previous", `\A\% U`: "no_previous", `\A\% V`: "no_previous"},
				{`\A\% T`: "invalid_data", `\A\% U`: "50", `\A\% V`: "50"},
			},
			bad: "has a clock of",
		},
		{
			name: "time bases that do not agree",
			log: log{
				list: []pdhraw.Counter{
					single(`\\H\A\N/sec`, counter.CounterCounter), single(`\\H\A\M/sec`, counter.CounterCounter),
					{Path: winperf.Path{Machine: "H", Object: "A", Counter: "O/sec"}, Type: counter.CounterCounter, TimeBase: 7},
				},
				samples: [][]cell{{value(0, 0), value(0, 0), value(0, 0)}, {value(1, 2_000_000), value(2, 2_000_000), value(3, 2_000_000)}},
			},
			want: []map[string]string{
				{`\A\N/sec`: "no_previous", `\A\M/sec`: "no_previous", `\A\O/sec`: "unsupported"},
				{`\A\N/sec`: "1", `\A\M/sec`: "2", `\A\O/sec`: "unsupported"},
			},
			bad: "a time base of 7",
		},
		{
			name: "clocks of their own",
			log: log{
				valueClocks: true,
				list: []pdhraw.Counter{
					single(`\\H\A\% T`, counter.Timer100NSec), single(`\\H\A\% U`, counter.Timer100NSec), single(`\\H\A\% V`, counter.Timer100NSec),
					single(`\\H\A\% M`, counter.MultiTimer100NSec), single(`\\H\A\Up`, counter.ElapsedTime), single(`\\H\A\N`, counter.RawCount),
				},
				samples: [][]cell{
					{value(0, filetime), value(0, filetime), value(0, filetime-sec), multi(0, filetime+7, 4), value(filetime-sec, filetime), value(1, 0)},
					{value(sec/2, filetime+sec), value(sec/2, filetime+sec), value(sec/2, filetime+sec), multi(8*sec, filetime+7+4*sec, 4), value(filetime-sec, filetime+sec), value(2, 0)},
					{value(sec, filetime+2*sec), value(sec, filetime+2*sec), invalid, invalid, value(filetime-sec, filetime+9*sec), value(3, 0)},
				},
			},
			want: []map[string]string{
				{`\A\% T`: "no_previous", `\A\% U`: "no_previous", `\A\% V`: "no_previous", `\A\% M`: "no_previous", `\A\Up`: "1", `\A\N`: "1"},
				{`\A\% T`: "50", `\A\% U`: "50", `\A\% V`: "25", `\A\% M`: "50", `\A\Up`: "2", `\A\N`: "2"},
				{`\A\% T`: "50", `\A\% U`: "50", `\A\% V`: "invalid_data", `\A\% M`: "invalid_data", `\A\Up`: "10", `\A\N`: "3"},
			},
		},
		{
			name: "frequencies of their own",
			log: log{
				valueClocks: true,
				list: []pdhraw.Counter{
					array(`\\H\P(*)\N/sec`, counter.BulkCount), single(`\\H\P(c)\N/sec`, counter.BulkCount), array(`\\H\P(b*)\M/sec`, counter.CounterCounter),
					{Path: winperf.Path{Machine: "H", Object: "P", Counter: "M/sec", HasInstance: true, Instance: "c"}, Type: counter.CounterCounter, TimeBase: 10},
				},
				samples: [][]cell{
					{items("a", 0, 0, "b", 0, 100), value(0, 0), items("b", 0, 0), value(0, 0)},
					{items("a", 7, 2_000_000, "b", 8, 4_000_100), value(9, 2_000_000), items("b", 5, 2_000_000), value(6, 20)},
				},
			},
			want: []map[string]string{
				{`\P(a)\N/sec`: "no_previous", `\P(b)\N/sec`: "no_previous", `\P(c)\N/sec`: "no_previous", `\P(a)\M/sec`: "no_previous", `\P(b)\M/sec`: "no_previous", `\P(c)\M/sec`: "no_previous"},
				{`\P(a)\N/sec`: "7", `\P(b)\N/sec`: "4", `\P(c)\N/sec`: "9", `\P(a)\M/sec`: "invalid_data", `\P(b)\M/sec`: "5", `\P(c)\M/sec`: "3"},
			},
		},
		{
			name: "an object that is not there",
			log: log{
				list: []pdhraw.Counter{single(`\\H\S\N`, counter.RawCount), single(`\\H\S\M`, counter.RawCount)},
				samples: [][]cell{
					{value(1, 0), value(2, 0)}, {absent, value(3, 0)}, {absent, absent}, {value(4, 0), invalid},
				},
			},
			want: []map[string]string{{`\S\N`: "1", `\S\M`: "2"}, {`\S\N`: "invalid_data", `\S\M`: "3"}, {}, {`\S\N`: "4", `\S\M`: "invalid_data"}},
		},
		{
			name: "arrays of some instances",
			log: log{
				list:    []pdhraw.Counter{array(`\\H\P(a*)\N`, counter.RawCount), array(`\\H\P(*b)\N`, counter.RawCount)},
				samples: [][]cell{{items("ab", 1, 0, "ac", 2, 0), items("ab", 1, 0, "bb", 3, 0)}},
			},
			want: []map[string]string{{`\P(ab)\N`: "1", `\P(ac)\N`: "2", `\P(bb)\N`: "3"}},
		},
		{
			name: "the same entry twice, in either case",
			log: log{
				list:    []pdhraw.Counter{single(`\\H\S\N`, counter.RawCount), single(`\\h\s\n`, counter.RawCount)},
				samples: [][]cell{{value(7, 0), value(8, 0)}},
			},
			want: []map[string]string{{`\S\N`: "7"}},
		},
		{
			name: "types without a number, and unknown ones",
			log: log{
				list: []pdhraw.Counter{single(`\\H\S\Head`, counter.NoData), single(`\\H\S\Text`, counter.CounterText), single(`\\H\S\What`, 0x12345678), single(`\\H\S\N`, counter.RawCount)},
				samples: [][]cell{
					{value(7, 0), value(8, 0), value(9, 0), value(10, 0)},
				},
			},
			want: []map[string]string{{`\S\Head`: "unsupported", `\S\Text`: "unsupported", `\S\What`: "unsupported", `\S\N`: "10"}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, bad := test.log.readings(t)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			text := strings.Join(bad, "\n")
			if test.bad == "" && text != "" || !strings.Contains(text, test.bad) {
				t.Errorf("left out: %q, want %q", text, test.bad)
			}
		})
	}
}

// TestSparse bounds what many counters of different instances of one object take.
func TestSparse(t *testing.T) {
	var l log
	var values []cell
	const n = 3000 // 9 million places for 3,000 values
	for i := range n {
		l.list = append(l.list, single(fmt.Sprintf(`\\H\S(i%d)\c%d`, i, i), counter.RawCount))
		values = append(values, value(int64(i), 0))
	}
	l.list = append(l.list, single(`\\H\T\N`, counter.RawCount))
	l.samples = [][]cell{append(values, value(5, 0))}
	got, bad := l.readings(t)
	if len(bad) != 1 || !strings.Contains(bad[0], "too few values") {
		t.Errorf("left out: %v", bad)
	}
	if diff := cmp.Diff([]map[string]string{{`\T\N`: "5"}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTitles gives names the same indices again, and those that a log has.
func TestTitles(t *testing.T) {
	table, err := nametable.FromMap(nametable.Counter, map[uint32]string{1: "1847", 238: "Processor", 4000: "processor", 2_000_000: "High"})
	if err != nil {
		t.Fatal(err)
	}
	titles := pdhraw.NewTitles(table.NameTable("009"))
	if i := titles.Index("PROCESSOR"); i != 238 {
		t.Errorf("Processor is %d", i)
	}
	schema := titles.Schema()
	clone := titles.Clone()
	if clone.Schema() != schema {
		t.Error("the clone has another schema")
	}
	mine := clone.Index("New name")
	if mine <= 2_000_000 || mine%2 != 0 || clone.Index("new NAME") != mine || clone.Schema() == schema || titles.Schema() != schema {
		t.Errorf("a new name has the index %d", mine)
	}
	names, damage := nametable.FromSchema(clone.Schema())
	if len(damage) > 0 || names.Title(mine) != "New name" || names.Title(238) != "Processor" {
		t.Errorf("names %q and %q, damage %v", names.Title(mine), names.Title(238), damage)
	}
	plain := pdhraw.NewTitles(winperf.NameTable{})
	if i := plain.Index("ID Process"); i != 784 {
		t.Errorf("ID Process is %d", i)
	}
}

// block is a stored block of one object at a time.
func block(t *testing.T, title uint32, c counter.Clocks) []byte {
	t.Helper()
	b := perfdata.Block{PerfTime: c.PerfTime, PerfFreq: c.PerfFreq, Time100ns: c.Time100ns, Objects: []perfdata.Object{{
		Title: title, Form: perfdata.Single, Counters: []perfdata.Counter{perfdata.NewCounter(title+2, counter.CounterCounter)},
	}}}
	o := &b.Objects[0]
	o.Layout(false)
	if _, err := o.AddInstance(""); err != nil {
		t.Fatal(err)
	}
	if err := o.SetValue(0, 0, uint64(c.PerfTime)); err != nil {
		t.Fatal(err)
	}
	if err := b.SetMachine("STORED"); err != nil {
		t.Fatal(err)
	}
	encoded, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestBlocks joins stored blocks, of which one was taken at another time, one is
// damaged and one belongs to no entry.
func TestBlocks(t *testing.T) {
	at := counter.Clocks{PerfTime: 1000, PerfFreq: 10, Time100ns: filetime}
	later := counter.Clocks{PerfTime: 1010, PerfFreq: 10, Time100ns: filetime + 10_000_000}
	damaged := block(t, 30, at)
	damaged[88+16]++ // the length of the object
	damaged[88+17]++
	var bad []string
	b := build([]pdhraw.Counter{single(`\\H\D\N`, counter.RawCount)}, pdhraw.NewTitles(winperf.NameTable{}), false, func(text string) { bad = append(bad, text) })
	fill(b, []cell{value(5, 0)})
	b.Block("A", block(t, 10, at))
	b.Block("B", block(t, 20, later))
	b.Block("C", damaged)
	b.Block("", block(t, 40, at))
	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: b.Append(nil, winperf.FromFiletime(filetime))}.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 {
		t.Fatal(err, f.Damage())
	}
	if len(bad) != 1 || !strings.Contains(bad[0], "the block of C") {
		t.Errorf("left out: %v", bad)
	}
	var got []string
	for o := range f.Objects() {
		v, _ := o.Raw(0, 0)
		got = append(got, fmt.Sprint(o.ID().Index, " ", v, " ", o.Clocks().PerfTime))
	}
	want := []string{"10 1000 1000", "20 1010 1010", "40 1000 1000", "1000000 5 1000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Machine() != "H" {
		t.Errorf("machine %q", f.Machine())
	}
}

// TestDamagedBlocks tells what is wrong with a stored block. What is whole of one
// that is cut stays.
func TestDamagedBlocks(t *testing.T) {
	whole := block(t, 10, counter.Clocks{PerfTime: 1000, PerfFreq: 10, Time100ns: filetime})
	change := func(at int, v uint32) []byte {
		b := slices.Clone(whole)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	const total, header, objects = 20, 24, 28 // offsets in PERF_DATA_BLOCK (winperf.h)
	for _, c := range []struct {
		name  string
		block []byte
		bad   string
		want  int // objects
	}{
		{"whole", whole, "", 1},
		{"no block", whole[:80], "", 0},
		{"a total that is too short", change(total, 87), "the block of A: bad length at byte 20", 0},
		{"a head that is too short", change(header, 87), "the block of A: bad length at byte 24", 0},
		{"a head that is too long", change(header, 1<<31), "the block of A: bad length at byte 24", 0},
		{"a total that is too long", change(total, 1<<20), "", 1},
		{"an object more", change(objects, 2), "the block of A: object 2 of 2: truncated", 1},
		{"a cut object", whole[:len(whole)-8], "the block of A: object 1 of 1: bad length", 0},
	} {
		var bad []string
		b := pdhraw.New("H", nil, pdhraw.Options{PerfFreq: 10, Bad: func(text string) { bad = append(bad, text) }})
		b.Begin()
		b.Block("A", c.block)
		_, count, err := datablock.Objects(b.Append(nil, winperf.FromFiletime(filetime)), 0)
		if err != nil || int(count) != c.want {
			t.Errorf("%s: %d objects, %v; want %d", c.name, count, err, c.want)
		}
		if told := strings.Join(bad, "\n"); !strings.HasPrefix(told, c.bad) || c.bad == "" && told != "" {
			t.Errorf("%s: told %q, want %q", c.name, told, c.bad)
		}
	}
}

// TestDefinitions gives objects without instances.
func TestDefinitions(t *testing.T) {
	list := []pdhraw.Counter{array(`\\H\P(*)\N`, counter.RawCount), single(`\\H\S\F`, counter.RawFraction), single(`\\H\T\N`, counter.RawCount)}
	b := build(list, pdhraw.NewTitles(winperf.NameTable{}), false, func(text string) { t.Error(text) })
	b.Select(selection.Parts(winperf.Selection{Objects: []winperf.ObjectID{{Index: list[0].ObjectTitle}, {Index: list[1].ObjectTitle}}}))
	block, err := b.AppendDefinitions(nil, winperf.FromFiletime(filetime))
	if err != nil {
		t.Fatal(err)
	}
	var pool frame.Pool
	f, err := pool.Decode(winperf.Raw{Format: winperf.FormatV1, Bytes: block}.Sample(), frame.Frame{})
	if err != nil || len(f.Damage()) > 0 || f.NumObjects() != 2 {
		t.Fatal(err, f.Damage(), f.NumObjects())
	}
	for o := range f.Objects() {
		if !o.Metadata() || o.Len() != 0 || o.Single() != (o.NumCounters() == 2) {
			t.Errorf("object %d: %d instances, %d counters, single %v", o.ID().Index, o.Len(), o.NumCounters(), o.Single())
		}
	}
}

// TestSplitter tells numbers of equal names from those that are a part of the name.
func TestSplitter(t *testing.T) {
	var s pdhraw.Splitter
	var got []string
	for _, name := range []string{"a", "a#1", "A", "a#7", "#1", "b#1", "a#3", "a#03"} {
		plain, occurrence := s.Split(name)
		got = append(got, fmt.Sprintf("%s:%d", plain, occurrence))
	}
	if diff := cmp.Diff("a:0 a:1 A:2 a#7:0 #1:0 b#1:0 a:3 a#03:0", strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
}

// TestAppendAllocates nothing once the instances are known.
func TestAppendAllocates(t *testing.T) {
	list := []pdhraw.Counter{array(`\\H\P(*)\N`, counter.RawCount), single(`\\H\S\F`, counter.RawFraction), single(`\\H\S\M`, counter.RawCount)}
	b := build(list, pdhraw.NewTitles(winperf.NameTable{}), false, func(text string) { t.Error(text) })
	at := winperf.FromFiletime(filetime)
	names := [][]byte{wire.AppendUTF16(nil, "a"), wire.AppendUTF16(nil, "b")}
	var buf []byte
	sample := func() {
		b.Begin()
		for i, name := range names {
			b.Item(0, name, pdhraw.Value{First: int64(i), Valid: true})
		}
		b.Set(1, pdhraw.Value{First: 1, Second: 2, Valid: true})
		b.Set(2, pdhraw.Value{})
		buf = b.Append(buf[:0], at)
	}
	sample()
	sample()
	if n := testing.AllocsPerRun(100, sample); n > 0 {
		t.Errorf("%v allocations a sample", n)
	}
}

// TestDenied: what PDH may not read has that status, whatever is in its fields.
func TestDenied(t *testing.T) {
	refused := cell{Value: pdhraw.Value{First: 9, Denied: true}}
	several := items("a", 1, 0, "b", 2, 0)
	several.items[1].Value = refused.Value
	l := log{
		list:    []pdhraw.Counter{single(`\\H\S\A`, counter.RawCount), single(`\\H\S\B`, counter.RawFraction), array(`\\H\P(*)\N`, counter.RawCount)},
		samples: [][]cell{{refused, refused, several}, {value(1, 0), invalid, items("a", 1, 0, "b", 2, 0)}},
	}
	got, bad := l.readings(t)
	want := []map[string]string{
		{`\S\A`: "not_permitted", `\S\B`: "not_permitted", `\P(a)\N`: "1", `\P(b)\N`: "not_permitted"},
		{`\S\A`: "1", `\S\B`: "invalid_data", `\P(a)\N`: "1", `\P(b)\N`: "2"},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(bad) > 0 {
		t.Error(diff, bad)
	}
}
