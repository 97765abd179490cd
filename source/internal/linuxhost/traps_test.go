package linuxhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// statText returns a /proc/stat with lines of processors: number, user and
// idle time in ticks.
func statText(processors ...[3]int) string {
	var b strings.Builder
	b.WriteString("cpu  1 0 0 1 0 0 0 0 0 0\n")
	for _, p := range processors {
		fmt.Fprintf(&b, "cpu%d %d 0 0 %d 0 0 0 0 0 0\n", p[0], p[1], p[2])
	}
	b.WriteString("intr 1\nctxt 1\nbtime 1700000000\nprocesses 1\nprocs_running 1\nprocs_blocked " +
		"0\nsoftirq 1\n")
	return b.String()
}

// pidStat returns a /proc/PID/stat.
func pidStat(pid int, comm string, user, started int) string {
	return fmt.Sprintf("%d (%s) S 1 1 1 0 -1 0 5 0 0 0 %d 0 0 0 20 0 1 0 %d 4096 1 0\n", pid, comm,
		user, started)
}

func TestIdleGoesBack(t *testing.T) {
	root := fixture(t, "small.txtar")
	r := newRig(t, root, nil)
	steps := []struct {
		idle               int
		want, total, idler int64 // of processor 0, of _Total, of the process Idle
	}{
		{1000, 1000, 1500, 3000},
		{1100, 1100, 1550, 3100},
		{1097, 1100, 1550, 3100}, // a little: held
		{1099, 1100, 1550, 3100},
		{1120, 1120, 1560, 3120},
		{500, 500, 1560, 3120}, // a reset, which allows no difference
		{600, 600, 1610, 3220},
	}
	for _, step := range steps {
		root.Set("proc/stat", statText([3]int{0, 10, step.idle}, [3]int{2, 10, 2000}))
		b := r.ask("230 238")
		b[238].check(t, "0", raws{6: step.want * tick})
		b[238].check(t, "_Total", raws{6: step.total * tick})
		b[230].check(t, "Idle", raws{6: step.idler * tick})
		r.pass(second)
	}
}

func TestHotplug(t *testing.T) {
	root := fixture(t, "small.txtar")
	r := newRig(t, root, nil)
	steps := []struct {
		processors  [][3]int
		names       []string
		user, total int64 // of _Total
		threads     int64 // of Idle
		idler       int64
	}{
		{[][3]int{{0, 100, 1000}, {1, 300, 3000}}, []string{"_Total", "0", "1"}, 200, 2000, 2, 4000},
		{[][3]int{{0, 150, 1050}}, []string{"_Total", "0"}, 250, 2050, 1, 4050},
		{[][3]int{{0, 150, 1150}, {1, 310, 9000}}, []string{"_Total", "0", "1"}, 250, 2150, 2, 4150},
		{[][3]int{{0, 170, 1230}, {1, 350, 9060}}, []string{"_Total", "0", "1"}, 280, 2220, 2, 4290},
	}
	for _, step := range steps {
		root.Set("proc/stat", statText(step.processors...))
		b := r.ask("230 238")
		if diff := cmp.Diff(step.names, b[238].names()); diff != "" {
			t.Error(diff)
		}
		b[238].check(t, "_Total", raws{142: step.user * tick, 6: step.total * tick})
		b[230].check(t, "Idle", raws{6: step.idler * tick, 680: step.threads})
		r.pass(second)
	}
}

func TestSuspend(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), nil)
	r.object(238).check(t, "0", raws{6: 90400 * tick})
	r.times.Boot += second / 20 // read at slightly different moments
	r.object(238).check(t, "0", raws{6: 90400 * tick})
	r.times.Boot += 3600 * second
	b := r.ask("230 238")
	const slept = 3600*perSecond + perSecond/20
	b[238].check(t, "0", raws{6: 90400*tick + slept, titleIOWait: 400 * tick})
	b[238].check(t, "_Total", raws{6: 89950*tick + slept})
	b[230].check(t, "Idle", raws{6: 179900*tick + 2*slept})
	r.times.Monotonic += second / 20
	r.object(238).check(t, "0", raws{6: 90400*tick + slept})
}

func TestStartTime(t *testing.T) {
	root := fixture(t, "small.txtar")
	text := root.entries["proc/stat"].text
	root.Set("proc/stat", strings.Replace(text, "btime 1700000000", "btime 0", 1))
	r := newRig(t, root, nil)
	r.object(2).check(t, "", raws{674: fileTimeBoot}) // wall clock less time since boot
	root.Set("proc/stat", strings.Replace(text, "btime 1700000000", "btime 1700005000", 1))
	r.times.Real += 5000 * second
	r.object(2).check(t, "", raws{674: fileTimeBoot})
	r.object(230).check(t, "systemd", raws{684: fileTimeBoot + 10*tick})
}

func TestHidden(t *testing.T) {
	root := fixture(t, "small.txtar")
	for name := range root.entries {
		if strings.HasPrefix(name, "proc/4000/") && !strings.HasSuffix(name, "/") {
			root.Fail(name, fs.ErrPermission) // hidepid=1: the directory can be seen
		}
	}
	root.End(300) // hidepid=2: as if it were not there
	r := newRig(t, root, nil)
	b := r.ask("2 230")
	if diff := cmp.Diff([]string{"Idle", "_Total", "systemd", "kthreadd", "kworker_0:1-events"},
		b[230].names()); diff != "" {
		t.Error(diff)
	}
	b[2].check(t, "", raws{248: 5})
}

func TestPermissionOfOne(t *testing.T) {
	root := fixture(t, "small.txtar")
	r := newRig(t, root, nil)
	io := root.entries["proc/1/io"].text
	r.object(230).check(t, "_Total", raws{1420: 70000 + 10 + 3980})
	root.Fail("proc/1/io", fs.ErrPermission)
	o := r.object(230)
	o.check(t, "systemd", raws{784: 1, 6: 400 * tick, 1412: denied, 1416: denied, 1420: denied, 222: denied})
	o.check(t, "[sd-pam]", raws{1420: 10})
	o.check(t, "_Total", raws{1420: denied, 784: 0})
	root.Set("proc/1/io", strings.Replace(io, "rchar: 70000", "rchar: 70500", 1))
	o = r.object(230)
	o.check(t, "systemd", raws{1420: 70500})
	o.check(t, "_Total", raws{1420: 70500 + 10 + 3980})
}

// TestHandlesAreCounted: before Linux 6.2 the directory of descriptors has no
// size, and only a process that may trace another can list it.
func TestHandlesAreCounted(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		root := fixture(t, "small.txtar")
		for pid, n := range map[int]int{1: 3, 2: 0, 11: 0, 300: 2, 4000: 0} {
			dir := fmt.Sprintf("proc/%d/fd", pid)
			root.Remove(dir)
			root.entry(dir + "/")
			for i := range n {
				root.Set(fmt.Sprintf("%s/%d", dir, i), "")
			}
		}
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		o := r.object(230)
		o.check(t, "systemd", raws{952: 3})
		o.check(t, "kthreadd", raws{952: 0})
		o.check(t, "_Total", raws{952: 5})
		root.Set("proc/1/fd/255", "")
		r.object(230).check(t, "systemd", raws{952: 4})
		root.Fail("proc/1/fd/", fs.ErrPermission)
		o = r.object(230)
		o.check(t, "systemd", raws{952: denied, 784: 1})
		o.check(t, "[sd-pam]", raws{952: 2})
	}
}

// vanishing is a root in which something happens right before a file is
// opened or read.
type vanishing struct {
	*MapRoot
	opens, reads map[string]func()
	names        map[Handle]string
}

func (v *vanishing) Open(dir Handle, name string) (Handle, error) {
	path := v.names[dir] + name
	if f := v.opens[path]; f != nil {
		f()
	}
	h, err := v.MapRoot.Open(dir, name)
	if err == nil {
		v.names[h] = path
	}
	return h, err
}

func (v *vanishing) Process(proc Handle, pid int) (Handle, error) {
	h, err := v.MapRoot.Process(proc, pid)
	if err == nil {
		v.names[h] = fmt.Sprintf("proc/%d/", pid)
	}
	return h, err
}

func (v *vanishing) Read(h Handle, p []byte, off int64) (int, error) {
	if f := v.reads[v.names[h]]; f != nil {
		f()
	}
	return v.MapRoot.Read(h, p, off)
}

func TestVanishing(t *testing.T) {
	for _, file := range []string{"stat", "statm", "status", "io", "schedstat"} {
		for _, at := range []string{"open", "read", "kept"} {
			t.Run(file+"/"+at, func(t *testing.T) {
				root := fixture(t, "small.txtar")
				v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
				r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
				if at == "kept" {
					r.object(230)
				} else {
					r.object(2) // opens the provider
				}
				hooks := v.reads
				if at == "open" {
					hooks = v.opens
				}
				hooks["proc/300/"+file] = func() { root.End(300) }
				o := r.object(230)
				if diff := cmp.Diff([]string{"Idle", "_Total", "systemd", "kthreadd", "kworker_0:1-events",
					"a] b [c"}, o.names()); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(o.names(), r.object(230).names()); diff != "" {
					t.Error("next sample:", diff)
				}
			})
		}
	}
}

// TestBornMeanwhile starts a process after the sample has begun: it is not older
// than the moment that it is looked at.
func TestBornMeanwhile(t *testing.T) {
	root := fixtures(t, "small.txtar", "threads.txtar")
	v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
	r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
	r.ask("230 232") // opens the files
	v.reads["proc/1/stat"] = func() {
		if r.times.Boot == testTimes.Boot {
			r.pass(5 * second)
			root.Set("proc/300/stat", pidStat(300, "born", 1, 100_300)) // 1,003 s after the machine
			root.Set("proc/300/task/300/stat", pidStat(300, "born", 1, 100_300))
		}
	}
	b := r.ask("230 232")
	const started = fileTimeBoot + 100_300*tick
	b[230].check(t, "born", raws{684: started})
	b[232].check(t, "300", raws{684: started})
	for _, index := range []uint32{230, 232} {
		if b[index].time < started {
			t.Errorf("object %d was read at %d, before the process began at %d", index,
				b[index].time, started)
		}
		b[index].check(t, "_Total", raws{684: b[index].time})
	}
}

// TestReusedID ends a process and starts another one with its id, with files
// kept open and without.
func TestReusedID(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		root := fixture(t, "small.txtar")
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		before, _ := r.object(230).value("_Total", 142)
		root.End(300)
		root.Set("proc/300/stat", pidStat(300, "next", 1000, 95000))
		root.Set("proc/300/statm", "10 5 1 0 0 0 0\n")
		for name, text := range map[string]string{"status": "", "io": "", "schedstat": "", "fd": "3\n"} {
			root.Set("proc/300/"+name, text)
		}
		o := r.object(230)
		o.check(t, "next", raws{784: 300, 142: 1000 * tick, 684: fileTimeBoot + 95000*tick, 180: 5 * 4096,
			186: missing, 1412: missing, 952: 3})
		if _, ok := o.value("[sd-pam]", 784); ok {
			t.Errorf("MaxOpen %d: the process that ended is still there", maxOpen)
		}
		// Neither the end of the one nor the start of the other moves the total.
		o.check(t, "_Total", raws{142: int64(before)})
		root.Set("proc/300/stat", pidStat(300, "next", 1025, 95000))
		r.object(230).check(t, "_Total", raws{142: int64(before) + 25*tick})
		// The files stay open when a process takes the id by the threads' exec: the start tells.
		root.Set("proc/300/stat", pidStat(300, "after", 4, 96000))
		o = r.object(230)
		o.check(t, "after", raws{142: 4 * tick, 684: fileTimeBoot + 96000*tick})
		o.check(t, "_Total", raws{142: int64(before) + 25*tick})
	}
}

func TestNames(t *testing.T) {
	root := fixture(t, "small.txtar")
	r := newRig(t, root, nil)
	tests := map[string]string{
		"(sd-pam)":           "[sd-pam]",
		"a) b (c":            "a] b [c",
		"kworker/0:1-events": "kworker_0:1-events",
		"a\\b#1*?":           "a_b_1_?",
		"line\nfeed\x00\x7f": "line_feed__",
		"next\u0085line":     "next_line",
		"\xff\xfe broken":    "\ufffd\ufffd broken",
		"cut \xe2\x82":       "cut \ufffd\ufffd",
		"grüße 猫 😀":          "grüße 猫 😀",
		"":                   "_",
		"_Total":             "_Total",
		") S 1 2 3":          "] S 1 2 3",
	}
	for comm, want := range tests {
		root.Set("proc/300/stat", pidStat(300, comm, 7, 2500))
		o := r.object(230)
		if got := o.names()[5]; got != want {
			t.Errorf("comm %q gives the name %q, want %q", comm, got, want)
		}
		if v := o.instances[5].values[o.at(142)]; v.missing || v.raw != 7*uint64(tick) {
			t.Errorf("comm %q: user time %+v, want 7 ticks", comm, v)
		}
	}
}

func TestFewDescriptors(t *testing.T) {
	want := newRig(t, fixture(t, "small.txtar"), nil).ask("Global")
	for _, maxOpen := range []int{1, 8, 20} {
		root := fixture(t, "small.txtar")
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		for range 2 {
			if diff := cmp.Diff(want, r.ask("Global"),
				cmp.AllowUnexported(sampleObject{}, sampleInstance{}, sampleValue{})); diff != "" {
				t.Errorf("MaxOpen %d: %s", maxOpen, diff)
			}
			if n := root.Handles(); n > maxOpen {
				t.Errorf("%d files and directories are open, want at most %d", n, maxOpen)
			}
		}
	}
}

func TestNothingThere(t *testing.T) {
	h := NewHost(System{Root: NewMapRoot(nil).Root, Now: func() Times { return testTimes }})
	_, err := h.Open(t.Context())
	if !errors.Is(err, winperf.ErrNotSupported) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening without /proc: %v, want ErrNotSupported and what was not there", err)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	root := fixture(t, "small.txtar")
	h := NewHost(System{Root: root.Root, Now: func() Times { return testTimes }})
	s, err := h.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := s.Collect(ctx, &provider.Query{Global: true},
		&provider.Writer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("collect after cancel: %v", err)
	}
	if _, err := h.Open(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("open after cancel: %v", err)
	}
	if err := s.Close(); err != nil || root.Handles() != 0 {
		t.Errorf("close: %v, %d handles left", err, root.Handles())
	}
}

// TestGivenUp gives a query up among the processes. The next one is whole, and
// nothing stays open.
func TestGivenUp(t *testing.T) {
	root := crowd(t, 200)
	v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
	r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
	want := r.object(230)
	ctx, cancel := context.WithCancel(t.Context())
	v.reads["proc/10050/stat"] = cancel
	if _, err := r.d.Collect(ctx, provider.ParseQuery("230"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("collect: %v, want that it was given up", err)
	}
	r.problems = nil // one that asked is not told again, nor is a watcher
	if diff := cmp.Diff(want, r.object(230), cmp.AllowUnexported(sampleObject{}, sampleInstance{},
		sampleValue{})); diff != "" {
		t.Error(diff)
	}
}
