package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// watched is a terminal at which a program runs, and all that was shown on it.
type watched struct {
	master, tty *os.File
	shown       lockedBuffer
	seen        int // how much of it a test has looked at
	copied      chan struct{}
}

func watchTerminal(t *testing.T, width, height uint16) *watched {
	t.Helper()
	w := &watched{copied: make(chan struct{})}
	w.master, w.tty = openTerminal(t)
	w.resize(t, width, height)
	go func() {
		_, _ = io.Copy(&w.shown, w.master) // until the terminal is closed
		close(w.copied)
	}()
	t.Cleanup(func() {
		_, _ = w.master.WriteString("\n") // for what still waits for a key
		_ = w.tty.Close()
		_ = w.master.Close()
		<-w.copied
	})
	return w
}

func (w *watched) resize(t *testing.T, width, height uint16) {
	t.Helper()
	size := &unix.Winsize{Row: height, Col: width}
	if err := unix.IoctlSetWinsize(int(w.master.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

func (w *watched) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := w.master.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// expect waits until a text is shown, behind what was expected before.
func (w *watched) expect(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(hostileLimit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if i := strings.Index(w.shown.String()[w.seen:], text); i >= 0 {
			w.seen += i + len(text)
			return
		}
	}
	t.Fatalf("%q is not in %q", text, tail(w.shown.String()[w.seen:]))
}

// run runs a program at the terminal, with a session of its own.
func (w *watched) run(t *testing.T, cmd *exec.Cmd) (wait func() error) {
	t.Helper()
	cmd.Env = append(os.Environ(), "TERM=xterm")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.tty, w.tty, w.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd.Wait
}

// modes are those of the terminal that a program may have changed.
func (w *watched) modes(t *testing.T) uint32 {
	t.Helper()
	termios, err := unix.IoctlGetTermios(int(w.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return termios.Lflag & (unix.ICANON | unix.ECHO | unix.ISIG)
}

// ratePath is of a counter that has no value before the second sample.
const ratePath = `\Processor(_Total)\% Processor Time`

// TestWatchTerminal watches at a terminal: what stands there is left alone, a line says
// what is awaited, a new size is followed at once, and Ctrl-C leaves all as it was.
func TestWatchTerminal(t *testing.T) {
	w := watchTerminal(t, 80, 24)
	before := w.modes(t)
	wait := w.run(t, process(t, "winperf", "watch", ratePath, "-i", "600"))
	w.expect(t, "\x1b[?1049h")
	w.expect(t, "waiting 10m0s for the second sample")

	w.resize(t, 20, 24)
	w.expect(t, "waiting 10m0s for t…")

	w.press(t, "\x03")
	w.expect(t, "\x1b[?1049l")
	if err := wait(); err != nil {
		t.Error(err)
	}
	if after := w.modes(t); after != before {
		t.Errorf("the terminal's modes are %#x, were %#x", after, before)
	}
	if strings.Contains(w.shown.String()[w.seen:], "winperf:") {
		t.Errorf("it complains: %q", w.shown.String()[w.seen:])
	}
}

// TestWatchStopped types Ctrl-Z and has the shell continue the program, which draws the
// picture anew.
func TestWatchStopped(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "winperf")
	if err := os.Symlink(exe, program); err != nil {
		t.Fatal(err)
	}

	const script = `set -m; "$0" "$@"; stty -a; echo it is stopped; read go; fg; echo it has ended`
	w := watchTerminal(t, 80, 24)
	wait := w.run(t, exec.Command("sh", "-c", script, program, "watch", ratePath, "-i", "600"))
	w.expect(t, "waiting 10m0s")

	w.press(t, "\x1a")
	w.expect(t, "\x1b[?1049l")
	w.expect(t, " icanon")
	w.expect(t, "it is stopped")
	w.press(t, "\n")
	w.expect(t, "\x1b[?1049h")
	w.expect(t, "waiting 10m0s")

	w.press(t, "q")
	w.expect(t, "it has ended")
	if err := wait(); err != nil {
		t.Error(err)
	}
}
