package metrics

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

// TestGeneric: a configuration of windows_exporter's collector performancecounter, over two samples.
func TestGeneric(t *testing.T) {
	object := func(reads, busy string) []made {
		return []made{
			{"PhysicalDisk", []string{
				"Disk Reads/sec PERF_COUNTER_COUNTER", "% Idle Time PERF_PRECISION_100NS_TIMER",
				"base PERF_PRECISION_TIMESTAMP",
				"Avg. Disk sec/Read PERF_AVERAGE_TIMER", "base PERF_AVERAGE_BASE",
				"Current Disk Queue Length PERF_COUNTER_RAWCOUNT",
			}, []string{"0 C:: " + reads + " " + busy + " 10000000 700 7 2", "_Total: 9 9 9 9 9 9"}, ""},
			{"Processor", []string{"% Processor Time PERF_100NSEC_TIMER_INV"}, []string{"0: " + busy, "_Total: 9"},
				""},
			{"Memory", []string{"Cache Faults/sec PERF_COUNTER_COUNTER"}, []string{reads}, ""},
		}
	}
	all := []Generic{
		{Name: "disk", Object: "PhysicalDisk", InstanceLabel: "disk", Instances: []string{"*"},
			Counters: []GenericCounter{
				{Name: "Disk Reads/sec", Metric: "disk_ops", Labels: map[string]string{"way": "in"}},
				{Name: "% Idle Time"},
				{Name: "Avg. Disk sec/Read"},
				{Name: "Current Disk Queue Length", Type: "counter"},
				{Name: "No Such Counter"},
			}},
		{Name: "rates", Object: "PhysicalDisk", Type: "formatted",
			Counters: []GenericCounter{{Name: "Disk Reads/sec", Metric: "disk_rate"}}},
		{Name: "cpu", Object: "Processor", Instances: []string{"_Total"},
			Counters: []GenericCounter{{Name: "% Processor Time"}}},
		{Name: "memory", Object: "Memory", Counters: []GenericCounter{{Name: "Cache Faults/sec"}}},
	}
	if err := errors.Join(CheckGenerics(all, nil)...); err != nil {
		t.Fatal(err)
	}

	m := NewMapper(Options{Names: []Scheme{WindowsExporter}, NoLegacy: true, Generic: all})
	first, n := block(t, at0, object("100", "5000000")...)
	second, _ := block(t, at1, object("130", "10000000")...)
	families := []string{
		"disk_ops", "windows_performancecounter_physicaldisk_percent_idle_time",
		"windows_performancecounter_physicaldisk_avg__disk_sec_read",
		"windows_performancecounter_physicaldisk_current_disk_queue_length", "disk_rate",
		"windows_performancecounter_processor_percent_processor_time",
		"windows_performancecounter_memory_cache_faults_sec",
	}
	want := []string{
		`disk_ops{disk="0 C:",way="in"} 100`,
		`windows_performancecounter_physicaldisk_percent_idle_time{disk="0 C:"} 0.5`,
		`windows_performancecounter_physicaldisk_avg__disk_sec_read{disk="0 C:"} 700`,
		`windows_performancecounter_physicaldisk_current_disk_queue_length{disk="0 C:"} 2`,
		`windows_performancecounter_processor_percent_processor_time{instance="_Total"} 9`,
		`windows_performancecounter_memory_cache_faults_sec{} 100`,
	}
	set := mapped(t, m, first, n)
	unique(t, set)
	if diff := cmp.Diff(want, lines(set, families...)); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}

	set = mapped(t, m, second, n)
	types := map[string]Type{}
	for _, f := range set.Families {
		types[f.Name] = f.Type
	}
	for name, want := range map[string]Type{
		families[0]: Counter, families[1]: Counter, families[2]: Gauge, families[3]: Counter, families[4]: Gauge,
		families[5]: Counter,
	} {
		if got, ok := types[name]; !ok || got != want {
			t.Errorf("%s is of type %v, want %v", name, got, want)
		}
	}
	if got := lines(set, "disk_rate"); len(got) != 1 || got[0] != `disk_rate{instance="0 C:"} 30` {
		t.Errorf("%q", got)
	}
	if !set.TextOnly {
		t.Error("the set may be written as OpenMetrics")
	}
}

// TestGenericPaths: the paths of an object find what it wants, of objects without instances and of
// totals, too.
func TestGenericPaths(t *testing.T) {
	all := []Generic{
		{Name: "a", Object: "Memory", Counters: []GenericCounter{{Name: "Available Bytes", Metric: "a"}}},
		{Name: "b", Object: "Processor", Instances: []string{"_Total"},
			Counters: []GenericCounter{{Name: "Interrupts/sec", Metric: "b"}}},
	}
	f, n := block(t, at0, made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"},
		[]string{"5"}, ""},
		made{"Processor", []string{"Interrupts/sec PERF_COUNTER_COUNTER"}, []string{"0: 1", "_Total: 2"}, ""})
	sel := winperf.Selection{Paths: append(all[0].Paths(), all[1].Paths()...)}
	got := lines(mapped(t, NewMapper(Options{Generic: all, Select: sel}), f, n), "a", "b")
	if diff := cmp.Diff([]string{`a{} 5`, `b{instance="_Total"} 2`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGenericCheck(t *testing.T) {
	good := Generic{Name: "a", Object: "Memory", Counters: []GenericCounter{{Name: "Cache Faults/sec"}}}
	with := func(change func(*Generic)) Generic {
		g := good
		g.Counters = []GenericCounter{good.Counters[0]}
		change(&g)
		return g
	}
	for _, tt := range []struct {
		generic Generic
		want    string
	}{
		{with(func(g *Generic) { g.Name = "" }), "name is missing"},
		{with(func(g *Generic) { g.Object = "" }), "object is missing"},
		{with(func(g *Generic) { g.Type = "formated" }), "did you mean formatted?"},
		{with(func(g *Generic) { g.Counters = nil }), "counters are missing"},
		{with(func(g *Generic) { g.InstanceLabel = "a-b" }), "instance_label"},
		{with(func(g *Generic) { g.InstanceLabel = "__name__" }), "instance_label"},
		{with(func(g *Generic) { g.Counters[0].Name = "" }), "a counter has no name"},
		{with(func(g *Generic) { g.Counters[0].Type = "gage" }), "did you mean gauge?"},
		{with(func(g *Generic) { g.Counters[0].Metric = "a b" }), "not a valid metric name"},
		{with(func(g *Generic) { g.Counters[0].Metric = "winperf_x" }), "are reserved"},
		{with(func(g *Generic) { g.Counters[0].Labels = map[string]string{"instance": "x"} }),
			"is the instance label"},
		{with(func(g *Generic) { g.Counters[0].Labels = map[string]string{"é": "x"} }), "not a valid label name"},
	} {
		if err := tt.generic.Check(); !errors.Is(err, ErrGeneric) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.generic, err, tt.want)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}

	named := func(name string, change func(*Generic)) Generic {
		return with(func(g *Generic) { g.Name = name; change(g) })
	}
	taken := named("c", func(g *Generic) { g.Counters[0].Metric = "windows_os_time" })
	same := named("b", func(*Generic) {})
	other := named("d", func(g *Generic) { g.Counters[0].Labels = map[string]string{"a": "b"} })
	empty := named("e", func(g *Generic) { g.Counters[0].Labels = map[string]string{"z": ""} })
	two := named("f", func(g *Generic) { g.Counters[0].Labels = map[string]string{"a": "b c:d"} })
	three := named("g", func(g *Generic) { g.Counters[0].Labels = map[string]string{"a": "b", "c": "d"} })
	for _, tt := range []struct {
		all   []Generic
		names []Scheme
		want  []string // of each object, "" is nothing
	}{
		{[]Generic{good, empty}, nil, []string{"", `is also in "a"`}}, // an empty label is none
		{[]Generic{two, three}, nil, []string{"", ""}},
		{[]Generic{good, other}, nil, []string{"", ""}},
		{[]Generic{good, same, good}, nil, []string{"", `is also in "a"`, "not unique"}},
		{[]Generic{named("b", func(g *Generic) { g.Type = "x" }), other}, nil, []string{"type must be raw or formatted", ""}},
		{[]Generic{good, taken}, nil, []string{"", ""}},
		{[]Generic{good, taken}, []Scheme{Own, OTel}, []string{"", ""}},
		{[]Generic{taken, good}, []Scheme{Own, WindowsExporter}, []string{"another collector of windows_exporter", ""}},
	} {
		errs := CheckGenerics(tt.all, tt.names)
		for i, want := range tt.want {
			err := errs[i]
			if (want != "") != errors.Is(err, ErrGeneric) || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v: object %d: %v, want %q", tt.all, i, err, want)
			}
		}
	}
}

// TestGenericWord: default names are those of windows_exporter, letter by letter.
func TestGenericWord(t *testing.T) {
	for name, want := range map[string]string{
		"Avg. Disk sec/Read": "avg__disk_sec_read", "Cache Faults/sec": "cache_faults_sec",
		"% Processor Time":      "percent_processor_time",
		"Log File(s) Size (KB)": "log_files_size_kb", ".NET CLR Memory": "_net_clr_memory",
	} {
		if got := genericWord(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func FuzzGenericWord(f *testing.F) {
	f.Add("Avg. Disk sec/Read")
	f.Fuzz(func(t *testing.T, name string) {
		c := GenericCounter{Name: name}
		if got := c.metric(name); !genericMetric.MatchString(got) {
			t.Errorf("%q becomes %q", name, got)
		}
	})
}
