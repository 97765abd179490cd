package metrics

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
	"github.com/winperf/winperf/sink/metrics/internal/tables"
)

// tableObjects are objects that have every counter of a table, with types that suit what the table
// makes of them, and two instances.
func tableObjects(blocks []tables.Block) (objects []made) {
	counters := map[string][]string{}
	var order []string
	for _, b := range blocks {
		for _, o := range b.Objects {
			if counters[o.Name] == nil {
				order = append(order, o.Name)
				counters[o.Name] = []string{"ID Process PERF_COUNTER_RAWCOUNT", "Process ID PERF_COUNTER_RAWCOUNT"}
			}
			for _, r := range b.Rows {
				counters[o.Name] = withCounters(counters[o.Name], r)
			}
		}
	}

	for _, name := range order {
		var rows []string
		for i, instance := range instancesOf(name) {
			var values []string
			for c := range counters[name] {
				values = append(values, strconv.Itoa(1000+100*c+i))
			}
			rows = append(rows, instance+": "+strings.Join(values, " "))
		}
		objects = append(objects, made{name, counters[name], rows, "time=133500000000000000 freq=10000000"})
	}
	return objects
}

// instancesOf returns two names that give labels in an object.
func instancesOf(object string) []string {
	switch object {
	case "SMB Client Shares":
		return []string{`\a\b`, `\a\c`}
	case "VM Processor":
		return []string{"0", "_Total"}
	}
	return []string{"1_a 1", "2_b 2"}
}

// withCounters adds the counters of a row.
func withCounters(all []string, r tables.Row) []string {
	for _, c := range r.Counters {
		if slices.ContainsFunc(all, func(has string) bool { return has[:strings.LastIndexByte(has, ' ')] == c }) {
			continue
		}
		switch r.Convert.Op {
		case tables.Start, tables.Elapsed:
			all = append(all, c+" PERF_ELAPSED_TIME")
		default:
			all = append(all, c+" PERF_AVERAGE_BULK", "base PERF_AVERAGE_BASE")
		}
	}
	return all
}

// TestWholeTable: every row of the tables becomes a metric of the type and with the labels that the
// row says, and no two values of one name have the same labels.
func TestWholeTable(t *testing.T) {
	for _, scheme := range []Scheme{WindowsExporter, OTel} {
		opt := Options{Names: []Scheme{scheme}, Facts: testFacts, HostValues: everyHostValue(t)}
		s, err := newWindowsExporter(&opt)
		if scheme == OTel {
			s, err = newOTel(&opt)
		}
		if err != nil {
			t.Fatal(err)
		}

		f, n := block(t, at0, tableObjects(s.blocks)...)
		set := mapped(t, NewMapper(opt), f, n)
		unique(t, set)
		families := map[string]*Family{}
		for i := range set.Families {
			families[set.Families[i].Name] = &set.Families[i]
		}
		for _, b := range s.blocks {
			if b.Kind != tables.Counters && b.Kind != tables.Facts {
				continue
			}
			for _, r := range b.Rows {
				checkRow(t, b, r, families[r.Metric])
			}
		}
	}
}

// everyHostValue returns a value of each metric that Options.HostValues can have.
func everyHostValue(t *testing.T) func([]HostValue) []HostValue {
	t.Helper()
	table, err := tables.WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}
	return func(buf []HostValue) []HostValue {
		for _, b := range table.Blocks {
			for _, r := range b.Rows {
				if b.Kind == tables.Facts && hostHelp[r.Counters[0]] != "" {
					buf = append(buf, HostValue{Metric: r.Metric, Value: 1})
				}
			}
		}
		return buf
	}
}

// checkRow looks for a column with the labels of a row.
func checkRow(t *testing.T, b tables.Block, r tables.Row, f *Family) {
	t.Helper()
	if f == nil || f.Type != tableType(r.Type) || f.Additive != (r.Type == 'I') || f.Help == "" {
		t.Errorf("%s: %+v", r.Metric, f)
		return
	}
	if b.Kind == tables.Facts {
		return
	}

	want := extraLabels(b.Objects[0].Labels, r.Labels)
	at := slices.IndexFunc(f.Columns, func(c Column) bool { return slices.Equal(c.Extra, want) })
	if at < 0 {
		t.Errorf("%s has no values with %v", r.Metric, want)
		return
	}
	c := f.Columns[at]
	if c.Rows.Len() == 0 {
		switch b.Objects[0].Name {
		case "SQLServer:Locks": // labels that the instances of the test cannot give
		default:
			t.Errorf("%s has no rows", r.Metric)
		}
		return
	}
	for _, l := range c.Rows.Labels(0) {
		if !slices.ContainsFunc(b.Labels, func(rule tables.Label) bool { return rule.Name == l.Name }) {
			t.Errorf("%s: label %s is not in the table", r.Metric, l.Name)
		}
	}
}

// TestOTelInodes: the free and used inodes of each file system; those of an unknown number are not used.
func TestOTelInodes(t *testing.T) {
	f, n := block(t, at0, made{"LogicalDisk", []string{"% Free Inodes PERF_RAW_FRACTION", "base PERF_RAW_BASE"},
		[]string{"/: 30 100", "/x: 0 5", "/none: 0 0"}, ""})
	var want []string
	for _, disk := range [][3]string{{"/", "30", "70"}, {"/x", "0", "5"}, {"/none", "0", ""}} {
		for i, state := range []string{"free", "used"} {
			const form = `system.filesystem.inodes.usage{system.device="%s",system.filesystem.mountpoint="%[1]s",` +
				`system.filesystem.state="%s"} %s`
			if v := disk[1+i]; v != "" {
				want = append(want, fmt.Sprintf(form, disk[0], state, v))
			}
		}
	}
	got := lines(mapped(t, NewMapper(Options{Names: []Scheme{OTel}}), f, n), "system.filesystem.inodes.usage")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOTel: names with dots, units, and which values add up.
func TestOTel(t *testing.T) {
	f, n := block(t, at0,
		made{"Processor", []string{"% User Time PERF_100NSEC_TIMER", "% Privileged Time PERF_100NSEC_TIMER",
			"% Interrupt Time PERF_100NSEC_TIMER"},
			[]string{"0: 10000000 30000000 5000000", "_Total: 1 1 1"}, ""},
		made{"Memory", []string{"Available Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"1000"}, ""},
		made{"LogicalDisk", []string{"% Free Space PERF_RAW_FRACTION", "base PERF_RAW_BASE",
			"Free Megabytes PERF_COUNTER_RAWCOUNT"},
			[]string{"C:: 25 100 25"}, ""},
		made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "Working Set PERF_COUNTER_LARGE_RAWCOUNT",
			"Elapsed Time PERF_ELAPSED_TIME"},
			[]string{"Idle: 0 8192 133499999980000000", "db: 44 4096 133499999980000000"}, "time=133500000000000000 freq=10000000"})
	set := mapped(t, NewMapper(Options{Names: []Scheme{OTel}, Facts: Facts{PhysicalMemory: 5000}}), f, n)
	unique(t, set)
	want := []string{
		`system.cpu.time{cpu.logical_number="0",cpu.mode="user"} 1`,
		`system.cpu.time{cpu.logical_number="0",cpu.mode="system"} 2.5`,
		`system.cpu.time{cpu.logical_number="0",cpu.mode="interrupt"} 0.5`,
		`system.cpu.logical.count{} 1`,
		`system.memory.usage{system.memory.state="free"} 1000`,
		`system.memory.usage{system.memory.state="used"} 4000`,
		`system.filesystem.usage{system.device="C:",system.filesystem.mountpoint="C:",system.filesystem.state="free"} 26214400`,
		`system.filesystem.usage{system.device="C:",system.filesystem.mountpoint="C:",system.filesystem.state="used"} 78643200`,
		`system.filesystem.limit{system.device="C:",system.filesystem.mountpoint="C:"} 104857600`,
		`system.filesystem.utilization{system.device="C:",system.filesystem.mountpoint="C:",system.filesystem.state="used"} 0.75`,
		`system.filesystem.utilization{system.device="C:",system.filesystem.mountpoint="C:",system.filesystem.state="free"} 0.25`,
		`process.memory.usage{process.executable.name="db",process.pid="44"} 4096`,
		`process.uptime{process.executable.name="db",process.pid="44"} 2`,
		`system.memory.limit{} 5000`,
	}
	if diff := cmp.Diff(want, lines(set)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if set.TextOnly {
		t.Error("TextOnly is set")
	}

	units := map[string]string{}
	for _, f := range set.Families {
		units[f.Name] = fmt.Sprint(f.Unit, " ", f.Type, " ", f.Additive)
	}
	for name, want := range map[string]string{
		"system.cpu.time": fmt.Sprint("s ", Counter, " false"), "system.memory.usage": fmt.Sprint("By ", Gauge,
			" true"),
		"system.filesystem.utilization": fmt.Sprint("1 ", Gauge, " false"),
	} {
		if units[name] != want {
			t.Errorf("%s: %q, want %q", name, units[name], want)
		}
	}
}

// TestOTelOfWindows: processors are numbered through over their nodes, and virtual memory is what a
// process committed, where it is known.
func TestOTelOfWindows(t *testing.T) {
	f, n := block(t, at0,
		made{"Processor Information", []string{"Processor Frequency PERF_COUNTER_RAWCOUNT"},
			[]string{"0,0: 1", "0,1: 2", "0,_Total: 9", "1,0: 3", "1,_Total: 9", "_Total: 9"}, ""},
		made{"Process", []string{"ID Process PERF_COUNTER_RAWCOUNT", "Virtual Bytes PERF_COUNTER_LARGE_RAWCOUNT",
			"Page File Bytes PERF_COUNTER_LARGE_RAWCOUNT"}, []string{"db: 44 2199023255552 4096"}, ""})
	want := []string{
		`system.cpu.frequency{cpu.logical_number="0"} 1000000`,
		`system.cpu.frequency{cpu.logical_number="1"} 2000000`,
		`system.cpu.frequency{cpu.logical_number="2"} 3000000`,
		`system.cpu.logical.count{} 3`,
		`process.memory.virtual{process.executable.name="db",process.pid="44"} 4096`,
	}
	set := mapped(t, NewMapper(Options{Names: []Scheme{OTel}}), f, n)
	if diff := cmp.Diff(want, lines(set)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTablesOfLogs maps all samples of real logs under all names: nothing comes twice, and what a
// metric takes over as it is is the raw value.
func TestTablesOfLogs(t *testing.T) {
	dir := data(t)
	for _, log := range []struct {
		file               string
		families, compared int
	}{{"PAL_SampleLog.blg", 120, 200}, {"Tx_BasicPerfCounters.blg", 5, 0}} {
		m := NewMapper(Options{Names: []Scheme{WindowsExporter, OTel}})
		most, compared := 0, 0
		eachCycle(t, "log:"+filepath.Join(dir, "blg", log.file), 5, func(c *measure.Cycle) {
			set := mapped(t, m, c.Frame, c.Names)
			unique(t, set)
			most = max(most, len(set.Families))
			compared += compareRaw(t, set, c, "windows_memory_available_bytes", "Memory", "Available Bytes")
			compared += compareRaw(t, set, c, "windows_process_working_set_bytes", "Process", "Working Set")
			compared += compareRaw(t, set, c, "windows_logical_disk_requests_queued", "LogicalDisk",
				"Current Disk Queue Length")
			compared += compareRaw(t, set, c, "windows_net_bytes_total", "Network Interface", "Bytes Total/sec")
			compared += compareRaw(t, set, c, "windows_system_processor_queue_length", "System",
				"Processor Queue Length")
		})
		t.Logf("%s: %d families, %d values compared", log.file, most, compared)
		if most < log.families || compared < log.compared {
			t.Errorf("%s: %d families, %d values compared", log.file, most, compared)
		}
	}
}

// compareRaw compares the values of a metric with the raw values of a counter, in their order, and
// returns how many there are.
func compareRaw(t *testing.T, set *Set, c *measure.Cycle, metric, object, name string) (n int) {
	t.Helper()
	at := slices.IndexFunc(set.Families, func(f Family) bool { return f.Name == metric })
	if at < 0 {
		return 0
	}
	names := c.Names.In(nametable.English)
	col := &set.Families[at].Columns[0]
	row := 0
	for o := range c.Frame.Objects() {
		l := newLayout(o, names, false)
		k := l.find(name)
		if !strings.EqualFold(l.Name, object) || k < 0 {
			continue
		}
		for i := range o.Len() {
			if total := strings.HasSuffix(o.Labels().Name(i), "_Total"); total || row >= col.Rows.Len() {
				continue
			}
			if raw, ok := o.Raw(i, k); ok && col.Has(row) {
				if col.Bits[row] != raw {
					t.Errorf("%s of %s is %d, want %d", metric, o.Labels().Full(i), col.Bits[row], raw)
				}
				n++
			}
			row++
		}
		return n
	}
	return n
}

// TestTablesAllocateNothing maps samples with the same instances under all names.
func TestTablesAllocateNothing(t *testing.T) {
	opt := Options{Facts: testFacts, Names: []Scheme{WindowsExporter, OTel}}
	s, err := newWindowsExporter(&opt)
	if err != nil {
		t.Fatal(err)
	}
	objects := tableObjects(s.blocks)
	first, table := blockText(at0, objects...)
	second, _ := blockText(at1, objects...)
	fs, n := frames(t, first, second), names(t, table)
	m, i := NewMapper(opt), 0
	next := func() {
		mapped(t, m, fs[i%2], n)
		i++
	}
	for range 4 {
		next()
	}
	if a := testing.AllocsPerRun(10, next); a > 0 {
		t.Errorf("%v allocations a sample, want none", a)
	}
}

// FuzzTableLabels gives instances of objects of all rules any names: no two rows have the same labels.
func FuzzTableLabels(f *testing.F) {
	f.Add("a", "a", "a#1", uint32(0))
	f.Add("12_pool", `\??\C:\pagefile.sys`, "vm:Hv VP 3", uint32(7))
	f.Add("_Total", "x_Total", "", uint32(4))
	f.Add(":", "#", " ", uint32(1))
	opt := Options{Names: []Scheme{WindowsExporter, OTel}, Totals: true, NoLegacy: true}
	objects := []string{
		"Processor", "PhysicalDisk", "LogicalDisk", "Process", "Process V2", ".NET CLR Jit", ".NET CLR Memory",
		"W3SVC_W3WP", "MSExchange HttpProxy", "RemoteFX Network", "SMB Client Shares", "GPU Engine", "VM Processor",
		"Web Service", "Paging File", "Terminal Services Session", "SQLServer:Locks", "MSSQL$:Locks",
		"Hyper-V Hypervisor Virtual Processor", "Hyper-V Hypervisor Logical Processor", "DirectoryServices",
	}
	counters := make([][]string, len(objects))
	for i, o := range objects {
		counters[i] = append(someCounters(f, o), "ID Process PERF_COUNTER_RAWCOUNT", "Process ID PERF_COUNTER_RAWCOUNT")
	}

	f.Fuzz(func(t *testing.T, a, b, c string, pid uint32) {
		if strings.ContainsAny(a+b+c, "\x00") {
			t.Skip("no name")
		}
		var all []made
		for i, o := range objects {
			values := strings.Repeat(fmt.Sprint(" ", pid), len(counters[i]))
			var rows []string
			for _, name := range []string{a, b, c} {
				rows = append(rows, strings.ToValidUTF8(name, "\uFFFD")+":"+values)
			}
			all = append(all, made{o, counters[i], rows, ""})
		}
		frame, n := block(t, at0, all...)
		unique(t, mapped(t, NewMapper(opt), frame, n))
	})
}

// someCounters are counters of an object that tables have, each for a metric of its own.
func someCounters(t testing.TB, object string) (counters []string) {
	t.Helper()
	windows, err := tables.WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}
	object, _ = sqlObject(object)
	for _, b := range windows.Blocks {
		for _, r := range b.Rows {
			one := b.Kind == tables.Counters && len(r.Counters) == 1 && r.Convert.Op == tables.Raw
			if one && b.Objects[0].Name == object && len(counters) < 3 {
				counters = append(counters, r.Counters[0]+" PERF_COUNTER_RAWCOUNT")
			}
		}
	}
	return counters
}
