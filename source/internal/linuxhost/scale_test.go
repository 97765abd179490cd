package linuxhost

import (
	"fmt"
	"io/fs"
	"math/bits"
	"slices"
	"testing"

	"github.com/winperf/winperf/provider"
)

// threaded returns the small machine with n further processes of 5 threads,
// all alike.
func threaded(t testing.TB, n int) *MapRoot {
	root := fixtures(t, "small.txtar", "threads.txtar", "details.txtar")
	stat, schedstat := root.entries["proc/1/stat"].text, root.entries["proc/1/task/1/schedstat"].text
	for i := range n {
		pid := 10_000 + 10*i
		dir := fmt.Sprintf("proc/%d/", pid)
		for _, f := range []string{"statm", "status", "io", "schedstat", "fd", "smaps_rollup"} {
			root.Set(dir+f, root.entries["proc/1/"+f].text)
		}
		root.Set(dir+"stat", fmt.Sprintf("%d (worker %d%s", pid, i, stat[len("1 (systemd"):]))
		for tid := pid; tid < pid+5; tid++ {
			task := fmt.Sprintf("%stask/%d/", dir, tid)
			root.Set(task+"stat", fmt.Sprintf("%d (worker%s", tid, stat[len("1 (systemd"):]))
			root.Set(task+"schedstat", schedstat)
		}
	}
	return root
}

// manyCPUs returns the files of a machine with n processors in nodes of 64.
func manyCPUs(n int) *MapRoot {
	root := NewMapRoot(nil)
	var lines [][3]int
	head, counts := "    ", "LOC: "
	for i := range n {
		lines = append(lines, [3]int{i, i, 2 * i})
		head += fmt.Sprintf(" CPU%d", i)
		counts += fmt.Sprintf(" %d", i)
		addState(root, i, 0, "C1", 10*i, i)
	}
	for node := range (n + 63) / 64 {
		root.Set(fmt.Sprintf("sys/devices/system/node/node%d/cpulist", node),
			fmt.Sprintf("%d-%d\n", 64*node, min(64*node+63, n-1)))
	}
	root.Set("sys/devices/system/node/online", fmt.Sprintf("0-%d\n", (n-1)/64))
	root.Set("sys/devices/system/cpu/present", fmt.Sprintf("0-%d\n", n-1))
	root.Set("proc/stat", statText(lines...))
	root.Set("proc/interrupts", head+"\n"+counts+" Local timer interrupts\n")
	return root
}

func TestManyThreads(t *testing.T) {
	const processes = 10_000
	root := threaded(t, processes)
	r := newRig(t, root, nil)
	for range 2 {
		b := r.ask("232")
		if n := len(b[232].instances); n != 5*processes+len(allThreads) {
			t.Fatalf("%d threads", n)
		}
		if n := len(b[230].instances); n != processes+7 {
			t.Fatalf("%d processes", n)
		}
		b[232].check(t, "109994", raws{784: 109990, 6: 40000000, 146: 77})
		if n := root.Handles(); n > 512 {
			t.Errorf("%d files and directories are open", n)
		}
	}
}

func TestManyNodes(t *testing.T) {
	const n = 512
	r := newRig(t, manyCPUs(n), nil)
	o := r.object(titleProcessorInformation)
	if got, want := len(o.instances), n+n/64+1; got != want {
		t.Fatalf("%d instances, want %d", got, want)
	}
	o.check(t, "7,63", raws{titleProcessorNumber: 511, 142: 511 * tick, 148: missing, 1748: missing,
		titleIdleBreaks: missing, titleClockInterrupts: missing})
	o.check(t, "7,_Total", raws{142: (448 + 511) * tick / 2})
	o.check(t, "_Total", raws{142: 511 * tick / 2})
	q := &provider.Query{Objects: []uint32{titleProcessorInformation}, Counters: map[uint32][]uint32{
		titleProcessorInformation: {titleIdleBreaks, titleClockInterrupts},
	}}
	o = r.askFor(q)[titleProcessorInformation]
	o.check(t, "7,63", raws{titleIdleBreaks: 511, titleClockInterrupts: 511, 142: missing})
	o.check(t, "_Total", raws{titleIdleBreaks: n * (n - 1) / 2, titleClockInterrupts: n * (n - 1) / 2})
}

// everyObject is a machine that has all objects of this file's subject.
func everyObject(t testing.TB, n int) *MapRoot {
	root := threaded(t, n)
	for path, e := range fixtures(t, "nodes.txtar", "groups.txtar").entries {
		if !e.isDir() && path != "proc/stat" {
			root.Set(path, e.text)
		}
	}
	groups(root, n)
	root.Fail("proc/10000/smaps_rollup", fs.ErrPermission)
	return root
}

func TestMoreAllocations(t *testing.T) {
	sys := System{Root: everyObject(t, 100).Root, Now: func() Times { return testTimes }, MaxOpen: 100_000}
	one := func(index uint32, counters ...uint32) *provider.Query {
		q := &provider.Query{Objects: []uint32{index}}
		if counters != nil {
			q.Counters = map[uint32][]uint32{index: counters}
		}
		return q
	}
	for name, q := range map[string]*provider.Query{
		"Thread": one(232), "Process Memory Details": one(titleMemoryDetails),
		"Pressure Stall": one(titlePressure),
		"Control Group":  one(titleControlGroup), "Processor Information": one(titleProcessorInformation),
		"Processor Frequency": one(titleProcessorInformation, titleFrequency),
		"all":                 {Global: true, Costly: true},
	} {
		if got := testing.AllocsPerRun(10, warm(t, NewHost(sys), q)); got != 0 {
			t.Errorf("%s: %g allocations for a sample", name, got)
		}
	}
}

// TestFigures: each key stands for one figure that values have space for, and each
// file's table says how the file is read.
func TestFigures(t *testing.T) {
	for _, sp := range specs() {
		files := slices.Clone([]*fileTable(sp.files))
		for _, tree := range sp.trees {
			files = append(files, tree.files...)
		}
		for _, table := range files {
			if table.form == nil || len(table.keys) == 0 {
				t.Errorf("%s: nothing says how to read %s", sp.Name, table.name)
			}
			for _, k := range table.keys {
				if bits.OnesCount64(uint64(k.fields)) != 1 || k.fields.position() >= maxFields || table.provides&k.fields == 0 {
					t.Errorf("%s, %s, %s: %b is no figure of %b", sp.Name, table.name, k.name, k.fields, table.provides)
				}
			}
		}
	}
}

func BenchmarkThread(b *testing.B) {
	root := threaded(b, 1000)
	b.Run("winperf", func(b *testing.B) {
		collect := warm(b, NewHost(System{Root: root.Root, Now: func() Times { return testTimes },
			MaxOpen: 100_000}), provider.ParseQuery("232"))
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range 1000 {
				pid := 10_000 + 10*i
				referenceParse(root.entries[fmt.Sprintf("proc/%d/stat", pid)].text)
				for tid := pid; tid < pid+5; tid++ {
					dir := fmt.Sprintf("proc/%d/task/%d/", pid, tid)
					referenceParse(root.entries[dir+"stat"].text)
					referenceParse(root.entries[dir+"schedstat"].text)
				}
			}
		}
	})
}

func BenchmarkControlGroup(b *testing.B) {
	root := fixtures(b, "small.txtar", "groups.txtar")
	groups(root, 1000)
	b.Run("winperf", func(b *testing.B) {
		q := &provider.Query{Objects: []uint32{titleControlGroup}}
		collect := warm(b, NewHost(System{Root: root.Root, Now: func() Times { return testTimes },
			MaxOpen: 100_000}), q)
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range 1000 {
				dir := fmt.Sprintf("sys/fs/cgroup/kube.slice/pod%05d/", i)
				for _, f := range []string{"cpu.stat", "memory.current", "memory.max", "io.stat",
					"pids.current", "cpu.pressure"} {
					referenceParse(root.entries[dir+f].text)
				}
			}
		}
	})
}

func BenchmarkProcessorInformation512(b *testing.B) {
	root := manyCPUs(512)
	b.Run("winperf", func(b *testing.B) {
		q := &provider.Query{Objects: []uint32{titleProcessorInformation}}
		collect := warm(b, NewHost(System{Root: root.Root, Now: func() Times { return testTimes },
			MaxOpen: 100_000}), q)
		b.ReportAllocs()
		for b.Loop() {
			collect()
		}
	})
	b.Run("reference", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			referenceParse(root.entries["proc/stat"].text)
		}
	})
}
