package linuxhost

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/winperf/winperf/internal/perftest"
)

// absentCounter is a counter of Windows that Linux cannot provide in an object that it has.
type absentCounter struct {
	index uint32 // 0: none that is fixed
	name  string
	why   string
}

const (
	noSum     = "the kernel counts it only per process, so a sum would miss processes that have ended"
	notKept   = "the kernel does not count it"
	notApart  = "the kernel does not count it separately"
	noPaged   = "the kernel's own memory is never paged"
	noSuch    = "Linux has no equivalent"
	scales    = "the scales of the two schedulers cannot be compared; Process has Scheduler Priority"
	committed = "the kernel does not count a process's committed memory; Swap Bytes is its memory in swap"
	onlySpeed = "the kernel reports only frequencies"
)

// absentCounters are the counters that only Windows has, by object.
var absentCounters = map[uint32][]absentCounter{
	2: {
		{10, "File Read Operations/sec", noSum}, {12, "File Write Operations/sec", noSum},
		{14, "File Control Operations/sec", notKept},
		{16, "File Read Bytes/sec", noSum}, {18, "File Write Bytes/sec", noSum},
		{20, "File Control Bytes/sec", notKept},
		{406, "File Data Operations/sec", noSum}, {150, "System Calls/sec", notKept},
		{686, "Alignment Fixups/sec", notKept}, {688, "Exception Dispatches/sec", notKept},
		{690, "Floating Emulations/sec", notKept}, {1350, "% Registry Quota In Use", noSuch},
	},
	238: {{1336, "DPC Rate", notKept}},
	titleProcessorInformation: {
		{0, "Average Idle Time", notKept}, {0, "% Processor Performance", onlySpeed},
		{0, "% Processor Utility", onlySpeed},
		{0, "% Privileged Utility", onlySpeed}, {0, "% Performance Limit", notKept},
		{0, "Performance Limit Flags", notKept},
		{0, "Parking Status", noSuch}, {0, "Processor State Flags", noSuch}, {1336, "DPC Rate", notKept},
	},
	4: {
		{32, "Write Copies/sec", notApart}, {34, "Transition Faults/sec", notApart},
		{36, "Cache Faults/sec", notApart},
		{38, "Demand Zero Faults/sec", notApart}, {50, "Page Writes/sec", notKept},
		{824, "Transition Pages RePurposed/sec", notApart},
		{56, "Pool Paged Bytes", noPaged}, {60, "Pool Paged Allocs", noPaged},
		{66, "Pool Paged Resident Bytes", noPaged},
		{64, "Pool Nonpaged Allocs", notKept}, {68, "System Code Total Bytes", noPaged},
		{70, "System Code Resident Bytes", noPaged},
		{72, "System Driver Total Bytes", noPaged}, {74, "System Driver Resident Bytes", noPaged},
		{76, "System Cache Resident Bytes", noPaged}, {820, "Cache Bytes Peak", notKept},
		{678, "Free System Page Table Entries", noSuch}, {1680, "Standby Cache Reserve Bytes", noSuch},
		{1682, "Standby Cache Normal Priority Bytes", noSuch}, {1684, "Standby Cache Core Bytes", noSuch},
	},
	700: {{704, "% Usage Peak", notKept}},
	260: {{252, "Events", notKept}, {254, "Semaphores", notKept}, {256, "Mutexes", notKept},
		{258, "Sections", notKept}},
	230: {
		{56, "Pool Paged Bytes", noPaged}, {58, "Pool Nonpaged Bytes", notKept},
		{182, "Page File Bytes Peak", committed},
		{184, "Page File Bytes", committed}, {682, "Priority Base", scales},
		{1418, "IO Other Operations/sec", notKept}, {1426, "IO Other Bytes/sec", notKept},
	},
	232: {{682, "Priority Base", scales}, {694, "Priority Current", scales},
		{706, "Start Address", "the kernel does not reveal it"}},
	234: {{1484, "Split IO/Sec", "the kernel counts merged requests, not split ones"}},
	236: {{1484, "Split IO/Sec", "the kernel counts merged requests, not split ones"}},
	510: {
		{524, "Packets Received Unicast/sec", notApart}, {532, "Packets Received Unknown", notApart},
		{536, "Packets Sent Unicast/sec", notApart}, {538, "Packets Sent Non-Unicast/sec", notApart},
		{544, "Output Queue Length", notKept},
	},
}

// absentObjects are objects of Windows that Linux has nothing equal to.
var absentObjects = []absentCounter{
	{86, "Cache", "the page cache has no copy, map and pin reads"},
	{1530, "TCPv6", "the kernel counts both versions together; TCPv4 shows them"},
	{330, "Server", "not part of the kernel on all systems"},
	{262, "Redirector", "not part of the kernel on all systems"},
	{52, "Browser", noSuch},
	{1500, "Job Object", "the nearest is Control Group"},
	{740, "Image", "the kernel lists a process's files only one by one, in /proc/PID/smaps"},
	{786, "Process Address Space", "the nearest is Process Memory Details"},
	{816, "Thread Details", notKept},
	{1760, "Heap", "each program manages its own heap"},
}

// TestAbsentNames compares the lists with the name table of a Windows machine.
func TestAbsentNames(t *testing.T) {
	names := windowsNames(t)
	declared := map[uint32]bool{}
	for _, o := range NewHost(System{}).Objects() {
		declared[o.Index] = true
		ours := map[string]bool{}
		for _, c := range o.Counters {
			ours[c.Name] = true
		}
		for _, a := range absentCounters[o.Index] {
			if ours[a.name] || a.index != 0 && names[a.index] != a.name {
				t.Errorf("%s, %s: declared: %v, on Windows %d is %q", o.Name, a.name, ours[a.name], a.index,
					names[a.index])
			}
		}
	}
	for index := range absentCounters {
		if !declared[index] {
			t.Errorf("there is no object %d", index)
		}
	}
	for _, a := range absentObjects {
		if declared[a.index] || names[a.index] != a.name {
			t.Errorf("%s: declared: %v, on Windows %d is %q", a.name, declared[a.index], a.index,
				names[a.index])
		}
	}
}

// TestAllOfWindows: each counter in the blocks of a Windows machine is given
// or known to be absent.
func TestAllOfWindows(t *testing.T) {
	dir := filepath.Dir(perftest.Data(t, "perfdata/vista_sample00_System_2.bin"))
	compared := 0
	for _, o := range NewHost(System{}).Objects() {
		files, err := filepath.Glob(filepath.Join(dir, "vista_sample00_*_"+strconv.Itoa(int(o.Index))+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			compared++
			p, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			windows := definitionsOf(p)
			for _, c := range o.Counters {
				delete(windows, c.Index)
			}
			for _, a := range absentCounters[o.Index] {
				delete(windows, a.index)
			}
			for _, index := range slices.Sorted(maps.Keys(windows)) {
				t.Errorf("%s: counter %d of Windows is neither given nor known to be absent", o.Name, index)
			}
		}
	}
	if compared != 8 {
		t.Errorf("compared %d objects, want 8", compared)
	}
}
