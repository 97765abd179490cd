package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/perfdata"
)

// results cooks every counter of every instance: "value" or the status.
func results(p *frame.Pair, f frame.Frame) []string {
	var out []string
	o := f.Object(0)
	for k := range o.NumCounters() {
		if o.Counter(k).Type.IsBase() {
			continue
		}
		col := p.Column(k)
		for i := range col.Status {
			if col.Status[i] == counter.OK {
				out = append(out, col.Value(i).String())
			} else {
				out = append(out, col.Status[i].String())
			}
		}
	}
	return out
}

const at0 = "block name=\"HOST\" perftime=1000 perffreq=100 time100ns=133500000000000000\n"
const at1 = "block name=\"HOST\" perftime=1200 perffreq=100 time100ns=133500000020000000\n" // 2 seconds later

func TestCook(t *testing.T) {
	for _, tt := range []struct {
		name         string
		older, newer string
		opt          counter.Options
		want         []string
	}{
		{
			name:  "rates, timers and raw counts",
			older: at0 + "object 238\n counter 6 PERF_100NSEC_TIMER_INV\n counter 148 PERF_COUNTER_COUNTER\n counter 10 PERF_COUNTER_LARGE_RAWCOUNT\n instance \"0\" : 0 100 5\n",
			newer: at1 + "object 238\n counter 6 PERF_100NSEC_TIMER_INV\n counter 148 PERF_COUNTER_COUNTER\n counter 10 PERF_COUNTER_LARGE_RAWCOUNT\n instance \"0\" : 15000000 150 18446744073709551615\n",
			want:  []string{"25", "25", "18446744073709551615"},
		},
		{
			name:  "first sample",
			newer: at1 + "object 238\n counter 6 PERF_100NSEC_TIMER_INV\n counter 10 PERF_COUNTER_LARGE_RAWCOUNT\n instance \"0\" : 1 5\n",
			want:  []string{"no_previous", "5"},
		},
		{
			name:  "averages, fractions, elapsed time",
			older: at0 + "object 234 time=5000 freq=1000\n counter 206 PERF_AVERAGE_TIMER\n counter 0 PERF_AVERAGE_BASE\n counter 224 PERF_AVERAGE_BULK\n counter 0 PERF_AVERAGE_BASE\n counter 408 PERF_RAW_FRACTION\n counter 0 PERF_RAW_BASE\n counter 684 PERF_ELAPSED_TIME\n instance \"C:\" : 100 10 4096 1 20 50 1000\n",
			newer: at1 + "object 234 time=7000 freq=1000\n counter 206 PERF_AVERAGE_TIMER\n counter 0 PERF_AVERAGE_BASE\n counter 224 PERF_AVERAGE_BULK\n counter 0 PERF_AVERAGE_BASE\n counter 408 PERF_RAW_FRACTION\n counter 0 PERF_RAW_BASE\n counter 684 PERF_ELAPSED_TIME\n instance \"C:\" : 200 20 4096 1 25 50 1000\n",
			want:  []string{"0.1", "0", "50", "6"},
		},
		{
			name:  "multi-timers with a base definition and with the count behind the value",
			older: at0 + "object 1000\n counter 1002 PERF_100NSEC_MULTI_TIMER\n counter 0 PERF_COUNTER_MULTI_BASE\n counter 1004 PERF_COUNTER_MULTI_TIMER offset=24\n counter 1006 PERF_COUNTER_RAWCOUNT offset=32\n instance \"0\" : 0 4 0 4\n",
			newer: at1 + "object 1000\n counter 1002 PERF_100NSEC_MULTI_TIMER\n counter 0 PERF_COUNTER_MULTI_BASE\n counter 1004 PERF_COUNTER_MULTI_TIMER offset=24\n counter 1006 PERF_COUNTER_RAWCOUNT offset=32\n instance \"0\" : 40000000 4 400 4\n",
			want:  []string{"50", "50", "4"},
		},
		{
			name:  "missing base",
			older: at0 + "object 234\n counter 206 PERF_AVERAGE_TIMER\n counter 10 PERF_COUNTER_RAWCOUNT\n instance \"C:\" : 100 1\n",
			newer: at1 + "object 234\n counter 206 PERF_AVERAGE_TIMER\n counter 10 PERF_COUNTER_RAWCOUNT\n instance \"C:\" : 200 2\n",
			want:  []string{"invalid_data", "2"},
		},
		{
			name:  "text, headings, unknown types",
			newer: at1 + "object 1000 codepage=1252\n counter 1002 PERF_COUNTER_TEXT size=8\n counter 1004 0x10B00 size=4\n counter 1006 PERF_COUNTER_NODATA\n counter 1008 0x80000000 size=4\n instance \"x\" : \"ab\" hex:e4620000 - 1\n",
			want:  []string{"ab", "äb", "unsupported", "unsupported"},
		},
		{
			name:  "values marked as missing, now and before",
			older: at0 + "object 1000 missing=auto\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_COUNTER\n counter 14 PERF_RAW_FRACTION\n counter 0 PERF_RAW_BASE\n instance \"a\" : 1 100 1 2\n instance \"b\" : 1 ?100 1 2\n",
			newer: at1 + "object 1000 missing=auto\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_COUNTER\n counter 14 PERF_RAW_FRACTION\n counter 0 PERF_RAW_BASE\n instance \"a\" : ?1 150 1 ?2\n instance \"b\" : 1 150 1 2\n",
			want:  []string{"invalid_data", "1", "25", "no_previous", "invalid_data", "50"},
		},
		{
			name:  "a value marked as missing in the newer sample only",
			older: at0 + "object 1000\n counter 12 PERF_COUNTER_COUNTER\n instance \"a\" : 100\n instance \"b\" : 100\n",
			newer: at1 + "object 1000 missing=auto\n counter 12 PERF_COUNTER_COUNTER\n instance \"a\" : ?150\n instance \"b\" : 200\n",
			want:  []string{"invalid_data", "50"},
		},
		{
			name:  "a value marked as missing in the older sample only",
			older: at0 + "object 1000 missing=auto\n counter 12 PERF_COUNTER_COUNTER\n instance \"a\" : ?100\n instance \"b\" : 100\n",
			newer: at1 + "object 1000\n counter 12 PERF_COUNTER_COUNTER\n instance \"a\" : 150\n instance \"b\" : 200\n",
			want:  []string{"no_previous", "50"},
		},
		{
			name:  "a value marked as missing in the first sample",
			newer: at1 + "object 1000 missing=auto\n counter 12 PERF_COUNTER_RAWCOUNT\n instance \"a\" : ?150\n instance \"b\" : 200\n",
			want:  []string{"invalid_data", "200"},
		},
		{
			name:  "a block too short for one counter of one instance",
			older: at0 + "object 1000\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_BULK_COUNT\n instance \"a\" : 1 100\n instance \"b\" : 1 100\n",
			newer: at1 + "object 1000\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_COUNTER_BULK_COUNT\n instance \"a\" size=8 : 1 -\n instance \"b\" : 2 300\n",
			want:  []string{"1", "2", "invalid_data", "100"},
		},
		{
			name:  "a clock that stands still, a clock that went back",
			older: at1 + "object 238\n counter 148 PERF_COUNTER_COUNTER\n counter 6 PERF_100NSEC_TIMER\n instance \"0\" : 1 1\n",
			newer: "block name=\"HOST\" perftime=1200 perffreq=100 time100ns=133500000000000000\nobject 238\n counter 148 PERF_COUNTER_COUNTER\n counter 6 PERF_100NSEC_TIMER\n instance \"0\" : 2 2\n",
			want:  []string{"invalid_data", "negative_denominator"},
		},
		{
			name:  "a total that fell is never taken for a wrap, an instance's 4-byte counter is",
			older: at0 + "object 238\n counter 148 PERF_COUNTER_COUNTER\n counter 150 PERF_COUNTER_BULK_COUNT\n instance \"0\" : 0xFFFFFF9C 10\n instance \"_Total\" : 0xFFFFFF9C 10\n",
			newer: at1 + "object 238\n counter 148 PERF_COUNTER_COUNTER\n counter 150 PERF_COUNTER_BULK_COUNT\n instance \"0\" : 100 9\n instance \"_Total\" : 100 9\n",
			want:  []string{"100", "negative_value", "negative_value", "negative_value"},
		},
		{
			name:  "definitions that moved, came and changed their type",
			older: at0 + "object 238\n counter 1 PERF_COUNTER_COUNTER\n counter 2 PERF_COUNTER_BULK_COUNT\n counter 3 PERF_COUNTER_COUNTER\n instance \"0\" : 100 200 300\n",
			newer: at1 + "object 238\n counter 2 PERF_COUNTER_BULK_COUNT\n counter 1 PERF_COUNTER_COUNTER\n counter 4 PERF_COUNTER_COUNTER\n counter 3 PERF_COUNTER_BULK_COUNT\n instance \"0\" : 400 200 5 600\n",
			want:  []string{"100", "50", "no_previous", "invalid_data"},
		},
		{
			name:  "one counter defined twice",
			older: at0 + "object 238\n counter 1 PERF_COUNTER_COUNTER\n counter 1 PERF_COUNTER_COUNTER\n counter 9 PERF_COUNTER_RAWCOUNT\n instance \"0\" : 100 200 1\n",
			newer: at1 + "object 238\n counter 1 PERF_COUNTER_COUNTER\n counter 1 PERF_COUNTER_COUNTER\n instance \"0\" : 200 400\n",
			want:  []string{"50", "100"},
		},
		{
			name:  "a base that came",
			older: at0 + "object 234\n counter 224 PERF_AVERAGE_BULK\n counter 9 PERF_COUNTER_RAWCOUNT\n instance \"C:\" : 100 1\n",
			newer: at1 + "object 234\n counter 224 PERF_AVERAGE_BULK\n counter 0 PERF_AVERAGE_BASE\n instance \"C:\" : 200 20\n",
			want:  []string{"no_previous"},
		},
		{
			name:  "single instance became many",
			older: at0 + "object 238 form=single\n counter 1 PERF_COUNTER_COUNTER\n values : 100\n",
			newer: at1 + "object 238\n counter 1 PERF_COUNTER_COUNTER\n instance \"0\" : 200\n",
			want:  []string{"no_previous"},
		},
		{
			name:  "options reach the formulas",
			older: at0 + "object 238\n counter 6 PERF_100NSEC_TIMER\n instance \"0\" : 0\n",
			newer: at1 + "object 238\n counter 6 PERF_100NSEC_TIMER\n instance \"0\" : 40000000\n",
			opt:   counter.Options{Cap100: true},
			want:  []string{"100"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, f := pair(t, tt.older, tt.newer, tt.opt)
			if diff := cmp.Diff(tt.want, results(p, f)); diff != "" {
				t.Error(diff)
			}
			n := f.Object(0).NumCounters()
			for k := range n {
				col := p.Column(k)
				checkCook(t, p, n, k, shown(&col))
			}
		})
	}
}

// TestSizes shows that every instance has its own values, numbers and texts, in as
// many instances as fill a run or a strip and in one more or less.
func TestSizes(t *testing.T) {
	const defs = "object 1000\n counter 10 PERF_COUNTER_TEXT size=16\n counter 12 PERF_COUNTER_LARGE_DELTA\n"
	for _, n := range []int{1, 2, 127, 128, 129, 256, 300, 4096, 4097, 8192} {
		older, newer := strings.Builder{}, strings.Builder{}
		older.WriteString(at0 + defs)
		newer.WriteString(at1 + defs)
		for i := range n {
			fmt.Fprintf(&older, " instance \"i%d\" : \"x\" %d\n", i, i)
			fmt.Fprintf(&newer, " instance \"i%d\" : \"t%d\" %d\n", i, i, 3*i)
		}
		p, _ := pair(t, older.String(), newer.String(), counter.Options{})

		cols := []frame.Cooked{room(p, 0, nil), room(p, 1, nil)}
		p.Cook(cols)
		for i := range n {
			if got := cols[0].Value(i).String(); got != fmt.Sprint("t", i) {
				t.Errorf("%d instances: text %d is %q", n, i, got)
			}
			if got := cols[1].Value(i).String(); got != fmt.Sprint(2*i) {
				t.Errorf("%d instances: value %d is %s", n, i, got)
			}
		}
		for k := range 2 {
			column := p.Column(k)
			checkCook(t, p, 2, k, shown(&column))
		}
	}
}

// TestShortBlocks cooks samples of the same definitions, some of which have a
// block that is too short for the last counters, with one Cooker after the other.
func TestShortBlocks(t *testing.T) {
	const defs = "object 1000\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 12 PERF_AVERAGE_BULK\n counter 0 PERF_AVERAGE_BASE\n counter 14 PERF_COUNTER_BULK_COUNT\n"
	var pool frame.Pool
	whole := take(t, &pool, block(t, at0+defs+" instance \"a\" : 1 10 1 100\n instance \"b\" : 2 20 2 200\n"), frame.Frame{})
	short := take(t, &pool, block(t, at1+defs+" instance \"a\" : 3 30 3 300\n instance \"b\" size=8 : 4 - - -\n"), whole)
	var ck frame.Cooker
	for i, pair := range [][2]frame.Frame{{whole, whole}, {whole, short}, {short, whole}, {short, short}, {whole, whole}} {
		var fresh frame.Cooker
		must(t, ck.Set(pair[0], pair[1], counter.Options{}))
		must(t, fresh.Set(pair[0], pair[1], counter.Options{}))
		o := pair[1].Object(0)
		for k := range o.NumCounters() {
			want := fresh.Object(o).Column(k)
			got := ck.Object(o).Column(k)
			if diff := cmp.Diff(shown(&want), shown(&got)); diff != "" {
				t.Errorf("pair %d counter %d: %s", i, k, diff)
			}
			checkCook(t, ck.Object(o), o.NumCounters(), k, shown(&want))
		}
	}
}

// TestDenied shows the values that may not be read: they are not permitted, also in a first sample, in which a rate
// has no other value either.
func TestDenied(t *testing.T) {
	encode := func(at string, raw uint64) []byte {
		b, err := perfdata.ParseText([]byte(at + "object 1000 missing=auto\n counter 1002 PERF_COUNTER_COUNTER\n counter 1004 PERF_COUNTER_RAWCOUNT\n" +
			fmt.Sprintf(" instance \"a\" : %d 5\n instance \"b\" : %d 5\n", raw, raw)))
		if err != nil {
			t.Fatal(err)
		}
		for k := range 2 {
			if err := b.Object(1000).Deny(1, k); err != nil {
				t.Fatal(err)
			}
		}
		raws, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return raws
	}

	var pool frame.Pool
	first := take(t, &pool, encode(at0, 100), frame.Frame{})
	second := take(t, &pool, encode(at1, 300), first)
	for _, tt := range []struct {
		prev, cur frame.Frame
		want      string
	}{
		{frame.Frame{}, first, "[no_previous not_permitted] [ok not_permitted]"},
		{first, second, "[ok not_permitted] [ok not_permitted]"},
	} {
		var ck frame.Cooker
		if err := ck.Set(tt.prev, tt.cur, counter.Options{}); err != nil {
			t.Fatal(err)
		}
		p := ck.Object(tt.cur.Object(0))
		rate := fmt.Sprint(p.Column(0).Status)
		if got := rate + " " + fmt.Sprint(p.Column(1).Status); got != tt.want {
			t.Errorf("statuses %s, want %s", got, tt.want)
		}
	}
}

// TestColumnStays shows that a column stays as it is while columns of other objects are cooked.
func TestColumnStays(t *testing.T) {
	var pool frame.Pool
	series := perftest.Series(perftest.Desktop, 2, 20, 3)
	prev := take(t, &pool, series[0].Bytes, frame.Frame{})
	cur := take(t, &pool, series[1].Bytes, prev)
	var ck frame.Cooker
	must(t, ck.Set(prev, cur, counter.Options{}))
	var columns []frame.Cooked
	var want []string
	for o := range cur.Objects() {
		column := ck.Object(o).Column(0)
		columns, want = append(columns, column), append(want, fmt.Sprint(column.Bits, column.Status))
	}

	for i, c := range columns {
		if got := fmt.Sprint(c.Bits, c.Status); got != want[i] {
			t.Errorf("the column of object %d is %.100s, was %.100s", i, got, want[i])
		}
	}
}

// TestCookAll shows that a column cooked together with others is the column cooked alone.
func TestCookAll(t *testing.T) {
	var pool frame.Pool
	series := perftest.Series(perftest.Desktop, 2, 20, 3)
	prev := take(t, &pool, series[0].Bytes, frame.Frame{})
	cur := take(t, &pool, series[1].Bytes, prev)
	var ck frame.Cooker
	must(t, ck.Set(prev, cur, counter.Options{}))
	for o := range cur.Objects() {
		p := ck.Object(o)
		for k := range o.NumCounters() {
			col := p.Column(k)
			checkCook(t, p, o.NumCounters(), k, shown(&col))
		}
	}
}

// TestWarmCook shows that cooking allocates nothing once warm, also while
// processes come and go.
func TestWarmCook(t *testing.T) {
	var pool frame.Pool
	var frames []frame.Frame
	before := frame.Frame{}
	for _, s := range perftest.Series(perftest.Desktop, 12, 1, 5) {
		before = take(t, &pool, s.Bytes, before)
		frames = append(frames, before)
	}
	var all []frame.Cooked
	var bits [100][10_000]uint64
	var status [100][10_000]counter.Status
	var ck frame.Cooker
	i := 0
	cook := func() {
		i++
		prev, cur := frames[i%len(frames)], frames[(i+1)%len(frames)]
		must(t, ck.Set(prev, cur, counter.Options{}))
		for o := range cur.Objects() {
			p := ck.Object(o)
			for k := range o.NumCounters() {
				p.Column(k)
			}
			all = all[:0]
			for k := range o.NumCounters() {
				all = append(all, frame.Cooked{K: k, Bits: bits[k][:o.Len()], Status: status[k][:o.Len()]})
			}
			p.Cook(all)
		}
	}
	for range 3 * len(frames) {
		cook()
	}
	if n := testing.AllocsPerRun(len(frames), cook); n != 0 {
		t.Errorf("%v allocations in warm cooking", n)
	}
}

// TestClocksTogether shows that a system time that was set between two samples costs
// values only where the source cannot tell.
func TestClocksTogether(t *testing.T) {
	const object = "object 230\n counter 6 PERF_100NSEC_TIMER\n instance \"a\" : %d\n"
	for quirks, want := range map[winperf.Quirks]string{0: "5", winperf.ClocksTogether: "50"} {
		var pool frame.Pool
		var prev, cur frame.Frame
		for i, head := range []string{at0, "block name=\"HOST\" perftime=1200 perffreq=100 time100ns=133500000200000000\n"} {
			raw := winperf.Raw{
				Format: winperf.FormatV1, Quirks: quirks,
				Bytes: block(t, head+fmt.Sprintf(object, 10_000_000*i)), // 1 s in 2 s, or in 20 s
			}
			f, err := pool.Decode(raw.Sample(), cur)
			if err != nil {
				t.Fatal(err)
			}
			prev, cur = cur, f
		}
		var ck frame.Cooker
		must(t, ck.Set(prev, cur, counter.Options{}))
		p := ck.Object(cur.Object(0))
		column := p.Column(0)
		if got := column.Value(0).String(); got != want || cur.Quirks() != quirks {
			t.Errorf("quirks %d: %s, want %s", cur.Quirks(), got, want)
		}
		checkOperands(t, p, 0, shown(&column))
	}
}
