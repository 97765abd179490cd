package linuxhost

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// liveLines returns the words of a file's lines. The test is skipped where
// this machine has no such file.
func liveLines(t *testing.T, name string) (lines [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("this machine has none: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.Fields(line))
	}
	return lines
}

// between checks a cumulative value against those read before and after it.
func between(t *testing.T, o *sampleObject, instance string, counter uint32, before, after string,
	unit uint64) {
	t.Helper()
	low, errLow := strconv.ParseUint(before, 10, 64)
	high, errHigh := strconv.ParseUint(after, 10, 64)
	if errLow != nil || errHigh != nil {
		t.Fatalf("%v, %v", errLow, errHigh)
	}
	if n, ok := o.value(instance, counter); !ok || n < low*unit || n > high*unit {
		t.Errorf("%s, counter %d: %d (there: %v), want it from %d to %d", instance, counter, n, ok,
			low*unit, high*unit)
	}
}

// TestLiveDisks compares disks with the same file read before and after.
func TestLiveDisks(t *testing.T) {
	r := liveRig(t)
	r.object(234)
	before := liveLines(t, "/proc/diskstats")
	o := r.object(234)
	after := liveLines(t, "/proc/diskstats")
	instances := 0
	for i, line := range before {
		name := line[2]
		if _, err := os.Stat("/sys/block/" + strings.ReplaceAll(name, "/", "!") + "/device"); err != nil ||
			len(after) != len(before) {
			continue
		}
		instances++
		between(t, o, name, 214, line[3], after[i][3], 1)
		between(t, o, name, 220, line[5], after[i][5], 512)
		between(t, o, name, 1402, line[6], after[i][6], perMillisecond)
		between(t, o, name, 222, line[9], after[i][9], 512)
		idle, ok := o.value(name, 1482)
		clock, okClock := o.base(name, 1482)
		if sinceBoot := uint64(o.time - r.bootTime(t)); !ok || !okClock || idle > sinceBoot ||
			clock < uint64(o.time) {
			t.Errorf("%s was idle for %d of %d at %d", name, idle, sinceBoot, clock)
		}
	}
	if want := min(instances, 1) + instances; len(o.instances) != want {
		t.Errorf("instances %q, want %d disks and _Total", o.names(), instances)
	}
}

// bootTime returns when the machine started.
func (r *rig) bootTime(t *testing.T) int64 {
	t.Helper()
	boot, ok := r.object(2).value("", 674)
	if !ok {
		t.Fatal("no start time")
	}
	return int64(boot)
}

// TestLiveFileSystems compares file systems with what statfs tells of them.
func TestLiveFileSystems(t *testing.T) {
	liveLines(t, "/proc/self/mountinfo")
	o := liveRig(t).object(236)
	for _, name := range o.names() {
		var st unix.Statfs_t
		if name == "_Total" || unix.Statfs(name, &st) != nil {
			continue
		}
		free, ok := o.value(name, 410)
		if want := st.Bavail * uint64(st.Frsize) >> 20; !ok || math.Abs(float64(free)-float64(want)) > 1024 {
			t.Errorf("%s: %d MB are free (there: %v), want about %d", name, free, ok, want)
		}
		part, _ := o.value(name, 408)
		whole, ok := o.base(name, 408)
		if share := float64(st.Bavail) / float64(st.Blocks-st.Bfree+st.Bavail); !ok ||
			math.Abs(float64(part)/float64(whole)-share) > 0.02 {
			t.Errorf("%s: %d of %d are free, want %g", name, part, whole, share)
		}
	}
}

// TestLiveInterfaces compares interfaces with the same file read before and
// after.
func TestLiveInterfaces(t *testing.T) {
	r := liveRig(t)
	r.object(510)
	before := liveLines(t, "/proc/net/dev")
	o := r.object(510)
	after := liveLines(t, "/proc/net/dev")
	if len(before) != len(after) || len(o.instances) != len(before)-2 {
		t.Skipf("interfaces came or went: %q", o.names())
	}
	for i, line := range before[2:] {
		name := strings.TrimSuffix(line[0], ":")
		between(t, o, instanceName([]byte(name)), 264, line[1], after[i+2][1], 1)
		between(t, o, instanceName([]byte(name)), 452, line[10], after[i+2][10], 1)
		if text, err := os.ReadFile("/sys/class/net/" + name + "/ifindex"); err == nil &&
			strings.TrimSpace(string(text)) != strconv.Itoa(int(o.instances[i].unique)) {
			t.Errorf("%s has the unique id %d, want %s", name, o.instances[i].unique, text)
		}
	}
}

// TestLiveProtocols compares TCP and IPv6 with the same files read before and
// after.
func TestLiveProtocols(t *testing.T) {
	tcp := func() []string {
		var found []string
		for _, line := range liveLines(t, "/proc/net/snmp") {
			if line[0] == "Tcp:" {
				found = line // the second of two lines
			}
		}
		return found
	}
	ipv6 := func() map[string]string {
		found := map[string]string{}
		for _, line := range liveLines(t, "/proc/net/snmp6") {
			found[line[0]] = line[1]
		}
		return found
	}
	r := liveRig(t)
	r.ask("638")
	before := tcp()
	o := r.object(638)
	after := tcp()
	between(t, o, "", 644, before[5], after[5], 1)
	between(t, o, "", 652, before[10], after[10], 1)
	between(t, o, "", 656, before[12], after[12], 1)
	before6 := ipv6()
	o = r.object(548)
	after6 := ipv6()
	between(t, o, "", 446, before6["Ip6InReceives"], after6["Ip6InReceives"], 1)
	between(t, o, "", 442, before6["Ip6OutRequests"], after6["Ip6OutRequests"], 1)
}

// TestRootElsewhere has the mounts of the system whose /proc it is, and not our
// own.
func TestRootElsewhere(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/proc/1", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/proc/1/mountinfo", []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{dir: "proc/1/mountinfo", "": "proc/self/mountinfo"} {
		h, err := New(Options{Files: winperf.HostFiles{Root: root}})
		if err != nil {
			t.Fatal(err)
		}
		if h.sys.Mounts != want {
			t.Errorf("root %q: the mounts are those of %q, want %q", root, h.sys.Mounts, want)
		}
	}
}

func TestStatfs(t *testing.T) {
	dir := t.TempDir()
	root := newRoot(filesIn(t, dir))
	got, err := root.Statfs("/")
	var st unix.Statfs_t
	if errStat := unix.Statfs(dir, &st); errStat != nil {
		t.Fatal(errStat)
	}
	if err != nil || got.BlockSize != uint64(st.Frsize) || got.Blocks != st.Blocks ||
		got.Inodes != st.Files || got.Free < got.Available {
		t.Errorf("%+v, %v, want as %+v", got, err, st)
	}
	if sp, err := root.Statfs("/missing"); err == nil {
		t.Errorf("a directory that is not there has the space %+v", sp)
	}
}

// TestLiveDevicesAllocateNothing samples this machine's devices.
func TestLiveDevicesAllocateNothing(t *testing.T) {
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for query := range strings.FieldsSeq(deviceObjects) {
		if query == "510" {
			continue // an interface without a speed costs an error of the system each time
		}
		if n := testing.AllocsPerRun(20, warm(t, h, provider.ParseQuery(query))); n != 0 {
			t.Errorf("query %s: %g allocations for a sample", query, n)
		}
	}
}

func BenchmarkLiveDevices(b *testing.B) {
	b.Run("winperf", func(b *testing.B) {
		h, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		collect := warm(b, h, provider.ParseQuery(deviceObjects))
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, name := range []string{"diskstats", "self/mountinfo", "swaps", "net/dev", "net/snmp",
				"net/snmp6"} {
				referenceRead("/proc/" + name)
			}
		}
	})
}
