package linuxhost

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winperf/winperf/provider"
)

// liveRig returns a rig on this machine.
func liveRig(t testing.TB) *rig {
	t.Helper()
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return newRig(t, NewMapRoot(nil), func(s *System) { *s = h.sys })
}

func listPIDs(t testing.TB) (pids []uint64) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if pid, err := strconv.ParseUint(e.Name(), 10, 31); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestLiveProcesses compares the processes with those in /proc before and
// after.
func TestLiveProcesses(t *testing.T) {
	r := liveRig(t)
	before := listPIDs(t)
	b := r.ask("2 230")
	after := listPIDs(t)
	o := b[230]
	var got []uint64
	for i, in := range o.instances {
		id, started := in.values[o.at(784)], in.values[o.at(684)]
		if id.missing || started.missing || started.raw < fileTimeBoot || int64(started.raw) > o.time {
			t.Errorf("%s: id %+v, start %+v, now %d", in.name, id, started, o.time)
		}
		if in.name == "" || !utf8.ValidString(in.name) || strings.ContainsAny(in.name, `()/\#*`) {
			t.Errorf("name %q", in.name)
		}
		if i > 1 { // Idle and _Total
			got = append(got, id.raw)
		}
	}
	if !slices.IsSorted(got) {
		t.Errorf("ids do not rise: %d", got)
	}
	for _, pid := range before {
		if slices.Contains(after, pid) && !slices.Contains(got, pid) {
			t.Errorf("process %d is not in the sample", pid)
		}
	}
	// A process may start, or start and end, while all this is read.
	if n, ok := b[2].value("", 248); !ok || n < uint64(len(got))+1 {
		t.Errorf("System has %d processes, Process %d", n, len(got))
	}
	o.check(t, "Idle", raws{784: 0})
	self := o.instances[2+slices.Index(got, uint64(os.Getpid()))]
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil || self.name != instanceName(comm[:len(comm)-1]) {
		t.Errorf("this process is %q, want %q (%v)", self.name, comm, err)
	}
	for _, index := range []uint32{6, 174, 180, 186, 1420, 1478} {
		if k := o.at(index); k < 0 || self.values[k].missing {
			t.Errorf("this process has no counter %d", index)
		}
	}
}

// TestLiveMemory compares Memory with the same files read at the same time. Figures
// move between the two readings.
func TestLiveMemory(t *testing.T) {
	r := liveRig(t)
	r.object(4)
	beside := map[string]float64{}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		n, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		beside[words[0]] = n * 1024
	}
	o := r.object(4)
	tolerance := beside["MemTotal:"] / 10
	for index, want := range map[uint32]float64{
		24: beside["MemAvailable:"], 1676: beside["MemFree:"], 30: beside["CommitLimit:"],
		titleSlab: beside["SReclaimable:"],
		818:       beside["Buffers:"] + beside["Cached:"] - beside["Shmem:"],
	} {
		if raw, ok := o.value("", index); !ok || math.Abs(float64(raw)-want) > tolerance {
			t.Errorf("counter %d is %d (there: %v), beside it %.0f", index, raw, ok, want)
		}
	}
	available, _ := o.value("", 24)
	o.check(t, "", raws{1380: int64(available >> 10), 1382: int64(available >> 20)})
}

// TestLiveProcessor checks that idle time is no longer than there is.
func TestLiveProcessor(t *testing.T) {
	r := liveRig(t)
	b := r.ask("2 238")
	o := b[238]
	start, _ := b[2].value("", 674)
	sinceBoot := uint64(b[2].time) - start
	online := 0
	for _, in := range o.instances {
		idle := in.values[o.at(6)]
		if idle.missing || idle.raw > sinceBoot+perSecond {
			t.Errorf("processor %s was idle for %+v of %d", in.name, idle, sinceBoot)
		}
		online++
	}
	text, err := os.ReadFile("/proc/stat")
	if want := strings.Count(string(text), "\ncpu"); err != nil || online != want+1 {
		t.Errorf("%d instances, want %d processors and _Total (%v)", online, want, err)
	}
}

func BenchmarkLive(b *testing.B) {
	b.Run("winperf", func(b *testing.B) {
		h, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		collect := warm(b, h, provider.ParseQuery("2 4 230 238"))
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, name := range []string{"stat", "loadavg", "meminfo", "vmstat", "interrupts", "softirqs"} {
				referenceRead("/proc/" + name)
			}
			for _, pid := range listPIDs(b) {
				dir := fmt.Sprintf("/proc/%d/", pid)
				for _, name := range []string{"stat", "statm", "status", "io", "schedstat"} {
					referenceRead(dir + name)
				}
				_, _ = os.Stat(dir + "fd") // the process may be gone
			}
		}
	})
}

// referenceRead reads a file that may be gone or closed to us.
func referenceRead(path string) {
	if text, err := os.ReadFile(path); err == nil {
		referenceParse(string(text))
	}
}
