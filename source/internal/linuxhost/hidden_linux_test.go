package linuxhost

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf/provider"
)

// behindHidepid is the environment variable that makes TestBehindHidepid read
// this machine as somebody else.
const behindHidepid = "LINUXHOST_TEST_HIDEPID"

// TestHidepid mounts /proc with hidepid=2 in a mount namespace of its own and
// reads it as a user without rights.
func TestHidepid(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestBehindHidepid$", "-test.v")
	cmd.Env = append(os.Environ(), behindHidepid+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Skipf("no mount namespace can be made: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestBehindHidepid(t *testing.T) {
	if os.Getenv(behindHidepid) == "" {
		t.Skip("is run by another test")
	}
	const nobody = 65534
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skipf("no mount can be made: %v", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"); err != nil {
		t.Skipf("/proc cannot be mounted: %v", err)
	}
	root := ask(t, "2 230 260")
	if n, ok := root[2].value("", 248); !ok || n < 2 {
		t.Errorf("the superuser sees %d processes (%v)", n, ok)
	}

	for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)} {
		if err != nil {
			t.Skipf("the user cannot be changed: %v", err)
		}
	}
	b := ask(t, "2 230 260")
	if _, ok := b[2].value("", 250); !ok {
		t.Error("there is no number of threads, which nothing hides")
	}
	for _, object := range []uint32{2, 260} {
		if n, ok := b[object].value("", 248); ok {
			t.Errorf("object %d: %d processes", object, n)
		}
	}
	if n, ok := b[230].value("_Total", 680); ok {
		t.Errorf("all processes have %d threads", n)
	}
}

// ask takes a sample of this machine.
func ask(t *testing.T, query string) sampleBlock {
	t.Helper()
	h, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := provider.NewDispatcher(provider.Options{}, h)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	block, err := d.Collect(t.Context(), provider.ParseQuery(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	return readBlock(t, block)
}
