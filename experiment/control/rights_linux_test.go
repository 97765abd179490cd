package control

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	protocol "github.com/winperf/winperf/internal/control"
)

// dialAs connects as another user: the kernel looks at the thread that connects.
func dialAs(t *testing.T, uid int, path string) *protocol.Client {
	t.Helper()
	type result struct {
		c   *protocol.Client
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		const same = ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, same, uintptr(uid), same); errno != 0 {
			done <- result{nil, errno}
			return
		}
		c, err := protocol.Dial(t.Context(), path)
		done <- result{c, err}
	}()
	r := <-done
	must(t, r.err)
	t.Cleanup(func() { _ = r.c.Close() })
	return r.c
}

// Other users are let in only where that is configured, and name no sinks then.
func TestOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	const friend, stranger = 65534, 65533
	_, s := listening(t, func(o *Options) {
		o.Users = []int{friend}
		must(t, os.Chmod(o.Dir, 0o755))
		o.Dir = filepath.Join(o.Dir, "own")
	})
	c := dialAs(t, friend, s.Path())
	call(t, c, requests(), nil)
	file := protocol.Sink{File: filepath.Join(t.TempDir(), "x.jsonl")}
	refused(t, c, protocol.Request{Op: "change", Change: &protocol.Change{AddSinks: []protocol.Sink{file}}}, "forbidden", "sinks")
	refused(t, c, requests(func(s *protocol.Spec) { s.Name, s.Sinks = "two", []protocol.Sink{file} }), "forbidden", "sinks")
	if _, err := os.Stat(file.File); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file was made:", err)
	}

	err := dialAs(t, stranger, s.Path()).Call(t.Context(), protocol.Request{Op: "list"}, nil)
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != "forbidden" || !strings.Contains(e.Message, "65533") {
		t.Errorf("a stranger: %v", err)
	}
	call(t, dial(t, s), protocol.Request{Op: "list"}, nil)

	// Without that the directory keeps others out, and the kernel's word does where it does not.
	_, s = listening(t)
	dir := filepath.Dir(s.Path())
	must(t, os.Chmod(dir, 0o755))
	must(t, os.Chmod(s.Path(), 0o666))
	err = dialAs(t, friend, s.Path()).Call(t.Context(), protocol.Request{Op: "list"}, nil)
	if !errors.As(err, &e) || e.Code != "forbidden" {
		t.Errorf("another user: %v", err)
	}
}
