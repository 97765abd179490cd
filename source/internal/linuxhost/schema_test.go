package linuxhost

import (
	"bufio"
	"bytes"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/provider"
)

func TestDeclarations(t *testing.T) {
	h := NewHost(System{})
	for i, o := range h.Objects() {
		if err := o.Check(); err != nil {
			t.Error(err)
		}
		sp := specs()[i]
		if len(sp.rows) > 64 || len(sp.rows) > 998 {
			t.Errorf("%s has %d rows: more than a query can note", o.Name, len(sp.rows))
		}
		for k, r := range sp.rows {
			if r.from == 0 || bits.Len64(uint64(r.from)) > maxFields {
				t.Errorf("%s, %s: figures %b", o.Name, r.Name, r.from)
			}
			if help := o.Counters[k].Help; !strings.Contains(help, "/proc/") &&
				!strings.Contains(help, "/sys/") {
				t.Errorf("%s, %s: the help text names no file: %q", o.Name, r.Name, help)
			}
		}
	}
}

// TestFixedIndices holds the indices that other machines' records may hold.
func TestFixedIndices(t *testing.T) {
	want := map[string]uint32{
		"Processes Created/sec": 100000, "Runnable Tasks": 100002, "Blocked Tasks": 100004,
		"Load Average 1 min in Hundredths": 100006, "Load Average 5 min in Hundredths": 100008,
		"Load Average 15 min in Hundredths": 100010,
		"% Steal Time":                      100012, "% I/O Wait Time": 100014, "% Nice Time": 100016,
		"% Guest Time":         100018,
		"Swap Pages Input/sec": 100020, "Swap Pages Output/sec": 100022, "Pages Reclaimed/sec": 100024,
		"OOM Kills":              100026,
		"Slab Reclaimable Bytes": 100028, "Page Table Bytes": 100030, "Kernel Stack Bytes": 100032,
		"Anonymous Bytes": 100034,
		"Mapped Bytes":    100036, "Shared Bytes": 100038, "Huge Page Bytes": 100040, "Swap Bytes": 100042,
		"Major Faults/sec":       100044,
		"% Block I/O Delay Time": 100046, "Scheduler Priority": 100048, "% Processor Wait Time": 100050,
		"% Ended Children Time": 100052, "Ended Children Page Faults/sec": 100054,
		"Ended Children Major Faults/sec": 100056, "User ID": 100058, "Process Group ID": 100060,
		"Merges/sec": 100200, "Discards/sec": 100202, "Flushes/sec": 100204, "% Free Inodes": 100206,
		"Processor Information": 100400, "Processor Number": 100402, "Processor Frequency": 100404,
		"% of Maximum Frequency": 100406,
		"% Priority Time":        100408, "Clock Interrupts/sec": 100410, "Idle Break Events/sec": 100412,
		"% Run Queue Wait Time":  100414,
		"Process Memory Details": 100416, "Proportional Set Bytes": 100418,
		"Proportional Anonymous Bytes": 100420, "Proportional File Bytes": 100422,
		"Proportional Shared Memory Bytes": 100424, "Private Clean Bytes": 100426,
		"Private Dirty Bytes": 100428, "Shared Clean Bytes": 100430,
		"Shared Dirty Bytes": 100432, "Proportional Swap Bytes": 100434, "Locked Bytes": 100436,
		"Pressure Stall": 100438, "% Some Stalled Time": 100440, "% Full Stalled Time": 100442,
		"% Some Stalled Time 10 s Mean": 100444, "% Some Stalled Time 60 s Mean": 100446,
		"% Some Stalled Time 300 s Mean": 100448,
		"% Full Stalled Time 10 s Mean":  100450, "% Full Stalled Time 60 s Mean": 100452,
		"% Full Stalled Time 300 s Mean": 100454,
		"Control Group":                  100456, "Throttled Periods/sec": 100458, "% Throttled Time": 100460,
		"Memory Bytes":       100462,
		"Memory Limit Bytes": 100464, "Tasks": 100466, "% Some Processor Stalled Time": 100468,
		"% Full Processor Stalled Time": 100470,
		"% Some Memory Stalled Time":    100472, "% Full Memory Stalled Time": 100474,
		"% Some I/O Stalled Time": 100476, "% Full I/O Stalled Time": 100478,
	}
	help := map[uint32]string{}
	for _, o := range NewHost(System{}).Objects() {
		if index, own := want[o.Name]; own != (o.Index >= 100_000) || own && index != o.Index {
			t.Errorf("%s has the index %d, want %d", o.Name, o.Index, index)
		}
		help[o.HelpIndex] = o.Help
		for _, c := range o.Counters {
			if index, own := want[c.Name]; own != (c.Index >= 100_000) || own && index != c.Index {
				t.Errorf("%s has the index %d, want %d", c.Name, c.Index, index)
			}
			if other, dup := help[c.HelpIndex]; dup {
				t.Errorf("help index %d is both %q and %q", c.HelpIndex, other, c.Help)
			}
			help[c.HelpIndex] = c.Help
		}
	}
	for index, start := range map[uint32]string{
		500_001: "The machine as a whole.", 500_003: "Switches from one thread",
		502_001: "The processors that are online",
		504_001: "The machine's memory.", 506_001: "The processes visible",
		506_003: "Percentage of time that threads of the process ran;",
		520_001: "Physical and virtual disks", 520_003: "Requests that the device", 522_001: "File systems on block devices",
		522_003: "Space available", 523_001: "Requests that the device",
		524_003: "Bytes received and sent.", 530_003: "Datagrams received, plus",
		540_003: "Messages received and sent.",
		560_001: "The processors that are online, named by NUMA", 560_003: "The kernel's number",
		561_001: "Percentage of time that the processor was not idle", 562_001: "The threads of",
		562_003: "Times that the thread was scheduled", 564_001: "Detailed memory use", 564_003: "Memory in RAM, each",
		566_001: "Time that threads waited",
		566_003: "Percentage of time in which at least", 568_001: "The control groups",
		568_003: "Percentage of time that threads of the group ran;",
	} {
		if !strings.HasPrefix(help[index], start) {
			t.Errorf("help text %d is %q, want it to begin with %q", index, help[index], start)
		}
	}
}

// windowsNames returns the name table of a Windows machine.
func windowsNames(t *testing.T) map[uint32]string {
	t.Helper()
	text, err := os.ReadFile(perftest.Data(t, "names/vista_en_ZACH-PC_Counter009.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint32]string{}
	for sc := bufio.NewScanner(bytes.NewReader(text)); sc.Scan(); {
		number, name, _ := strings.Cut(strings.TrimRight(sc.Text(), "\r"), "\t")
		if index, err := strconv.ParseUint(number, 10, 32); err == nil {
			names[uint32(index)] = name
		}
	}
	return names
}

// TestWindowsNames compares names with the name table of a Windows machine.
func TestWindowsNames(t *testing.T) {
	const lastFixed = 1847 // Windows gives later ones away as providers are installed
	names := windowsNames(t)
	windows := map[string]bool{}
	for index, name := range names {
		windows[name] = windows[name] || index <= lastFixed
	}
	check := func(index uint32, name string) {
		switch {
		case index < 100_000 && names[index] != name:
			t.Errorf("%d is %q, on Windows %q", index, name, names[index])
		case index >= 100_000 && windows[name]:
			t.Errorf("%q has an index of its own, %d, and one on Windows", name, index)
		}
	}
	for _, o := range NewHost(System{}).Objects() {
		check(o.Index, o.Name)
		for _, c := range o.Counters {
			check(c.Index, c.Name)
		}
	}
}

// TestWindowsTypes compares types, scales and levels of detail with the blocks
// of a Windows machine.
func TestWindowsTypes(t *testing.T) {
	files := map[uint32]string{
		2: "System", 4: "Memory", 230: "Process", 238: "Processor",
		234: "PhysicalDisk", 236: "LogicalDisk", 510: "NetworkInterface", 638: "TCPv4",
	}
	for _, o := range NewHost(System{}).Objects() {
		file, there := files[o.Index]
		if !there {
			continue
		}
		name := "perfdata/vista_sample00_" + file + "_" + strconv.Itoa(int(o.Index)) + ".bin"
		p, err := os.ReadFile(perftest.Data(t, name))
		if err != nil {
			t.Fatal(err)
		}
		compared := compareDefinitions(t, o, definitionsOf(p))
		if compared < 5 {
			t.Errorf("%s: only %d counters are in the block", o.Name, compared)
		}
	}
}

type windowsDefinition struct {
	scale  int32
	detail provider.Detail
	typ    counter.Type
}

// definitionsOf reads the first definition of each title index in a block's
// first object.
func definitionsOf(p []byte) map[uint32]windowsDefinition {
	u := func(p []byte, off uint32) uint32 {
		return uint32(p[off]) | uint32(p[off+1])<<8 | uint32(p[off+2])<<16 | uint32(p[off+3])<<24
	}
	o := p[u(p, 24):]
	defs := map[uint32]windowsDefinition{}
	d := o[u(o, 8):]
	for range u(o, 32) {
		if _, base := defs[u(d, 4)]; !base {
			defs[u(d, 4)] = windowsDefinition{int32(u(d, 20)), provider.Detail(u(d, 24)),
				counter.Type(u(d, 28))}
		}
		d = d[u(d, 0):]
	}
	return defs
}

func compareDefinitions(t *testing.T, o *provider.Object, defs map[uint32]windowsDefinition) (compared int) {
	t.Helper()
	for _, c := range o.Counters {
		d, ok := defs[c.Index]
		if !ok {
			continue
		}
		compared++
		if got := (windowsDefinition{c.Scale, c.Detail, c.Type}); got != d {
			t.Errorf("%s, %s: %+v, on Windows %+v", o.Name, c.Name, got, d)
		}
	}
	return compared
}
