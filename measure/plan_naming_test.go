package measure_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// idThread is an object like Thread that has the counters which identify it.
var idThread = &provider.Object{Index: 232, Name: "Thread", Multi: true, Counters: []provider.Counter{
	{Index: 146, Name: "Context Switches/sec", Type: counter.CounterCounter},
	{Index: 784, Name: "ID Process", Type: counter.RawCount},
	{Index: 804, Name: "ID Thread", Type: counter.RawCount},
	{Index: 684, Name: "Elapsed Time", Type: counter.ElapsedTime},
}}

func processesAndThreads(at int64) sample {
	return sample{at: at, objects: []object{
		{Object: process, instances: []instance{
			{name: "Idle", raw: []uint64{0, 0, epoch}}, proc("a", 4, 9, 0), proc("a", 8, 9, 0), {name: "_Total", raw: []uint64{0, 0, epoch}},
		}},
		{Object: idThread, instances: []instance{
			{name: "0", parent: 2, raw: []uint64{0, 4, 5, epoch}}, {name: "0", parent: 3, raw: []uint64{0, 8, 9, epoch}},
			{name: "_Total", parent: 4, raw: []uint64{0, 0, 0, 0}},
		}},
		{Object: processor, instances: []instance{{name: "0", raw: []uint64{0, 0}}}},
	}}
}

func TestNames(t *testing.T) {
	texts := english()
	texts[804] = "ID Thread"
	upper := measure.NameRule{Object: "Processor", Name: func(o frame.Object, i int) (string, bool) { return "CPU " + o.Instance(i).Name(), true }}
	same := measure.NameRule{Object: "Pro?ess", Name: func(frame.Object, int) (string, bool) { return "one", true }}
	never := measure.NameRule{Name: func(frame.Object, int) (string, bool) { return "x", false }}
	tests := []struct {
		name  string
		rules []measure.NameRule
		path  string
		want  []string
	}{
		{"none", nil, `\Process(*)\ID Process`, []string{`Process(Idle)`, `Process(a)`, `Process(a#1)`, `Process(_Total)`}},
		{"pid", []measure.NameRule{measure.ByPID()}, `\Process(*)\ID Process`, []string{`Process(0)`, `Process(4)`, `Process(8)`, `Process(_Total)`}},
		{"name:pid", []measure.NameRule{measure.ByNameAndPID()}, `\Process(*)\ID Process`, []string{`Process(Idle:0)`, `Process(a:4)`, `Process(a:8)`, `Process(_Total)`}},
		{"threads by pid", []measure.NameRule{measure.ByPID()}, `\Thread(*)\ID Thread`, []string{`Thread(4/5)`, `Thread(8/9)`, `Thread(_Total/_Total)`}},
		{"threads by name:pid", []measure.NameRule{measure.ByNameAndPID()}, `\Thread(*)\ID Thread`, []string{`Thread(a:4/5)`, `Thread(a:8/9)`, `Thread(_Total/_Total)`}},
		{"asked for by the new name", []measure.NameRule{measure.ByNameAndPID()}, `\Process(a:8)\ID Process`, []string{`Process(a:8)`}},
		{"asked for by the old name", []measure.NameRule{measure.ByNameAndPID()}, `\Process(a#1)\ID Process`, []string{`Process(a:8)`}},
		{"asked for by a pattern of new names", []measure.NameRule{measure.ByPID()}, `\Process(?)\ID Process`, []string{`Process(4)`, `Process(8)`, `Process(0)`}},
		{"another object keeps its names", []measure.NameRule{measure.ByPID()}, `\Processor(*)\Interrupts/sec`, []string{`Processor(0)`}},
		{"a rule of the user's", []measure.NameRule{never, upper, measure.ByPID()}, `\Processor(*)\Interrupts/sec`, []string{`Processor(CPU 0)`}},
		{"and others beside it", []measure.NameRule{upper, measure.ByPID()}, `\Process(a*)\ID Process`, []string{`Process(4)`, `Process(8)`}},
		{"a rule that gives one name to all", []measure.NameRule{same}, `\Process(*)\ID Process`, []string{`Process(one)`, `Process(one#1)`, `Process(one#2)`, `Process(one#3)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := script(processesAndThreads(0))
			src.schema = schema(texts)
			c := measure.New(src, selection(t, tt.path), measure.Options{Names: tt.rules})
			got := map[string]bool{}
			for _, r := range cycle(t, c).Readings() {
				p := r.Path
				p.Machine, p.Counter = "", "C"
				got[p.String()] = true
			}
			want := map[string]bool{}
			for _, w := range tt.want {
				want[`\`+w+`\C`] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

// A process that is called like a total is none.
func TestNameOfTotal(t *testing.T) {
	src := script(sample{objects: []object{{Object: process, instances: []instance{
		{name: "_Total", raw: []uint64{0, 0, epoch}}, proc("_Total", 8, 9, 0),
	}}}})
	c := measure.New(src, selection(t, `\Process(*)\ID Process`), measure.Options{Names: []measure.NameRule{measure.ByPID()}})
	var got []string
	for _, r := range cycle(t, c).Readings() {
		got = append(got, fmt.Sprint(r.Path.InstanceText(), " has a key: ", r.Key != ""))
	}
	if diff := cmp.Diff([]string{"_Total has a key: false", "8 has a key: true"}, got); diff != "" {
		t.Errorf("names and keys (-want +got):\n%s", diff)
	}
}

// A name that holds the id stays while others of the name come and go, and so
// does the series; the key tells even a process that took over name and id.
func TestStableNames(t *testing.T) {
	c := measure.New(script(
		processes(0, proc("a", 4, 9, 0), proc("a", 8, 9, 0)),
		processes(1, proc("a", 8, 9, 0)),
		processes(2, proc("a", 8, 1, 0)),
	), selection(t, `\Process(*)\% Processor Time`), measure.Options{Names: []measure.NameRule{measure.ByNameAndPID()}})
	var got []string
	var series []*winperf.Series
	for range 3 {
		r := cycle(t, c).Readings()
		one := r[len(r)-1].Series
		got = append(got, fmt.Sprintf("%s %s", one.Path.Instance, one.Key))
		series = append(series, one)
	}
	want := []string{"a:8 8@133485407910000000", "a:8 8@133485407910000000", "a:8 8@133485407990000000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names and keys (-want +got):\n%s", diff)
	}
	if series[0] != series[1] || series[1] == series[2] {
		t.Errorf("series %p", series)
	}
}

// A name is asked for once in the life of an instance.
func TestNameIsKept(t *testing.T) {
	asked := map[string]int{}
	rule := measure.NameRule{Name: func(o frame.Object, i int) (string, bool) {
		asked[o.Instance(i).Name()]++
		return fmt.Sprintf("%s (%d)", o.Instance(i).Name(), asked[o.Instance(i).Name()]), true
	}}
	c := measure.New(script(
		processes(0, proc("a", 4, 9, 0)), processes(1, proc("b", 8, 1, 0), proc("a", 4, 9, 0)), processes(2, proc("a", 4, 9, 0)),
	), selection(t, `\Process(*)\ID Process`), measure.Options{Names: []measure.NameRule{rule}})
	cycle(t, c)
	cycle(t, c)
	if got, want := lines(cycle(t, c).Readings()), []string{`\\HOST\Process(a (1))\ID Process 4`}; !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
}

// A process that executes another program is the same one: it keeps the name that a rule
// gave it, or that a path asked for it by, and its key, and an anomaly tells.
func TestRenamed(t *testing.T) {
	for _, tt := range []struct {
		rules []measure.NameRule
		path  string
		want  []string
	}{
		{[]measure.NameRule{measure.ByNameAndPID()}, `\Process(*)\ID Process`, []string{`\\HOST\Process(sh:8)\ID Process 8`}},
		{nil, `\Process(*)\ID Process`, []string{`\\HOST\Process(editor)\ID Process 8`}},
		{nil, `\Process(sh)\ID Process`, []string{`\\HOST\Process(sh)\ID Process 8`}},
		{[]measure.NameRule{measure.ByNameAndPID()}, `\Process(sh)\ID Process`, []string{`\\HOST\Process(sh:8)\ID Process 8`}},
		{nil, `\Process(s?)\ID Process`, []string{`\\HOST\Process(sh)\ID Process 8`}},
	} {
		c := measure.New(script(processes(0, proc("sh", 8, 9, 0)), processes(1, proc("editor", 8, 9, 0))),
			selection(t, tt.path), measure.Options{Names: tt.rules})
		key := cycle(t, c).Readings()[0].Key
		now := cycle(t, c)
		if got := lines(now.Readings()); !cmp.Equal(got, tt.want) {
			t.Errorf("readings %q, want %q", got, tt.want)
		}
		if r := now.Readings()[0]; r.Status == counter.OK && (r.Key != key || key == "") {
			t.Errorf("key %q became %q", key, r.Key)
		}
		if a := now.Anomalies; len(a) != 1 || a[0].Kind != winperf.InstancesRenamed || a[0].Detail != "sh is called editor now" {
			t.Errorf("%s: anomalies %v", tt.path, a)
		}
	}
}

// A path that names a process stays with it as long as it lives, whatever it and others are
// called meanwhile; then it is about the next one of the name.
func TestRenamedFollowed(t *testing.T) {
	c := measure.New(script(
		processes(0, proc("sh", 8, 9, 0), proc("sh", 12, 9, 0), proc("top", 16, 9, 0)),
		processes(1, proc("top", 8, 9, 0), proc("sh", 12, 9, 0), proc("top", 16, 9, 0)),
		processes(2, proc("top", 8, 9, 0), proc("sh", 12, 9, 0), proc("top", 16, 9, 0), proc("sh", 20, 9, 0)),
		processes(3, proc("cat", 8, 9, 0), proc("sh", 20, 9, 0), proc("top", 16, 9, 0)),
		processes(4, proc("top", 16, 9, 0), proc("sh", 20, 9, 0)),
	), selection(t, `\Process(sh)\ID Process`, `\Process(sh#1)\ID Process`, `\Process(top)\ID Process`), measure.Options{})
	for n, want := range [][]string{
		{"sh 8", "sh#1 12", "top 16"},
		{"sh 8", "sh#1 12", "top 16"},
		{"sh 8", "sh#1 12", "top 16"},
		{"sh 8", "sh#1 20", "top 16"},
		{"sh 20", "sh#1 no_instance", "top 16"},
	} {
		var got []string
		for _, r := range cycle(t, c).Readings() {
			text := r.Path.InstanceText() + " " + r.Value.String()
			if r.Status != counter.OK {
				text = r.Path.InstanceText() + " " + r.Status.String()
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", n, diff)
		}
	}
}

// Names of instances are excluded by either name.
func TestExcludeByNewName(t *testing.T) {
	c := measure.New(script(processesAndThreads(0)), selection(t, `\Process(*)\ID Process`), measure.Options{
		Names: []measure.NameRule{measure.ByPID()}, Exclude: paths(t, `\Process(4)\*`, `\Process(Idle)\*`, `\Process(_Total)\*`),
	})
	if got, want := lines(cycle(t, c).Readings()), []string{`\\HOST\Process(8)\ID Process 8`}; !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
}

// Names that differ in case only are equal, also while another process keeps a name that it
// does not have any more.
func TestRenamedBesideCase(t *testing.T) {
	c := measure.New(script(
		processes(0, proc("Web", 4, 9, 0), proc("web", 8, 9, 0), proc("sh", 12, 9, 0)),
		processes(1, proc("Web", 4, 9, 0), proc("web", 8, 9, 0), proc("cat", 12, 9, 0)),
		processes(2, proc("Web", 4, 9, 0), proc("web", 8, 9, 0), proc("cat", 12, 9, 0), proc("SH", 16, 9, 0)),
	), selection(t, `\Process(sh)\ID Process`, `\Process(web)\ID Process`, `\Process(web#1)\ID Process`), measure.Options{})
	want := []string{
		`\\HOST\Process(sh)\ID Process 12`, `\\HOST\Process(Web)\ID Process 4`, `\\HOST\Process(web#1)\ID Process 8`,
	}
	for n := range 3 {
		if diff := cmp.Diff(want, lines(cycle(t, c).Readings())); diff != "" {
			t.Errorf("sample %d (-want +got):\n%s", n, diff)
		}
	}
}

func TestOwnInstance(t *testing.T) {
	pid := fmt.Sprint(os.Getpid())
	for _, v := range []struct{ object, instance, naming, want string }{
		{"Process", "self", "pid", pid},
		{"process", "Self", "name:pid", "*:" + pid},
		{"Thread", "self", "pid", pid + "/*"},
		{"Thread", "self", "name:pid", "*:" + pid + "/*"},
		{"Process", "self", "", "set names to pid or name:pid"},
		{"Thread", "self", "name", "set names to pid or name:pid"},
		{"Process", "selfish", "pid", "selfish"},
		{"Process", "sel?", "", "sel?"},
		{"Processor", "self", "pid", "self"},
	} {
		got, err := measure.OwnInstance(v.object, v.instance, v.naming)
		if err != nil {
			got = err.Error()
		}
		if got != v.want && (err == nil || !strings.HasSuffix(got, v.want)) {
			t.Errorf("%s(%s) named by %q: %s, want %s", v.object, v.instance, v.naming, got, v.want)
		}
	}
}
