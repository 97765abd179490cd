package linuxhost

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
)

// fixtures returns the files of several archives; later ones come on top.
func fixtures(t testing.TB, names ...string) *MapRoot {
	t.Helper()
	root := NewMapRoot(nil)
	for _, name := range names {
		for path, e := range fixture(t, name).entries {
			if !e.isDir() {
				root.Set(path, e.text)
			}
		}
	}
	return root
}

func threadRig(t testing.TB, change func(*System)) *rig {
	t.Helper()
	return newRig(t, fixtures(t, "small.txtar", "threads.txtar"), change)
}

// withParents takes a sample and returns the instances' names with those of
// their parents, as they are in the same block.
func (r *rig) withParents(q *provider.Query, object uint32) (names []string) {
	r.t.Helper()
	p, err := r.d.Collect(r.t.Context(), q, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	var ix index.Index
	if err := datablock.Decode(p, &ix, datablock.Options{}); err != nil || len(ix.Damage) > 0 {
		r.t.Fatal(err, ix.Damage)
	}
	block, err := perfdata.Parse(p, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	o := block.Object(object)
	if o == nil {
		r.t.Fatalf("object %d is not in the sample", object)
	}
	for i, in := range o.Instances {
		parent := block.Object(in.ParentObject)
		if parent == nil || int(in.ParentInstance) >= len(parent.Instances) {
			r.t.Fatalf("%s has no parent in the block: %+v", o.InstanceName(i), in)
		}
		names = append(names, parent.InstanceName(int(in.ParentInstance))+"/"+o.InstanceName(i))
	}
	return names
}

var allThreads = []string{
	"_Total/_Total", "systemd/1", "kthreadd/2", "kworker_0:1-events/11", "[sd-pam]/300", "[sd-pam]/302",
	"a] b [c/4000", "a] b [c/4001",
}

func TestThread(t *testing.T) {
	r := threadRig(t, nil)
	if diff := cmp.Diff(allThreads, r.withParents(provider.ParseQuery("232"), 232)); diff != "" {
		t.Error(diff)
	}
	o := r.object(232)
	o.check(t, "1", raws{
		146: 77, 6: 40000000, 142: 15 * tick, 144: 25 * tick, 684: fileTimeBoot + 10*tick, 784: 1, 804: 1,
		46: 5, 336: 6, titleRunQueueWait: 1234567,
	})
	o.check(t, "2", raws{46: 5, 336: 0, 6: 50})
	// it never ran: the kernel counts
	o.check(t, "11", raws{46: 5, 336: 0, 6: 0, 146: 0, titleRunQueueWait: 0, 144: 3 * tick})
	o.check(t, "300", raws{784: 300, 804: 300, 46: 5, 336: 5})
	// 2^32 + 5 switches
	o.check(t, "302", raws{784: 300, 804: 302, 46: 2, 336: 0, 146: 5, 684: fileTimeBoot + 2600*tick})
	o.check(t, "4000", raws{46: 4, 6: 16990})
	o.check(t, "4001", raws{46: 7, 784: 4000})
	o.check(t, "_Total", raws{146: 77 + 7 + 5 + 5 + 12 + 1, 784: 0, 804: 0, 684: o.time, 46: missing,
		336: missing})
	if want := int64(fileTimeBoot + 1000*perSecond); o.time != want {
		t.Errorf("object time %d, want %d", o.time, want)
	}
}

// TestThreadBringsProcess: the parents come along, with what tells them apart
// and nothing else.
func TestThreadBringsProcess(t *testing.T) {
	r := threadRig(t, nil)
	b := r.ask("232")
	if len(b) != 2 {
		t.Errorf("%d objects, want Thread and Process", len(b))
	}
	b[230].check(t, "systemd", raws{784: 1, 684: fileTimeBoot + 10*tick, 6: missing, 180: missing,
		1412: missing})
	r.ask("230 232")[230].check(t, "systemd", raws{784: 1, 6: 400 * tick, 180: 3000 * 4096})
	if b := r.ask("230"); b[232] != nil {
		t.Error("Process brings Thread along")
	}
}

// TestThreadWithoutSchedstat samples kernels that count elsewhere, or nowhere.
func TestThreadWithoutSchedstat(t *testing.T) {
	tests := []struct {
		name, files, cut string
		want             raws // of thread 302; missing: not declared
	}{
		{"no schedstat", "proc/[0-9]+/task/[0-9]+/schedstat", "",
			raws{6: 3 * tick, 146: 5, titleRunQueueWait: missing}},
		{"schedstat of zeros", "proc/[0-9]+/task/[0-9]+/schedstat", "[1-9]",
			raws{6: 3 * tick, 146: 5, titleRunQueueWait: missing}},
		{"neither", "proc/[0-9]+/task/[0-9]+/(schedstat|status)", "",
			raws{6: 3 * tick, 146: missing, titleRunQueueWait: missing, 142: tick}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fixtures(t, "small.txtar", "threads.txtar")
			cut(root, tt.files, tt.cut)
			r := newRig(t, root, nil)
			o := r.object(232)
			o.check(t, "302", tt.want)
			for index, n := range tt.want {
				if declared := o.at(index) >= 0; declared != (n != missing) {
					t.Errorf("counter %d declared: %v", index, declared)
				}
			}
			if diff := cmp.Diff(allThreads, r.withParents(provider.ParseQuery("232"), 232)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestThreadsVanish ends a thread at every moment of its reading. It is left
// out whole, and the others stay.
func TestThreadsVanish(t *testing.T) {
	for _, file := range []string{"stat", "schedstat"} {
		for _, at := range []string{"open", "read", "kept"} {
			t.Run(file+"/"+at, func(t *testing.T) {
				root := fixtures(t, "small.txtar", "threads.txtar")
				v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
				r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
				if at == "kept" {
					r.object(232)
				} else {
					r.object(2) // opens the provider
				}
				hooks := v.reads
				if at == "open" {
					hooks = v.opens
				}
				// as vanishing names what Process opened
				hooks["proc/302/"+file] = func() { root.RemoveAll("proc/300/task/302") }
				o := r.object(232)
				if diff := cmp.Diff([]string{"_Total", "1", "2", "11", "300", "4000", "4001"},
					o.names()); diff != "" {
					t.Error(diff)
				}
				o.check(t, "_Total", raws{784: 0})
				if diff := cmp.Diff(o.names(), r.object(232).names()); diff != "" {
					t.Error("next sample:", diff)
				}
			})
		}
	}
}

// TestThreadsOfEndedProcess ends a process between the walk of Process and that
// of Thread, without another one and with one that has its id.
func TestThreadsOfEndedProcess(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		for _, reused := range []bool{false, true} {
			t.Run(fmt.Sprintf("MaxOpen %d, reused %v", maxOpen, reused), func(t *testing.T) {
				root := fixtures(t, "small.txtar", "threads.txtar")
				v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
				r := newRig(t, root, func(s *System) { s.Root, s.MaxOpen = onlyRoot(v), maxOpen })
				r.object(232)
				v.reads["proc/4000/stat"] = func() { // after 300, before all threads
					delete(v.reads, "proc/4000/stat")
					root.End(300)
					if reused {
						root.Set("proc/300/stat", pidStat(300, "next", 1, 95000))
						root.Set("proc/300/task/300/stat", pidStat(300, "next", 1, 95000))
						root.Set("proc/300/task/300/schedstat", "1 1 1\n")
					}
				}
				got := r.withParents(provider.ParseQuery("232"), 232)
				want := []string{"_Total/_Total", "systemd/1", "kthreadd/2", "kworker_0:1-events/11",
					"a] b [c/4000", "a] b [c/4001"}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				if reused {
					want = append(want[:4], append([]string{"next/300"}, want[4:]...)...)
				}
				if diff := cmp.Diff(want, r.withParents(provider.ParseQuery("232"), 232)); diff != "" {
					t.Error("next sample:", diff)
				}
			})
		}
	}
}

// TestLeaderGone samples a process whose directory does not list the thread
// that has its id, as in the middle of an exec by another thread.
func TestLeaderGone(t *testing.T) {
	root := fixtures(t, "small.txtar", "threads.txtar")
	r := newRig(t, root, nil)
	r.object(232)
	root.RemoveAll("proc/300/task/300")
	want := []string{"_Total", "1", "2", "11", "4000", "4001"}
	if diff := cmp.Diff(want, r.object(232).names()); diff != "" {
		t.Error(diff)
	}
	// The other thread has taken the id, and with it the start time.
	root.RemoveAll("proc/300/task/302")
	root.Set("proc/300/task/300/stat", pidStat(300, "exec", 50, 2600))
	root.Set("proc/300/task/300/schedstat", "70000000 1 1\n")
	root.Set("proc/300/stat", pidStat(300, "exec", 50, 2600))
	o := r.object(232)
	if diff := cmp.Diff([]string{"_Total", "1", "2", "11", "300", "4000", "4001"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "300", raws{684: fileTimeBoot + 2600*tick, 142: 50 * tick, 6: 700000})
}

// TestThreadTotal: threads that come and go do not move the total by what they
// had before.
func TestThreadTotal(t *testing.T) {
	root := fixtures(t, "small.txtar", "threads.txtar")
	r := newRig(t, root, nil)
	before, _ := r.object(232).value("_Total", 142)
	root.RemoveAll("proc/4000/task/4001") // 20 ticks
	root.Set("proc/300/task/305/stat", pidStat(305, "new", 1000, 99000))
	root.Set("proc/300/task/305/schedstat", "1 1 1\n")
	o := r.object(232)
	o.check(t, "305", raws{142: 1000 * tick})
	o.check(t, "_Total", raws{142: int64(before)})
	root.Set("proc/300/task/305/stat", pidStat(305, "new", 1030, 99000))
	r.object(232).check(t, "_Total", raws{142: int64(before) + 30*tick})
	root.Set("proc/300/task/305/stat", pidStat(305, "another with the id", 9000, 99900))
	r.object(232).check(t, "_Total", raws{142: int64(before) + 30*tick})
}

func TestThreadOfNoIdentity(t *testing.T) {
	for _, text := range []string{"", "302", "302 (x", "302 (x)\n", "302 (x) S 1\n",
		strings.Replace(pidStat(302, "x", 1, 987), " 987 ", " - ", 1)} {
		root := fixtures(t, "small.txtar", "threads.txtar")
		r := newRig(t, root, nil)
		r.lacking = text != ""
		root.Set("proc/300/task/302/stat", text)
		if _, ok := r.object(232).value("302", 804); ok {
			t.Errorf("stat %q makes an instance", text)
		}
	}
	root := fixtures(t, "small.txtar", "threads.txtar")
	root.Fail("proc/300/task/302/schedstat", fs.ErrPermission)
	o := newRig(t, root, nil).object(232)
	o.check(t, "302", raws{6: denied, 146: denied, titleRunQueueWait: denied, 142: tick, 804: 302})
	o.check(t, "300", raws{6: 300000})
	o.check(t, "_Total", raws{6: denied})
}

func TestThreadFewDescriptors(t *testing.T) {
	want := threadRig(t, nil).ask("230 232")
	for _, maxOpen := range []int{1, 5, 20} {
		r := threadRig(t, func(s *System) { s.MaxOpen = maxOpen })
		for range 3 {
			if diff := cmp.Diff(want, r.ask("230 232"),
				cmp.AllowUnexported(sampleObject{}, sampleInstance{}, sampleValue{})); diff != "" {
				t.Errorf("MaxOpen %d: %s", maxOpen, diff)
			}
			if n := r.root.Handles(); n > maxOpen {
				t.Errorf("%d files and directories are open, want at most %d", n, maxOpen)
			}
		}
	}
}

func TestThreadStates(t *testing.T) {
	for state, want := range map[string][2]uint64{
		"R": {2, 0}, "S": {5, 6}, "D": {5, 0}, "I": {5, 0}, "T": {5, 5}, "t": {5, 5}, "P": {5, 0},
		"K": {5, 0}, "W": {5, 0},
		"Z": {4, 0}, "X": {4, 0}, "x": {4, 0}, "?": {7, 0}, "é": {},
	} {
		var v values
		text := strings.Replace(pidStat(4, "x", 1, 2), ") S ", ") "+state+" ", 1)
		_, rest, _ := tableOf("Thread", "stat").readStat(&v, []byte(text), testUnits)
		v.setThreadState(rest)
		if got := v.has(threadState | threadReason); got != (len(state) == 1) {
			t.Errorf("state %q is known: %v", state, got)
		} else if got && [2]uint64{v.sum(threadState), v.sum(threadReason)} != want {
			t.Errorf("state %q gives %d and %d, want %d", state, v.sum(threadState),
				v.sum(threadReason), want)
		}
	}
}

// TestWriterStops ends samples by a panic at the first instance, as a writer
// does that has had enough. What ended before it is forgotten once.
func TestWriterStops(t *testing.T) {
	root := fixtures(t, "small.txtar", "threads.txtar")
	opened, err := NewHost(System{Root: root.Root, Now: func() Times { return testTimes }}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := opened.(*session)
	process, thread := s.object(230), s.object(232)
	processes, threads := process.source.(*processSource), thread.source.(*threadSource)
	full := &provider.ObjectWriter{} // of no block
	stops := func(f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Error("the sample does not end")
			}
		}()
		f()
	}
	for _, ended := range [][]int{nil, {1}, {2, 11}} {
		for _, pid := range ended {
			root.End(pid)
		}
		s.begin()
		s.choose(provider.ParseQuery("232"))
		pids, err := s.pids()
		if err != nil {
			t.Fatal(err)
		}
		stops(func() { _ = processes.walk(t.Context(), s, process, full, pids) })
		if live := processes.live; len(live) != 1 || live[0].number != pids[0] ||
			slices.Contains(processes.free, live[0]) {
			t.Fatalf("kept %d processes, want %d alone", len(live), pids[0])
		}
	}
	p := processes.live[0]
	for range 2 {
		stops(func() { _ = threads.write(t.Context(), s, thread, full, p) })
		if live := p.tasks.live; len(live) != 1 || live[0].number != 300 ||
			slices.Contains(threads.free, live[0]) {
			t.Fatalf("kept %d threads, want 300 alone", len(live))
		}
	}
	if err := s.Close(); err != nil || root.Handles() != 0 {
		t.Errorf("close: %v, %d handles left", err, root.Handles())
	}
}
