package linuxhost

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/hostfiles"
	"github.com/winperf/winperf/provider"
)

// TestDirectory samples the small machine from a directory of files: the same
// as from memory.
func TestDirectory(t *testing.T) {
	root := fixture(t, "small.txtar")
	dir := t.TempDir()
	writeRoot(t, root, dir)
	want := newRig(t, root, nil).ask("Global")
	got := newRig(t, NewMapRoot(nil), func(s *System) { s.Root = onlyRoot(newRoot(filesIn(t, dir))) }).ask("Global")
	if diff := cmp.Diff(want, got, unexported); diff != "" {
		t.Error(diff)
	}
}

// writeRoot writes the files of a root into a directory.
func writeRoot(t *testing.T, root *MapRoot, dir string) {
	t.Helper()
	for name, e := range root.entries {
		if name == "proc" || strings.HasSuffix(name, "/") {
			continue
		}
		text := e.text
		if strings.HasSuffix(name, "/fd") {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				t.Fatal(err)
			}
			text = strings.Repeat("x", n) // what counts is the size
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewElsewhere(t *testing.T) {
	if _, err := New(Options{Files: winperf.HostFiles{Root: t.TempDir()}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a root without proc: %v", err)
	}
}

// TestProcessEnds reads a process's files through open descriptors before and
// after its end.
func TestProcessEnds(t *testing.T) {
	root := newRoot(filesIn(t, "/"))
	proc, err := root.Open(0, "proc")
	if err != nil {
		t.Fatal(err)
	}
	child, err := os.StartProcess("/proc/self/exe", []string{"child", "-test.run=^TestSleeper$"},
		&os.ProcAttr{Env: []string{sleeper + "=1"}})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := root.Process(proc, child.Pid)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := root.Open(dir, "stat")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	if n, err := root.Read(stat, buf, 0); n == 0 || err != nil ||
		!strings.HasPrefix(string(buf), strconv.Itoa(child.Pid)+" (") {
		t.Errorf("stat of a living process: %q, %v", buf[:n], err)
	}
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if n, err := root.Read(stat, buf, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat of an ended process: %q, %v", buf[:n], err)
	}
	if _, err := root.Open(dir, "statm"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open statm of an ended process: %v", err)
	}
	if _, err := root.Size(dir, "fd"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("size of fd of an ended process: %v", err)
	}
	for _, h := range []Handle{stat, dir, proc} {
		if err := root.Close(h); err != nil {
			t.Error(err)
		}
	}
}

// sleeper is the environment variable that makes TestSleeper wait for its end.
const sleeper = "LINUXHOST_TEST_SLEEPER"

func TestSleeper(t *testing.T) {
	if os.Getenv(sleeper) == "" {
		t.Skip("stands for a process in another test")
	}
	time.Sleep(time.Minute) // it is killed long before
}

func TestAppendIDs(t *testing.T) {
	entry := func(name string) []byte {
		e := append(make([]byte, 19), name...)
		e = append(e, 0)
		for len(e)%8 != 0 {
			e = append(e, 'x') // what follows the name has no meaning
		}
		e[16] = byte(len(e))
		return e
	}
	var list []byte
	for _, name := range []string{".", "..", "1", "self", "12a", "4194304", "2147483648", "077", ""} {
		list = append(list, entry(name)...)
	}
	if got := appendIDs([]int{9}, list); !slices.Equal(got, []int{9, 1, 4194304, 77}) {
		t.Errorf("ids %d", got)
	}
	for n := range list {
		if got := appendIDs(nil, list[:n]); len(got) > 3 {
			t.Errorf("cut at %d: ids %d", n, got)
		}
	}
	broken := slices.Clone(list)
	broken[16] = 0
	if got := appendIDs(nil, broken); len(got) != 0 {
		t.Errorf("an entry of no length: ids %d", got)
	}
}

func TestClocks(t *testing.T) {
	before := Clocks()
	times := now()
	after := Clocks()
	c := times.Clocks()
	if c.PerfFreq != perSecond || c.PerfTime < before.PerfTime || c.PerfTime > after.PerfTime ||
		before.PerfTime <= 0 {
		t.Errorf("clocks %+v, %+v, %+v", before, c, after)
	}
	const year2020 = 132_223_104_000_000_000 // as FILETIME
	if c.Time100ns < year2020 || times.Monotonic > times.Boot+second {
		t.Errorf("clocks %+v of %+v", c, times)
	}
}

// TestLiveAllocations samples this machine without allocating.
func TestLiveAllocations(t *testing.T) {
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := &provider.Query{Objects: []uint32{2, 4, 238}} // processes come and go
	if n := testing.AllocsPerRun(20, warm(t, h, q)); n != 0 {
		t.Errorf("%g allocations for a sample", n)
	}
}

// TestSystemError: errors for want of descriptors or memory do not mean that a file is gone, and errors
// of processes and devices that ended do.
func TestSystemError(t *testing.T) {
	for _, err := range []error{unix.ESRCH, unix.ENODEV, unix.ENOENT} {
		if got := systemError(fmt.Errorf("read: %w", err)); !errors.Is(got, fs.ErrNotExist) || isShort(got) {
			t.Errorf("%v: %v, want %v", err, got, fs.ErrNotExist)
		}
	}
	for _, err := range []error{unix.EMFILE, unix.ENFILE, unix.ENOMEM} {
		if got := systemError(fmt.Errorf("read: %w", err)); !isShort(got) || !errors.Is(got, err) {
			t.Errorf("%v: %v, want %v with the cause", err, got, ErrShort)
		}
	}
	if got := systemError(unix.EACCES); !errors.Is(got, fs.ErrPermission) || isShort(got) {
		t.Errorf("%v: %v", unix.EACCES, got)
	}
}

// filesIn returns the files of a machine below a directory.
func filesIn(t testing.TB, dir string) *hostfiles.Files {
	t.Helper()
	at := winperf.HostFiles{Root: dir}
	if _, err := os.Stat(dir + "/proc"); err != nil {
		at.Proc = dir // for tests without /proc
	}
	files, err := hostfiles.Open(at)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
