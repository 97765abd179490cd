package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

// processBlock returns a sample of processes n seconds after the first one. Each line has the name, the id,
// the parent, the start in seconds before the first sample, the processor time in seconds, the time of ended
// children, the bytes read, the working set and the owner.
func processBlock(n int, linux bool, lines ...string) string {
	const second = 10_000_000
	now := 133500000000000000 + int64(n)*second
	var b strings.Builder
	fmt.Fprintf(&b, "block name=\"HOST\" perftime=%d perffreq=10000000 time100ns=%d\n"+
		"object 230 time=%[2]d freq=10000000\n counter 784 PERF_COUNTER_RAWCOUNT\n"+
		" counter 1410 PERF_COUNTER_RAWCOUNT\n counter 684 PERF_ELAPSED_TIME\n counter 6 PERF_100NSEC_TIMER\n"+
		" counter 1420 PERF_COUNTER_BULK_COUNT\n counter 180 PERF_COUNTER_LARGE_RAWCOUNT\n", 1e9+int64(n)*second, now)
	if linux {
		b.WriteString(" counter 100052 PERF_100NSEC_TIMER\n counter 100058 PERF_COUNTER_RAWCOUNT\n")
	}
	for _, line := range lines {
		var name string
		var id, parent, ago, time, waited, read, set, user int64
		if _, err := fmt.Sscan(line, &name, &id, &parent, &ago, &time, &waited, &read, &set, &user); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, " instance %q : %d %d %d %d %d %d", name, id, parent, 133500000000000000-ago*second, time*second,
			read, set)
		if linux {
			fmt.Fprintf(&b, " %d %d", waited*second, user)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// groupValues returns the values of the groups as "metric group=value", without zeros.
func groupValues(set *Set, names ...string) string {
	var list []string
	for _, f := range set.Families {
		short, ok := strings.CutPrefix(f.Name, "winperf_process_group_")
		for _, name := range names {
			if !ok || short != name {
				continue
			}
			c := f.Columns[0]
			for i := range c.Rows.Len() {
				if c.Has(i) && c.Bits[i] != 0 {
					list = append(list, fmt.Sprintf("%s=%d", c.Rows.Labels(i)[0].Value, c.Bits[i]))
				}
			}
		}
	}
	return strings.Join(list, " ")
}

func TestGroups(t *testing.T) {
	byName := Grouping{By: ByName}
	first := []string{"_Total 0 0 0 999 0 0 9 0", "Idle 0 0 0 999 0 0 9 0", "init 1 0 900 7 70 5 100 0",
		"sh 20 1 800 5 50 1000 300 7", "sh 21 20 700 3 0 60 200 8", "cc 22 21 600 2 0 9 50 8"}
	second := []string{"_Total 0 0 0 999 0 0 9 0", "Idle 0 0 0 999 0 0 9 0", "init 1 0 900 7 70 5 100 0",
		"sh 20 1 800 6 58 1100 300 7", "new 30 20 -5 4 0 1 1 8"} // sh 21 and cc ended, 3+2 of 8 are known
	for _, test := range []struct {
		name               string
		groups             Grouping
		linux              bool
		time, read, others string // of the second sample, others of the first
	}{
		{"by name", byName, true, "other=40000000 sh=40000000", "other=1 sh=31",
			"sh=2 init=1 cc=1 init=100 sh=500 cc=50"},
		{"on Windows", byName, false, "other=40000000 sh=10000000", "other=1 sh=100", "sh=2 init=1 cc=1 init=100 sh=500 cc=50"},
		{"groups of patterns", Grouping{By: ByName, Groups: []ProcessGroup{{"shells", []string{"S*", "x"}}, {"c", []string{"?c"}}}},
			true, "other=40000000 shells=40000000", "other=1 shells=31", "other=1 shells=2 c=1 other=100 shells=500 c=50"},
		{"by user", Grouping{By: ByUser}, true,
			"8=40000000 ann=40000000", "8=1 ann=31", "0=1 8=2 ann=1 0=100 8=250 ann=300"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := frames(t, processBlock(0, test.linux, first...), processBlock(10, test.linux, second...))
			m := NewMapper(Options{
				Groups: test.groups, UserName: func(id uint64) string { return map[uint64]string{7: "ann"}[id] },
			})
			set := mapped(t, m, all[0], nil)
			if got := groupValues(set, "processes", "working_set_bytes"); !sameWords(got, test.others) {
				t.Errorf("first: %s, want %s", got, test.others)
			}
			if got := groupValues(set, "processor_time_seconds_total", "io_read_bytes_total"); got != "" {
				t.Errorf("the groups do not begin at 0: %s", got)
			}
			for range 2 { // the same sample again changes nothing
				set = mapped(t, m, all[1], nil)
				if got := groupValues(set, "processor_time_seconds_total"); !sameWords(got, test.time) {
					t.Errorf("time %s, want %s", got, test.time)
				}
				if got := groupValues(set, "io_read_bytes_total"); !sameWords(got, test.read) {
					t.Errorf("read %s, want %s", got, test.read)
				}
			}
			check(t, set)
		})
	}
}

// TestControlGroups: a process is in its control group, also one that moved between its first two samples. A
// process that has ended before the lookup is in "other"; a later process with its id has its own group.
func TestControlGroups(t *testing.T) {
	path := map[uint64]string{1: "/init.scope", 20: "/a", 21: "/a/b", 22: ""}
	lookups := map[uint64]int{}
	m := NewMapper(Options{Groups: Grouping{By: ByControlGroup}, ControlGroup: func(id uint64) string {
		lookups[id]++
		return path[id]
	}})
	sample := func(n int, lines ...string) string {
		return processBlock(n, true, append(lines, "Idle 0 0 0 999 0 0 9 0", "init 1 0 900 7 0 5 1 0",
			"sh 20 1 800 5 0 1 10 7", "sh 21 20 700 3 0 6 100 8")...)
	}
	all := frames(t, sample(0, "cc 22 1 5 1 0 9 1000 8"), sample(10, "cc 22 1 5 2 0 9 1000 8"), sample(20),
		sample(30, "ld 22 1 -29 4 0 9 1000 8"))
	for i, want := range []string{
		"other=1000 /init.scope=1 /a=10 /a/b=100",
		"other=1000 /init.scope=1 /a=10 /moved=100",
		"/init.scope=1 /a=10 /moved=100",
		"/init.scope=1 /a=10 /moved=100 /new=1000",
	} {
		set := mapped(t, m, all[i], nil)
		if got := groupValues(set, "working_set_bytes"); !sameWords(got, want) {
			t.Errorf("sample %d: %s, want %s", i, got, want)
		}
		check(t, set)
		path[20], path[21] = "", "/moved"
		if i > 0 {
			path[1], path[21], path[22] = "/late", "/late", "/new"
		}
	}

	for id, want := range map[uint64]int{0: 0, 1: 2, 20: 2, 21: 2, 22: 3} {
		if lookups[id] != want {
			t.Errorf("process %d: %d lookups, want %d", id, lookups[id], want)
		}
	}
	if c := m.groups.control; len(c.now) != 4 || len(c.before) != 3 {
		t.Errorf("the cache has %d and %d processes", len(c.now), len(c.before))
	}
}

// sameWords reports whether two texts have the same words.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestGroupsWithoutProcess: groups have no values while the sample lacks processes, and continue later.
// Exclude omits only the metrics of each process.
func TestGroupsWithoutProcess(t *testing.T) {
	const memory = "\nobject 4 form=single\n counter 24 PERF_COUNTER_LARGE_RAWCOUNT\n values : 4096\n"
	at := func(n, time int) string { return processBlock(n, true, fmt.Sprintf("sh 20 1 800 %d 50 1 300 7", time)) }
	all := frames(t, at(0, 5), at(10, 6), strings.TrimSpace(strings.Split(at(20, 6), "object")[0])+memory, at(30, 8))
	m := NewMapper(Options{Groups: Grouping{By: ByName}, Exclude: []winperf.Path{{Object: "230", Instance: "*", HasInstance: true, Counter: "*"}}})
	for i, want := range []string{"", "sh=10000000", "", "sh=30000000"} {
		set := mapped(t, m, all[i], nil)
		if got := groupValues(set, "processor_time_seconds_total"); got != want {
			t.Errorf("sample %d: %s, want %s", i, got, want)
		}
		if groupValues(set, "processes") == "" != (i == 2) {
			t.Errorf("sample %d has groups: %v", i, i == 2)
		}
	}

	next := NewMapper(Options{Groups: Grouping{By: ByName}})
	if err := next.Continue(m); err != nil {
		t.Fatal(err)
	}
	if got := groupValues(mapped(t, next, all[3], nil), "processor_time_seconds_total"); got != "sh=30000000" {
		t.Errorf("continued: %s", got)
	}
	other := NewMapper(Options{Groups: Grouping{By: ByUser}})
	if err := other.Continue(m); err != nil {
		t.Fatal(err)
	}
	if got := groupValues(mapped(t, other, all[3], nil), "processor_time_seconds_total"); got != "" {
		t.Errorf("other groups continued: %s", got)
	}
}

func TestCheckGroups(t *testing.T) {
	web := ProcessGroup{"web", []string{"nginx*"}}
	many := make([]ProcessGroup, maxGroups+1)
	for _, test := range []struct {
		g    Grouping
		want string
	}{
		{Grouping{By: ByName, Groups: []ProcessGroup{web}}, ""},
		{Grouping{By: ByUser}, ""},
		{Grouping{By: ByControlGroup}, ""},
		{Grouping{}, ""},
		{Grouping{By: 9}, "unknown process groups"},
		{Grouping{Groups: []ProcessGroup{web}}, "a list of groups needs by: name"},
		{Grouping{By: ByName, Groups: []ProcessGroup{web, web}}, `the group "web" is there twice`},
		{Grouping{By: ByName, Groups: []ProcessGroup{{"other", []string{"x"}}}},
			`the group "other" has the processes without a group, use another name`},
		{Grouping{By: ByName, Groups: []ProcessGroup{{"a", nil}}}, `the group "a" has no processes`},
		{Grouping{By: ByName, Groups: []ProcessGroup{{"", []string{"x"}}}}, "a group needs a name"},
		{Grouping{By: ByName, Groups: many}, "201 groups, expected at most 200"},
	} {
		got := ""
		if err := test.g.Check(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v: %s, want %s", test.g.By, got, test.want)
		}
	}

	var by GroupBy
	if err := by.UnmarshalText([]byte("nam")); err == nil || !strings.HasSuffix(err.Error(), "(did you mean name?)") {
		t.Error(err)
	}
	for _, word := range groupByWords {
		if err := by.UnmarshalText([]byte(word)); err != nil || by.String() != word {
			t.Errorf("%s: %v, %v", word, by, err)
		}
	}
}
