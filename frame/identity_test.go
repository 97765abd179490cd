package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
)

var matchWords = map[counter.Match]string{
	counter.Verified: "verified", counter.Unverified: "unverified", counter.Aggregate: "total",
}

// matches says for each newer instance where it was: "2 verified", or "new".
func matches(p *frame.Pair) []string {
	var out []string
	for i := range p.Len() {
		if j, m := p.From(i); j >= 0 {
			out = append(out, fmt.Sprint(j, " ", matchWords[m]))
		} else {
			out = append(out, "new")
		}
	}
	return out
}

// TestIdentity shows by what instances are known, one rule after the other.
func TestIdentity(t *testing.T) {
	const (
		named   = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
		process = "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 28 PERF_COUNTER_BULK_COUNT\n"
		thread  = "object 232\n counter 804 PERF_COUNTER_RAWCOUNT\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n"
		threads = "object 232\n counter 804 PERF_COUNTER_RAWCOUNT\n"
		started = "object 1000\n counter 684 PERF_ELAPSED_TIME\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	)
	many := func(first, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " instance \"p\" : %d %d 0\n", first+i, 1000+first+i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name, head   string
		older, newer string
		want         []string
	}{
		{"process id and start time", process,
			" instance \"Idle\" : 0 5 1\n instance \"a\" : 8 10 1\n instance \"b\" : 12 11 1\n instance \"_Total\" : 0 50 3\n",
			" instance \"Idle\" : 0 5 1\n instance \"b\" : 12 11 1\n instance \"renamed\" : 8 10 1\n instance \"_Total\" : 0 60 3\n",
			[]string{"0 verified", "2 verified", "1 verified", "3 total"}},
		{"the same id and name, another start: a new process", process,
			" instance \"a\" : 8 10 1\n", " instance \"a\" : 8 20 1\n", []string{"new"}},
		{"the same name and place, another id: a new process", process,
			" instance \"a\" : 8 10 1\n", " instance \"a\" : 9 10 1\n", []string{"new"}},
		{"a total that came", process,
			" instance \"a\" : 8 10 1\n", " instance \"a\" : 8 10 1\n instance \"_Total\" : 0 60 3\n", []string{"0 verified", "new"}},
		{"start times that are not kept: the name must agree, and is not enough to be sure", process,
			" instance \"a\" : 8 0 1\n instance \"b\" : 9 0 1\n", " instance \"a\" : 8 0 1\n instance \"c\" : 9 0 1\n",
			[]string{"0 unverified", "new"}},
		{"start times that are not kept, and a count that fell", process,
			" instance \"a\" : 8 0 5\n", " instance \"a\" : 8 0 4\n", []string{"new"}},
		{"a start time that is lost", process,
			" instance \"a\" : 8 10 1\n", " instance \"a\" : 8 0 1\n", []string{"new"}},
		{"a process that is called like a total", process,
			" instance \"_Total\" : 8 10 1\n instance \"_Total\" : 9 0 1\n",
			" instance \"_Total\" : 8 0 1\n instance \"_Total\" : 9 0 1\n", []string{"new", "1 unverified"}},
		{"more processes left in one place than are looked ahead", process,
			many(0, 200), many(0, 1) + many(190, 10),
			[]string{"0 verified", "190 verified", "191 verified", "192 verified", "193 verified", "194 verified",
				"195 verified", "196 verified", "197 verified", "198 verified", "199 verified"}},
		{"several with one key: the first is the first, and none is two", process,
			" instance \"a\" : 8 10 1\n instance \"a\" : 8 10 1\n",
			" instance \"a\" : 8 10 1\n instance \"a\" : 8 10 1\n instance \"a\" : 8 10 1\n",
			[]string{"0 verified", "1 verified", "new"}},
		{"several with one key, and a new one before them", process,
			" instance \"a\" : 8 10 1\n instance \"a\" : 8 10 1\n",
			" instance \"b\" : 9 20 1\n instance \"a\" : 8 10 1\n", []string{"new", "0 verified"}},
		{"several with one key, and a new one behind them", process,
			" instance \"a\" : 8 10 1\n instance \"a\" : 8 10 1\n",
			" instance \"a\" : 8 10 1\n instance \"b\" : 9 20 1\n", []string{"0 verified", "new"}},
		{"several with one key, far from where they were: the first is known", process,
			many(0, 100) + " instance \"a\" : 500 10 1\n instance \"a\" : 500 10 1\n",
			" instance \"a\" : 500 10 1\n instance \"a\" : 500 10 1\n" + many(98, 2),
			[]string{"100 verified", "new", "98 verified", "99 verified"}},
		{"thread id, process id and start time", thread,
			" instance \"0\" : 1 8 10\n instance \"1\" : 2 8 10\n", " instance \"0\" : 2 8 10\n instance \"1\" : 1 9 10\n",
			[]string{"1 verified", "new"}},
		{"unique id", named,
			" instance \"eth0\" id=2 : 1\n instance \"eth1\" id=3 : 1\n", " instance \"lan\" id=3 : 1\n instance \"eth0\" id=4 : 1\n",
			[]string{"1 verified", "new"}},
		{"a unique id that several have", named,
			" instance \"a\" id=1 : 1\n instance \"b\" id=1 : 1\n", " instance \"b\" id=1 : 1\n instance \"a\" id=1 : 1\n",
			[]string{"1 verified", "0 verified"}},
		{"name", named,
			" instance \"C:\" : 1\n instance \"D:\" : 1\n instance \"_Total\" : 2\n", " instance \"D:\" : 1\n instance \"E:\" : 1\n instance \"_Total\" : 1\n",
			[]string{"1 verified", "new", "2 total"}},
		{"name and occurrence", named,
			" instance \"x\" : 1\n instance \"y\" : 2\n instance \"x\" : 3\n", " instance \"y\" : 2\n instance \"x\" : 1\n instance \"x\" : 3\n",
			[]string{"1 verified", "0 unverified", "2 unverified"}},
		{"name and occurrence, and a count that fell", named,
			" instance \"x\" : 5\n instance \"x\" : 9\n", " instance \"x\" : 9\n instance \"x\" : 1\n",
			[]string{"0 unverified", "new"}},
		{"a name of which there was one and are two", named,
			" instance \"x\" : 5\n", " instance \"x\" : 5\n instance \"x\" : 9\n", []string{"0 unverified", "new"}},
		{"instances without names", named,
			" instance - : 5\n instance - : 6\n", " instance - : 6\n instance - : 7\n instance - : 7\n",
			[]string{"0 verified", "1 verified", "new"}},
		{"a total within a name", named,
			" instance \"0,_Total\" : 5\n", " instance \"0,_Total\" : 4\n", []string{"0 total"}},
		{"name below a parent", threads + "",
			" instance \"0\" parent=230 position=0 : 1\n instance \"0\" parent=230 position=1 : 2\nobject 230\n counter 28 PERF_COUNTER_RAWCOUNT\n instance \"a\" : 1\n instance \"b\" : 1\n",
			" instance \"0\" parent=230 position=0 : 2\nobject 230\n counter 28 PERF_COUNTER_RAWCOUNT\n instance \"b\" : 1\n",
			[]string{"1 verified"}},
		{"a name that only one has, and another start", started,
			" instance \"a\" : 10 5\n instance \"b\" : 11 5\n instance \"_Total\" : 12 5\n",
			" instance \"a\" : 20 9\n instance \"b\" : 11 9\n instance \"_Total\" : 13 9\n",
			[]string{"new", "1 verified", "2 total"}},
		{"definitions without values before", "",
			"object 2 form=metadata-single\n counter 10 PERF_COUNTER_BULK_COUNT\n",
			"object 2 form=single\n counter 10 PERF_COUNTER_BULK_COUNT\n values : 5\n", []string{"new"}},
		{"instances before, and none any more", "",
			"object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n instance \"\" : 5\n",
			"object 1000 form=single\n counter 1002 PERF_COUNTER_BULK_COUNT\n values : 9\n", []string{"new"}},
		{"no instances before, and one without a name", "",
			"object 1000 form=single\n counter 1002 PERF_COUNTER_BULK_COUNT\n values : 5\n",
			"object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n instance \"\" : 9\n", []string{"new"}},
		{"nothing before", named, "", " instance \"x\" : 5\n", []string{"new"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, _ := pair(t, at0+tt.head+tt.older, at1+tt.head+tt.newer, counter.Options{})
			if diff := cmp.Diff(tt.want, matches(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSettled follows one Cooker over samples: what it remembers of unchanged
// instances must not outlive a change, nor a sample that was left out.
func TestSettled(t *testing.T) {
	const head = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	const ab, ba, aa = " instance \"a\" : 1\n instance \"b\" : 2\n", " instance \"b\" : 2\n instance \"a\" : 1\n", " instance \"a\" : 1\n instance \"a\" : 2\n"
	straight, crossed := []string{"0 verified", "1 verified"}, []string{"1 verified", "0 verified"}
	var pool frame.Pool
	var ck frame.Cooker
	prev := frame.Frame{}
	for i, step := range []struct {
		text string
		want []string
	}{
		{ab, []string{"new", "new"}}, {ab, straight}, {ab, straight}, {ab, straight},
		{ba, crossed}, {ba, straight}, {ba, straight},
		{aa, []string{"1 unverified", "new"}}, {aa, []string{"0 unverified", "1 unverified"}}, {aa, []string{"0 unverified", "1 unverified"}},
		{ab, []string{"0 unverified", "new"}}, {ab, straight}, {ab, straight},
	} {
		f := take(t, &pool, block(t, at1+head+step.text), prev)
		must(t, ck.Set(prev, f, counter.Options{}))
		if diff := cmp.Diff(step.want, matches(ck.Object(f.Object(0)))); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
		prev = f
	}
	// Frames whose names were decoded against others than they are cooked with.
	one := take(t, &pool, block(t, at1+head+ab), prev)
	two := take(t, &pool, block(t, at1+head+ba), prev)
	for i, step := range []struct {
		prev, cur frame.Frame
		want      []string
	}{{prev, one, straight}, {one, two, crossed}, {two, one, crossed}, {one, one, straight}, {prev, two, crossed}} {
		must(t, ck.Set(step.prev, step.cur, counter.Options{}))
		if diff := cmp.Diff(step.want, matches(ck.Object(step.cur.Object(0)))); diff != "" {
			t.Errorf("pair %d: %s", i, diff)
		}
	}
}

// TestFallenTogether shows that what was refused once, because all counts fell,
// is not refused for good.
func TestFallenTogether(t *testing.T) {
	const head = "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	const text = " instance \"a\" : %[1]d\n instance \"a\" : %[1]d\n"
	both := []string{"0 unverified", "1 unverified"}
	var pool frame.Pool
	var ck frame.Cooker
	prev := frame.Frame{}
	for i, step := range []struct {
		count int
		want  []string
	}{{5, []string{"new", "new"}}, {6, both}, {2, []string{"new", "new"}}, {3, both}, {4, both}} {
		f := take(t, &pool, block(t, at1+head+fmt.Sprintf(text, step.count)), prev)
		must(t, ck.Set(prev, f, counter.Options{}))
		if diff := cmp.Diff(step.want, matches(ck.Object(f.Object(0)))); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
		prev = f
	}
}

// TestRestarted shows that a start time counts with every sample: of those who
// are in the same places under the same names, too.
func TestRestarted(t *testing.T) {
	const head = "object 1000\n counter 684 PERF_ELAPSED_TIME\n counter 1002 PERF_COUNTER_BULK_COUNT\n"
	var pool frame.Pool
	var ck frame.Cooker
	prev := frame.Frame{}
	for i, step := range []struct {
		start int
		want  string
	}{{10, "new"}, {10, "0 verified"}, {10, "0 verified"}, {20, "new"}, {20, "0 verified"}} {
		text := fmt.Sprintf("%s%s instance \"a\" : %d %d\n", at1, head, step.start, i)
		f := take(t, &pool, block(t, text), prev)
		must(t, ck.Set(prev, f, counter.Options{}))
		if diff := cmp.Diff([]string{step.want}, matches(ck.Object(f.Object(0)))); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
		prev = f
	}
}

// TestEqualNames shows that matching takes no time that grows with the square
// of the number of instances, whatever they are called: it would not end.
func TestEqualNames(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const n = 100_000
	for name, line := range map[string]string{
		"names":     " instance \"same\" : 1\n",
		"totals":    " instance \"_Total\" : 1\n",
		"unique id": " instance \"same\" id=3 : 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := at0 + "object 1000\n counter 1002 PERF_COUNTER_BULK_COUNT\n" + strings.Repeat(line, n)
			p, _ := pair(t, text, text+line, counter.Options{})
			if p.Len() != n+1 {
				t.Errorf("%d instances", p.Len())
			}
		})
	}
	t.Run("processes", func(t *testing.T) {
		head := "object 230\n counter 784 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n"
		older := at0 + head + strings.Repeat(" instance \"_Total\" : 0 1\n", n)
		newer := at1 + head + strings.Repeat(" instance \"x\" : 0 0\n", n) + strings.Repeat(" instance \"_TOTAL\" : 0 1\n", n)
		p, _ := pair(t, older, newer, counter.Options{})
		if p.Len() != 2*n {
			t.Errorf("%d instances", p.Len())
		}
	})
}
