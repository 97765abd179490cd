package linuxhost

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/provider"
)

// touched is a root that notes which files are read and sized.
type touched struct {
	*MapRoot
	paths map[Handle]string
	files map[string]int
}

func newTouched(root *MapRoot) *touched {
	return &touched{root, map[Handle]string{0: ""}, map[string]int{}}
}

func (r *touched) Open(dir Handle, name string) (Handle, error) {
	h, err := r.MapRoot.Open(dir, name)
	if err == nil {
		r.paths[h] = r.paths[dir] + name
	}
	return h, err
}

func (r *touched) Process(proc Handle, pid int) (Handle, error) {
	h, err := r.MapRoot.Process(proc, pid)
	if err == nil {
		r.paths[h] = "proc/N/"
	}
	return h, err
}

func (r *touched) Processes(proc Handle, dst []int) ([]int, error) {
	r.files["proc"]++
	return r.MapRoot.Processes(proc, dst)
}

func (r *touched) Read(h Handle, p []byte, off int64) (int, error) {
	if off == 0 {
		r.files[r.paths[h]]++
	}
	return r.MapRoot.Read(h, p, off)
}

func (r *touched) Size(dir Handle, name string) (int64, error) {
	r.files[r.paths[dir]+name]++
	return r.MapRoot.Size(dir, name)
}

// TestOnlyWhatIsWanted asks for objects and counters and looks at what is read.
func TestOnlyWhatIsWanted(t *testing.T) {
	only := func(object uint32, counters ...uint32) *provider.Query {
		return &provider.Query{Objects: []uint32{object}, Counters: map[uint32][]uint32{object: counters}}
	}
	tests := []struct {
		name  string
		query *provider.Query
		want  string // what is read, once each; per process "proc/N/..." five times
	}{
		{"system", provider.ParseQuery("2"), "proc proc/loadavg proc/stat"},
		{"system, up time", only(2, 674), ""},
		{"system, processes", only(2, 248), "proc"},
		{"memory", provider.ParseQuery("4"), "proc/meminfo proc/vmstat"},
		{"memory, available", only(4, 1382), "proc/meminfo"},
		{"memory, faults", only(4, 28), "proc/vmstat"},
		{"processor", provider.ParseQuery("238"), "proc/interrupts proc/softirqs proc/stat"},
		{"processor, time", only(238, 6), "proc/stat"},
		{"processor, interrupts", only(238, 148), "proc/interrupts proc/stat"},
		{"process", provider.ParseQuery("230"),
			"proc proc/N/fd proc/N/io proc/N/schedstat proc/N/stat proc/N/statm proc/N/status proc/stat"},
		{"process, id", only(230, 784), "proc proc/N/stat"},
		{"process, time", only(230, 6), "proc proc/N/stat proc/stat"},
		{"process, handles", only(230, 952), "proc proc/N/fd proc/N/stat"},
		{"process, private", only(230, 186, 1478), "proc proc/N/stat proc/N/statm proc/N/status"},
		{"three objects", provider.ParseQuery("2 4 238"),
			"proc proc/interrupts proc/loadavg proc/meminfo proc/softirqs proc/stat proc/vmstat"},
		{"definitions", provider.ParseQuery("MetadataGlobal"), ""},
		{"nothing", provider.ParseQuery("234"), ""},
	}
	root := newTouched(fixture(t, "small.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.ask("Global")
	for _, tt := range tests {
		clear(root.files)
		r.askFor(tt.query)
		if got := strings.Join(slices.Sorted(maps.Keys(root.files)), " "); got != tt.want {
			t.Errorf("%s: read %q, want %q", tt.name, got, tt.want)
		}
		for name, n := range root.files {
			if want := 1 + 4*strings.Count(name, "/N/"); n != want {
				t.Errorf("%s: read %s %d times, want %d", tt.name, name, n, want)
			}
		}
	}
}

// TestIdentityIsWritten asks for one counter only: what tells processes apart
// comes along.
func TestIdentityIsWritten(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), nil)
	o := r.askFor(&provider.Query{Objects: []uint32{230}, Counters: map[uint32][]uint32{230: {142}}})[230]
	o.check(t, "systemd", raws{142: 150 * tick, 784: 1, 684: fileTimeBoot + 10*tick, 144: missing, 6: missing,
		180: missing})
}

// TestEndedChildren: each process has the counts of the children that it waited for, and no total
// counts them again.
func TestEndedChildren(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), nil)
	o := r.object(230)
	o.check(t, "systemd", raws{100052: 12000 * tick, 100054: 9300, 100056: 300, 6: 400 * tick, 28: 520})
	o.check(t, "[sd-pam]", raws{100052: 0, 100054: 0, 100056: 0})
	o.check(t, "_Total", raws{100052: missing, 100054: missing, 100056: missing})
}

func TestOwner(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), nil)
	o := r.object(230)
	o.check(t, "systemd", raws{100058: 0, 100060: 1})
	o.check(t, "[sd-pam]", raws{100058: 1000, 100060: 300})
	o.check(t, "kthreadd", raws{100058: missing})
	o.check(t, "_Total", raws{100058: missing})
}

func TestDefinitions(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), nil)
	b := r.ask("MetadataGlobal")
	for index, counters := range map[uint32]int{2: 12, 4: 27, 230: 34, 238: 12, 260: 2} {
		if o := b[index]; o == nil || len(o.counters) != counters || len(o.instances) != 0 {
			t.Errorf("object %d: %+v, want %d counters and no instances", index, o, counters)
		}
	}
}

// TestManyProcessors asks a machine that has more processors than are read in
// full unasked.
func TestManyProcessors(t *testing.T) {
	root := fixture(t, "small.txtar")
	var lines [][3]int
	head, counts := "    ", "LOC: "
	for i := range onRequestAbove + 1 {
		lines = append(lines, [3]int{i, 1, 1})
		head += fmt.Sprintf(" CPU%d", i)
		counts += fmt.Sprintf(" %d", i+100)
	}
	root.Set("proc/stat", statText(lines...))
	root.Set("proc/interrupts", head+"\n"+counts+" Local timer interrupts\n")
	addState(root, 0, 0, "C1", 70, 3)
	r := newRig(t, root, nil)
	o := r.ask("Global")[238]
	o.check(t, "0", raws{142: tick, 148: missing, 1748: missing, 1754: missing})
	o.check(t, "_Total", raws{142: tick, 148: 1, 1748: missing})
	o = r.askFor(&provider.Query{Global: true, Counters: map[uint32][]uint32{238: {148, 1748, 1754}}})[238]
	o.check(t, "64", raws{142: missing, 148: 164, 1748: missing})
	o.check(t, "0", raws{148: 100, 1748: 700, 1754: 3})
	o.check(t, "_Total", raws{148: 1, 1748: 700, 1754: 3})
}

func addState(root *MapRoot, processor, state int, name string, microseconds, entries int) {
	dir := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state%d/", processor, state)
	root.Set(dir+"name", name+"\n")
	root.Set(dir+"time", fmt.Sprintln(microseconds))
	root.Set(dir+"usage", fmt.Sprintln(entries))
}

func TestIdleStates(t *testing.T) {
	root := fixture(t, "small.txtar")
	for _, p := range []int{0, 2} {
		addState(root, p, 0, "POLL", 5, 5)
		addState(root, p, 1, "C1", 100+p, 10)
		addState(root, p, 2, "C1E", 200, 20)
		addState(root, p, 3, "C6", 4000, 40)
		addState(root, p, 4, "C10", 50000, 50)
		addState(root, p, 5, "haltpoll idle", 9, 9)
	}
	r := newRig(t, root, nil)
	o := r.object(238)
	o.check(t, "0", raws{1748: 3000, 1752: 540000, 1754: 30, 1758: 90})
	o.check(t, "2", raws{1748: 3020, 1752: 540000, 1754: 30, 1758: 90})
	o.check(t, "_Total", raws{1748: 3010, 1752: 540000, 1754: 60, 1758: 180})
	if o.at(1750) >= 0 || o.at(1756) >= 0 {
		t.Error("C2 is declared, which no state is named")
	}
	root.Set("sys/devices/system/cpu/cpu2/cpuidle/state3/time", "damage\n")
	root.Remove("sys/devices/system/cpu/cpu0/cpuidle/state1/usage")
	o = r.object(238)
	o.check(t, "0", raws{1748: 3000, 1752: 540000, 1754: missing, 1758: 90})
	o.check(t, "2", raws{1748: 3020, 1752: missing, 1754: 30, 1758: 90})
}

func TestStateClass(t *testing.T) {
	for name, want := range map[string]int{
		"C1": 0, "C1E": 0, "C1_ACPI": 0, "WFI": 0, "C2": 1, "C3": 2, "C6S": 2, "C10": 2,
		"C18446744073709551615": 2,
		"POLL":                  -1, "C0": -1, "C": -1, "": -1, "haltpoll idle": -1, "cpu-sleep-0": -1,
		"C99999999999999999999": -1, "1": -1,
	} {
		if class, ok := stateClass([]byte(name)); ok != (want >= 0) || ok && class != want {
			t.Errorf("%q is class %d (%v), want %d", name, class, ok, want)
		}
	}
}
