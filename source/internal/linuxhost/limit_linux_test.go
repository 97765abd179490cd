package linuxhost

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/provider"
)

// limited is the environment variable that makes TestLimited read a directory of
// files in a process of few descriptors.
const limited = "LINUXHOST_TEST_LIMITED"

// TestDescriptors reads 3,000 processes in a process that may have 256 descriptors
// open, of which others take all that are left for a while. None vanishes, and the
// total is that of all, or there is none, which is told.
func TestDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	writeRoot(t, crowd(t, 3000), dir)
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestLimited$", "-test.v")
	cmd.Env = append(os.Environ(), limited+"="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestLimited(t *testing.T) {
	dir := os.Getenv(limited)
	if dir == "" {
		t.Skip("is run by another test")
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}); err != nil {
		t.Fatal(err)
	}
	h, err := New(Options{Files: winperf.HostFiles{Root: dir}})
	if err != nil {
		t.Fatal(err)
	}
	var told []provider.Problem
	d, err := provider.NewDispatcher(provider.Options{
		OnProblem: func(p provider.Problem) { told = append(told, p) },
	}, h)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()

	for _, others := range []bool{false, true, false, true, true} {
		var held []int
		for others {
			fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if errors.Is(err, unix.EMFILE) {
				break
			}
			held = append(held, fd)
		}
		block, err := d.Collect(t.Context(), provider.ParseQuery("2 230"), nil)
		for _, fd := range held {
			_ = unix.Close(fd)
		}
		if err != nil {
			t.Fatal(err)
		}
		b := readBlock(t, block)
		if others {
			if _, ok := b[230].value("_Total", 180); ok || len(told) != 1 || !errors.Is(told[0].Err, ErrShort) {
				t.Errorf("there is a total of the working sets (%v), and the problems %+v", ok, told)
			}
			if n := len(b[230].instances); n != 3005+2 {
				t.Errorf("%d instances without descriptors", n)
			}
			continue
		}
		checkTotal(t, b, 3005)
	}
}

// checkTotal checks that there are so many processes, and that their total is
// that of all.
func checkTotal(t *testing.T, b sampleBlock, processes int) {
	t.Helper()
	o := b[230]
	if o == nil {
		t.Error("there are no processes")
		return
	}
	if n, ok := b[2].value("", 248); !ok || int(n) != processes+1 || len(o.instances) != processes+2 {
		t.Errorf("%d processes (there: %v), %d instances, want %d", n, ok, len(o.instances), processes)
	}
	for _, counter := range []uint32{180, 952, 1420} {
		var sum uint64
		for _, in := range o.instances[2:] { // behind Idle and _Total
			sum += in.values[o.at(counter)].raw
		}
		if total, ok := o.value("_Total", counter); !ok || total != sum || sum == 0 {
			t.Errorf("the total of counter %d is %d (there: %v), want %d", counter, total, ok, sum)
		}
	}
}
