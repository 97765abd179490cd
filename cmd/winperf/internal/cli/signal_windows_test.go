package cli

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestConsoleBreak checks that an event of the console completes a recording.
// Those of its end, of the session and of the system cannot be made by a program;
// Go's runtime delivers them as SIGTERM and waits for the program to end.
func TestConsoleBreak(t *testing.T) {
	const ctrlBreak = 1
	name := filepath.Join(t.TempDir(), "x.capture")
	attr := &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	r := recording{t: t, name: name, attr: attr}
	r.begin()

	generate := syscall.NewLazyDLL("kernel32.dll").NewProc("GenerateConsoleCtrlEvent")
	if ok, _, err := generate.Call(ctrlBreak, uintptr(r.cmd.Process.Pid)); ok == 0 {
		t.Skipf("skipped: no event of a console can be made here: %v", err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("%v, %s", err, content(t, name+".stderr"))
	}
	if samples, damage := samplesIn(t, name); samples < 1 || damage > 0 {
		t.Errorf("%d samples and %d places of damage", samples, damage)
	}
}
