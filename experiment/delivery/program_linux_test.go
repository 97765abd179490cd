package delivery

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// A program goes on when the thread that delivered the first records ends.
func TestProgramOutlivesThread(t *testing.T) {
	name := filepath.Join(t.TempDir(), "got")
	s, err := NewProgram(&exec.Cmd{Args: []string{os.Args[0], name}, Env: append(os.Environ(), program+"=read")})
	must(t, err)

	thread := make(chan int)
	go onThread(func() {
		if err := s.Deliver(t.Context(), items("x", 1, 1)); err != nil {
			t.Error(err)
		}
		thread <- syscall.Gettid()
	})
	task := filepath.Join("/proc/self/task", strconv.Itoa(<-thread))
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(task); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the thread goes on")
		}
	}

	must(t, s.Deliver(t.Context(), items("x", 2, 2)))
	must(t, s.Close(t.Context()))
	if got, want := inFile(t, name), names("x", 1, 2); !slices.Equal(got, want) {
		t.Errorf("it got %v, want %v", got, want)
	}
}

// onThread calls f on a thread that ends with f. The main thread never ends.
func onThread(f func()) {
	runtime.LockOSThread()
	if syscall.Gettid() != os.Getpid() {
		f() // not unlocked: the thread ends with its goroutine
		return
	}
	defer runtime.UnlockOSThread()
	done := make(chan bool)
	go func() {
		defer close(done)
		onThread(f)
	}()
	<-done
}
