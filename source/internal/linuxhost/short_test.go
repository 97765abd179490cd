package linuxhost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

// narrow is a root of a program that can have no more than so many handles at a
// time. Processes in closed cannot be opened whatever else is open.
type narrow struct {
	*MapRoot
	limit   int
	refused int
	closed  map[int]bool
}

func (r *narrow) refuse() error {
	if r.Handles() < r.limit {
		return nil
	}
	r.refused++
	return fmt.Errorf("open: %w", ErrShort)
}

func (r *narrow) Open(dir Handle, name string) (Handle, error) {
	if err := r.refuse(); err != nil {
		return 0, err
	}
	return r.MapRoot.Open(dir, name)
}

func (r *narrow) Process(proc Handle, pid int) (Handle, error) {
	if r.closed[pid] {
		return 0, fmt.Errorf("process %d: %w", pid, ErrShort)
	}
	if err := r.refuse(); err != nil {
		return 0, err
	}
	return r.MapRoot.Process(proc, pid)
}

// narrowRig is a host over a narrow root.
func narrowRig(t *testing.T, files *MapRoot, limit int) (*rig, *narrow) {
	root := &narrow{MapRoot: files, limit: limit, closed: map[int]bool{}}
	r := newRig(t, files, func(s *System) {
		s.Root, s.MaxOpen, s.MaxHandle = onlyRoot(root), limit/2, limit/2
	})
	return r, root
}

// hold opens handles until only some are left, and returns what closes them.
func (r *narrow) hold(t *testing.T, free int) (giveBack func()) {
	t.Helper()
	var held []Handle
	for r.Handles() < r.limit-free {
		h, err := r.MapRoot.Open(0, "proc")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, h)
	}
	return func() {
		for _, h := range held {
			_ = r.MapRoot.Close(h)
		}
		held = nil
	}
}

var everything = &provider.Query{Global: true, Costly: true}

// unlimited returns samples, a second from each other, that nothing limits.
func unlimited(t *testing.T, files *MapRoot, n int) (samples []sampleBlock) {
	r, _ := narrowRig(t, files, 100_000)
	for range n {
		r.pass(second)
		samples = append(samples, r.askFor(everything))
	}
	if err := r.d.Close(); err != nil {
		t.Error(err)
	}
	return samples
}

// TestLimitOfHandles: how many handles a program can have makes no difference to
// what is read, as long as half of them are enough to read one file.
func TestLimitOfHandles(t *testing.T) {
	files := everyObject(t, 20)
	want := unlimited(t, files, 3)
	for _, limit := range []int{12, 20, 64, 200, 1000} {
		r, _ := narrowRig(t, files, limit)
		for i := range want {
			r.pass(second)
			if diff := cmp.Diff(want[i], r.askFor(everything), unexported); diff != "" {
				t.Fatalf("limit %d: %s", limit, diff)
			}
			if n := files.Handles(); n > limit/2+1 { // the directory of processes stays open
				t.Errorf("limit %d: %d handles stay open", limit, n)
			}
		}
		if err := r.d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOthersTakeHandles: others open and close, until none is left. Nothing
// vanishes or has another value; what cannot be opened is missing, which is told, and
// is there as soon as there are handles again.
func TestOthersTakeHandles(t *testing.T) {
	const limit = 400
	files := everyObject(t, 20)
	all := []int{limit, 0, 0, 3, limit, 90, limit / 2, 0, limit} // handles that are free
	want := unlimited(t, files, len(all))
	r, root := narrowRig(t, files, limit)
	r.lacking = true
	for i, free := range all {
		giveBack := root.hold(t, free)
		r.pass(second)
		got := r.askFor(everything)
		giveBack()
		lost := checkPart(t, fmt.Sprintf("%d handles", free), want[i], got) - checkPart(t, "", want[i], want[i])
		if (lost > 0) != (free < 5) {
			t.Errorf("%d handles are free: %d values are lost", free, lost)
		}
	}
	if len(r.reports) != 1 || !errors.Is(r.reports[0], ErrShort) {
		t.Errorf("reports %v, want one", r.reports)
	}
}

// TestProcessOutOfReach cannot open some processes for a while. They have not
// ended: what they were stays, there is no total without them, and what
// they did meanwhile is in the next one.
func TestProcessOutOfReach(t *testing.T) {
	r, root := narrowRig(t, everyObject(t, 20), 300)
	r.lacking = true
	before := r.ask("2 230 232")
	r.root.Set("proc/300/stat", pidStat(300, "(sd-pam)", 1002, 2500)) // 1,000 ticks more
	root.closed[300], root.closed[10010] = true, true
	held := root.hold(t, 5) // so that little is kept
	for range 3 {
		r.pass(second)
		b := r.ask("2 230 232 " + fmt.Sprint(titleMemoryDetails))
		o := b[230]
		if diff := cmp.Diff(before[230].names(), o.names()); diff != "" {
			t.Errorf("processes: %s", diff)
		}
		o.check(t, "[sd-pam]", raws{784: 300, 684: fileTimeBoot + 2500*tick, 142: missing, 180: missing,
			952: missing})
		o.check(t, "systemd", raws{784: 1, 142: 150 * tick, 180: 3000 * 4096})
		o.check(t, "_Total", raws{784: 0, 142: missing, 180: missing, 952: missing, 680: missing,
			1420: missing})
		o.check(t, "Idle", raws{784: 0, 680: 2})
		b[2].check(t, "", raws{248: int64(len(o.instances)) - 1})
		b[232].check(t, "_Total", raws{142: missing, 146: missing})
		if diff := cmp.Diff(before[232].names(), b[232].names()); diff != "" {
			t.Errorf("threads: %s", diff)
		}
		b[titleMemoryDetails].check(t, "_Total", raws{titleProportional: missing})
	}
	if len(r.reports) != 1 || !errors.Is(r.reports[0], ErrShort) {
		t.Errorf("reports %v, want one", r.reports)
	}

	held()
	clear(root.closed)
	r.pass(second)
	after := r.ask("2 230 232")
	was, _ := before[230].value("_Total", 142)
	after[230].check(t, "_Total", raws{142: int64(was) + 1000*tick})
	after[230].check(t, "[sd-pam]", raws{142: 1002 * tick})
	if diff := cmp.Diff(before[230].names(), after[230].names()); diff != "" {
		t.Errorf("processes: %s", diff)
	}
}

// TestOpenedShort: a session that cannot find out what there is is opened anew,
// instead of doing without it for ever.
func TestOpenedShort(t *testing.T) {
	root := &narrow{MapRoot: fixture(t, "small.txtar"), limit: 1}
	h := NewHost(System{Root: onlyRoot(root), Now: func() Times { return testTimes }, MaxHandle: 10})
	if s, err := h.Open(t.Context()); !errors.Is(err, ErrShort) || s != nil {
		t.Errorf("session %v, error %v", s, err)
	}
	root.limit = 100
	s, err := h.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || root.Handles() != 0 {
		t.Errorf("%d handles are open, error %v", root.Handles(), err)
	}
}

// outOfReach is a root that cannot open, or read, one file or directory for a
// while.
type outOfReach struct {
	*MapRoot
	paths map[Handle]string
	name  string // which it is
	reads bool   // it can be opened, and reading fails
}

// refuse is the error of a call.
func (r *outOfReach) refuse(path string, reads bool) error {
	if path == r.name && reads == r.reads {
		return fmt.Errorf("%s: %w", path, ErrShort)
	}
	return nil
}

func (r *outOfReach) open(dir Handle, name string, open func() (Handle, error)) (Handle, error) {
	path := name
	if dir != 0 {
		path = r.paths[dir] + "/" + name
	}
	if err := r.refuse(path, false); err != nil {
		return 0, err
	}
	h, err := open()
	if err == nil {
		r.paths[h] = path
	}
	return h, err
}

func (r *outOfReach) Open(dir Handle, name string) (Handle, error) {
	return r.open(dir, name, func() (Handle, error) { return r.MapRoot.Open(dir, name) })
}

func (r *outOfReach) Process(proc Handle, pid int) (Handle, error) {
	return r.open(proc, fmt.Sprint(pid), func() (Handle, error) { return r.MapRoot.Process(proc, pid) })
}

func (r *outOfReach) Size(dir Handle, name string) (int64, error) {
	if err := r.refuse(r.paths[dir]+"/"+name, true); err != nil {
		return 0, err
	}
	return r.MapRoot.Size(dir, name)
}

func (r *outOfReach) Read(h Handle, p []byte, offset int64) (int, error) {
	if err := r.refuse(r.paths[h], true); err != nil {
		return 0, err
	}
	return r.MapRoot.Read(h, p, offset)
}

// Processes and List give the first half of what there is.
func (r *outOfReach) Processes(proc Handle, dst []int) ([]int, error) {
	dst, err := r.MapRoot.Processes(proc, dst)
	if short := r.refuse(r.paths[proc], true); short != nil {
		return dst[:len(dst)/2], short
	}
	return dst, err
}

func (r *outOfReach) List(dir Handle, l *Listing) error {
	err := r.MapRoot.List(dir, l)
	if short := r.refuse(r.paths[dir], true); short != nil {
		l.entries = l.entries[:len(l.entries)/2]
		return short
	}
	return err
}

// machine is one with everything that is read of some machine, but for the space
// of file systems, which a busy machine may not get in time.
func machine(t *testing.T) *MapRoot {
	root := everyObject(t, 1)
	for path, e := range devices(t).entries {
		if !e.isDir() && root.entries[path] == nil {
			root.Set(path, e.text)
		}
	}
	addState(root, 0, 1, "C6", 4000, 40)
	return root
}

// TestEveryFileOutOfReach keeps every file and directory from being opened, or
// read, for one sample. What is there is what would be there without that, or it is missing:
// nothing vanishes, changes its identity or has another value, and the next
// sample is as if nothing had been.
func TestEveryFileOutOfReach(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	files := machine(t)
	want := unlimited(t, files, 3)
	var names []string
	for name := range files.entries {
		names = append(names, strings.TrimSuffix(name, "/"))
	}
	slices.Sort(names)
	lost := 0
	for k := range 2 * len(names) {
		name := names[k/2]
		root := &outOfReach{MapRoot: files, paths: map[Handle]string{}, reads: k%2 == 1}
		r := newRig(t, files, func(s *System) { s.Root, s.MaxOpen = onlyRoot(root), 1 })
		r.lacking = true
		for i := range want {
			root.name = ""
			if i == 1 {
				root.name = name
			}
			r.pass(second)
			got := r.askFor(everything)
			switch {
			case i == 1:
				lost += checkPart(t, name, want[i], got)
			case !reflect.DeepEqual(want[i], got):
				t.Errorf("sample %d, around %s: %s", i, name, cmp.Diff(want[i], got, unexported))
			}
		}
		if err := r.d.Close(); err != nil {
			t.Error(err)
		}
	}
	if lost < len(names)/2 {
		t.Errorf("only %d values were lost by %d files", lost, len(names))
	}
}

// TestProcessUnread: no error but that of its end ends a process that was known.
func TestProcessUnread(t *testing.T) {
	for _, err := range []error{ErrShort, fs.ErrPermission, errors.New("input/output error"),
		context.DeadlineExceeded} {
		root := fixtures(t, "small.txtar", "threads.txtar")
		r := newRig(t, root, nil)
		r.lacking = true
		before := r.ask("2 230 232")
		text := root.entries["proc/300/stat"].text
		root.Fail("proc/300/stat", err)
		b := r.ask("2 230 232")
		if diff := cmp.Diff(before[230].names(), b[230].names()); diff != "" {
			t.Errorf("%v: processes: %s", err, diff)
		}
		b[230].check(t, "[sd-pam]", raws{784: 300, 684: fileTimeBoot + 2500*tick, 142: missing})
		b[230].check(t, "_Total", raws{142: missing, 180: missing})
		b[232].check(t, "302", raws{804: 302, 784: 300, 142: tick})

		root.Set("proc/300/stat", text)
		if diff := cmp.Diff(before, r.ask("2 230 232"), unexported); diff != "" {
			t.Errorf("%v: afterwards: %s", err, diff)
		}
		root.Fail("proc/300/stat", fs.ErrNotExist)
		if _, ok := r.object(230).value("[sd-pam]", 784); ok {
			t.Errorf("%v: the process is there after its end", err)
		}
	}
}

// checkPart checks that what is in a sample is in the whole one, and returns how
// many values are not there.
func checkPart(t *testing.T, name string, want, got sampleBlock) (lost int) {
	t.Helper()
	for index, o := range want {
		part := got[index]
		if part == nil {
			lost++ // the whole object cannot be read
			continue
		}
		if names := part.names(); !slices.Equal(o.names(), names) {
			t.Errorf("without %s: object %d: %s", name, index, cmp.Diff(o.names(), names))
			continue
		}
		for i, in := range o.instances {
			now := part.instances[i]
			if in.unique != now.unique {
				t.Errorf("without %s: object %d, %s: unique id %d, want %d", name, index, in.name,
					now.unique, in.unique)
			}
			for k, v := range in.values {
				switch is := now.values[k]; {
				case is.missing:
					lost++
				case is != v:
					t.Errorf("without %s: object %d, %s, counter %d: %d, want %+v", name, index, in.name,
						o.counters[k], is.raw, v)
				}
			}
		}
	}
	return lost
}
