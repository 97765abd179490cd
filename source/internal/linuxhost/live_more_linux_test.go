package linuxhost

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/provider"
)

// listThreads returns the ids of all threads, by the directories' names.
func listThreads(t testing.TB) (ids []string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		ids = append(ids, filepath.Base(dir))
	}
	return ids
}

// userTimes are the times in user mode of this process's threads, by their ids.
func userTimes(t *testing.T) map[uint64]uint64 {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/stat")
	if err != nil {
		t.Fatal(err)
	}
	times := map[uint64]uint64{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, rest, _ := strings.Cut(string(text), " ")
		words := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
		tid, errID := strconv.ParseUint(id, 10, 32)
		ticks, errTicks := strconv.ParseUint(words[11], 10, 64)
		if err := errors.Join(errID, errTicks); err != nil {
			t.Fatal(err)
		}
		times[tid] = ticks * uint64(tick)
	}
	return times
}

// TestLiveThreads compares the threads with those in /proc before and after, the
// times of this process's with the same files read before and after, and all of
// them with the process's own, which is read later: times only grow.
func TestLiveThreads(t *testing.T) {
	r := liveRig(t)
	r.object(232)
	before := listThreads(t)
	names := r.withParents(provider.ParseQuery("232"), 232)
	after := listThreads(t)
	for i, name := range names {
		_, names[i], _ = strings.Cut(name, "/")
	}
	for _, tid := range before {
		if slices.Contains(after, tid) && !slices.Contains(names, tid) {
			t.Errorf("thread %s is not in the sample", tid)
		}
	}

	least := userTimes(t)
	o := r.ask("232")[232]
	most := userTimes(t)
	self := strconv.Itoa(os.Getpid())
	process, ok := o.value(self, 784)
	if id, there := o.value(self, 804); !ok || !there || id != process || process != uint64(os.Getpid()) {
		t.Errorf("first thread of this process: ids %d and %d", process, id)
	}
	var sum uint64
	compared := 0
	for _, in := range o.instances {
		if in.values[o.at(784)].raw != process {
			continue
		}
		user, tid := in.values[o.at(142)].raw, in.values[o.at(804)].raw
		sum += user + in.values[o.at(144)].raw
		x, was := least[tid]
		y, is := most[tid]
		if was && is && (user < x || user > y) {
			t.Errorf("thread %d has %d of user time, beside it %d and then %d", tid, user, x, y)
		}
		if was && is {
			compared++
		}
	}
	if compared == 0 {
		t.Error("no thread's time was compared")
	}

	// What the process used holds what each of its threads had used before.
	later := r.ask("230")[230]
	found := false
	for i, in := range later.instances {
		if in.values[later.at(784)].raw != process || i == 0 {
			continue
		}
		found = true
		whole := in.values[later.at(142)].raw + in.values[later.at(144)].raw
		if sum > whole+uint64(tick) { // user and system time are cut to whole ticks each
			t.Errorf("the threads had used %d, the process %d later", sum, whole)
		}
	}
	if !found {
		t.Error("this process is not in the sample")
	}
	started, _ := o.value(self, 684)
	if started < fileTimeBoot || int64(started) > o.time {
		t.Errorf("started %d, now %d", started, o.time)
	}
}

// TestLivePressure compares totals with the files read before and after.
func TestLivePressure(t *testing.T) {
	read := func(resource string) (v values, err error) {
		text, err := os.ReadFile("/proc/pressure/" + resource)
		tableOf("Pressure Stall", "proc/pressure").read(&v, text, testUnits)
		return v, err
	}
	if _, err := read("memory"); err != nil {
		t.Skip("this kernel does not count pressure: ", err)
	}
	r := liveRig(t)
	for _, resource := range []string{"cpu", "memory", "io"} {
		before, err := read(resource)
		if err != nil {
			continue
		}
		got, ok := r.object(titlePressure).value(resource, titleSomeStalled)
		some := pressureSome
		after, err := read(resource)
		if err != nil || !ok || got < before.sum(some) || got > after.sum(some) {
			t.Errorf("%s: stalled for %d (there: %v), beside it %d and then %d (%v)", resource, got, ok,
				before.sum(some), after.sum(some), err)
		}
	}
}

// TestLiveNodes: Processor Information has the processors that Processor has,
// with the same values.
func TestLiveNodes(t *testing.T) {
	b := liveRig(t).ask("238 " + strconv.Itoa(titleProcessorInformation))
	info, processors := b[titleProcessorInformation], b[238]
	found := 0
	for _, in := range info.instances {
		number := in.values[info.at(titleProcessorNumber)]
		if number.missing {
			continue
		}
		found++
		want, ok := processors.value(strconv.FormatUint(number.raw, 10), 6)
		if idle := in.values[info.at(6)]; !ok || idle.missing || idle.raw != want {
			t.Errorf("%s is processor %d with idle time %+v, want %d (there: %v)", in.name, number.raw,
				idle, want, ok)
		}
	}
	if found != len(processors.instances)-1 || found == 0 {
		t.Errorf("%d processors, want %d", found, len(processors.instances)-1)
	}
}

// TestLiveControlGroups compares the groups with the directories of all trees
// before and after.
func TestLiveControlGroups(t *testing.T) {
	r := liveRig(t)
	list := func() map[string]bool {
		found := map[string]bool{}
		for _, tree := range specOf("Control Group").trees {
			for _, dir := range tree.dirs {
				dir = "/" + dir
				if _, err := os.Stat(dir + "/" + tree.marker); err != nil {
					continue
				}
				_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
					if err == nil && d.IsDir() { // what has gone meanwhile is passed over
						found["/"+strings.TrimPrefix(strings.TrimPrefix(path, dir), "/")] = true
					}
					return nil
				})
			}
		}
		return found
	}
	before := list()
	if len(before) == 0 {
		t.Skip("no control groups below /sys/fs/cgroup")
	}
	names := r.object(titleControlGroup).names()
	after := list()
	for path := range before {
		if after[path] && strings.Count(path, "/") <= maxGroupDepth &&
			!slices.Contains(names, fileName([]byte(path))) {
			t.Errorf("group %s is not in the sample", path)
		}
	}
	if names[0] != "/" {
		t.Errorf("the first group is %s", names[0])
	}
}

// TestLiveMemoryDetails compares this process's memory with smaps_rollup read
// beside it.
func TestLiveMemoryDetails(t *testing.T) {
	var beside values
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	tableOf("Process Memory Details", rollup).read(&beside, text, testUnits)
	share := detailsPss
	if err != nil || !beside.has(share) {
		t.Skip("this kernel has no smaps_rollup: ", err)
	}
	o := liveRig(t).object(titleMemoryDetails)
	for _, in := range o.instances {
		if in.values[o.at(784)].raw != uint64(os.Getpid()) {
			continue
		}
		got := in.values[o.at(titleProportional)]
		if want := beside.sum(share); got.missing || got.raw > 2*want || got.raw < want/2 {
			t.Errorf("proportional set %+v, beside it %d", got, want)
		}
		return
	}
	t.Error("this process is not in the sample")
}

func BenchmarkLiveThread(b *testing.B) {
	h, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("winperf", func(b *testing.B) {
		collect := warm(b, h, provider.ParseQuery("232"))
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, pid := range listPIDs(b) {
				referenceRead("/proc/" + strconv.FormatUint(pid, 10) + "/stat")
			}
			dirs, err := filepath.Glob("/proc/[0-9]*/task/[0-9]*")
			if err != nil {
				b.Fatal(err)
			}
			for _, dir := range dirs {
				referenceRead(dir + "/stat")
				referenceRead(dir + "/schedstat")
			}
		}
	})
}
