package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/pdhlog"
	"golang.org/x/sys/unix"
)

// linked is a file name of the program, for other programs that run it.
func linked(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "winperf")
	if err := os.Symlink(process(t, "").Path, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// started starts a command and waits until it has written a line to one of its
// streams. The function waits for its end; what it writes until then is in the
// buffer, too.
func started(t *testing.T, cmd *exec.Cmd, pipe func() (io.ReadCloser, error)) (*bytes.Buffer, func() error) {
	t.Helper()
	stream, err := pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(hostileLimit, func() { _ = cmd.Process.Kill() })
	reader := bufio.NewReader(stream)
	line, err := reader.ReadString('\n')
	if err != nil {
		t.Fatalf("%v after %q", err, line)
	}
	out := bytes.NewBufferString(line)
	return out, func() error {
		defer hangs.Stop()
		if _, err := out.ReadFrom(reader); err != nil {
			return err
		}
		return cmd.Wait()
	}
}

// TestHangupSignal checks that SIGHUP, once or twice, completes what is being
// written, as SIGTERM does.
func TestHangupSignal(t *testing.T) {
	const hup = syscall.SIGHUP
	for _, signals := range [][]os.Signal{{hup}, {hup, hup}, {syscall.SIGTERM}} {
		for _, format := range []string{"capture", "blg", "csv", "jsonl"} {
			name := filepath.Join(t.TempDir(), "x."+format)
			cmd := process(t, "winperf", "record", `\Memory\Available MBytes`, "-i", "0.05", "--progress", "-o", name)
			stderr, end := started(t, cmd, cmd.StderrPipe)
			for _, s := range signals {
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			if err := end(); err != nil {
				t.Errorf("%s after %v: %v", format, signals, err)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			summary := lines[len(lines)-1] // of complete files only
			samples, damage := samplesIn(t, name)
			all := strings.HasPrefix(summary, "winperf: "+console.Plural(samples, "sample")+", ")
			if !all || damage > 0 || !completed(t, name) {
				t.Errorf("%s after %v: %d samples and %d places of damage, %q", format, signals, samples, damage, summary)
			}
		}
	}

	cmd := process(t, "winperf", "watch", `\Memory\Available MBytes`, "-o", "json", "-i", "0.05")
	out, end := started(t, cmd, cmd.StdoutPipe)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	var readings []any
	if err := end(); err != nil || json.Unmarshal(out.Bytes(), &readings) != nil {
		t.Errorf("watch: %v, %s", err, out)
	}
}

// completed tells whether a log has what stands at its end.
func completed(t *testing.T, name string) bool {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	switch filepath.Ext(name) {
	case ".capture":
		c, err := capture.Open(f, info.Size())
		return err == nil && c.Tail().Closed
	case ".blg":
		r, err := pdhlog.NewReader(f)
		return err == nil && int64(r.Header().Buffers*r.Header().BufferSize) == info.Size()
	}
	return true
}

// TestHangupPublish checks that SIGHUP takes the published objects away.
func TestHangupPublish(t *testing.T) {
	dir, schema := filepath.Join(t.TempDir(), "published"), filepath.Join(t.TempDir(), "schema.json")
	example, err := process(t, "winperf", "provider", "init", "--example").Output()
	if err == nil {
		err = os.WriteFile(schema, example, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := process(t, "winperf", "publish", "--schema", schema, "--dir", dir, "--keep")
	if _, err := cmd.StdinPipe(); err != nil { // which stays open
		t.Fatal(err)
	}
	said, end := started(t, cmd, cmd.StderrPipe)
	if want := "publishing in " + dir; !strings.Contains(said.String(), want) {
		t.Errorf("it says %q, want %q", said, want)
	}
	before, err := os.ReadDir(dir)
	if err != nil || len(before) == 0 {
		t.Fatalf("%v published, %v", before, err)
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	_ = end() // the status tells
	after, err := os.ReadDir(dir)
	if status := cmd.ProcessState.ExitCode(); err != nil || len(after) > 0 || status != console.ExitDone {
		t.Errorf("%v is left, status %d, %v", after, status, err)
	}
}

// TestHangupConvert checks that a conversion that is hung up on leaves nothing of
// its output.
func TestHangupConvert(t *testing.T) {
	dir := t.TempDir()
	log, out := filepath.Join(dir, "load.csv"), filepath.Join(dir, "out.jsonl")
	for rows := 500_000; ; rows *= 4 {
		text := `"(PDH-CSV 4.0) (UTC)(0)","\\H\O\a"` + "\n"
		text += strings.Repeat(`"01/02/2026 15:04:05.000","1"`+"\n", rows)
		if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := process(t, "winperf", "convert", log, "-o", out)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for parts := 0; parts == 0; time.Sleep(time.Millisecond) {
			found, err := filepath.Glob(out + "*")
			if parts = len(found); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if _, done := os.Stat(out); err == nil && done == nil && rows < 10_000_000 {
			continue // it was faster than the signal
		}
		left, globbed := filepath.Glob(out + "*")
		if status := cmd.ProcessState.ExitCode(); status != console.ExitFailed || len(left) > 0 || globbed != nil {
			t.Errorf("%v, %v is left, %s", err, left, &stderr)
		}
		return
	}
}

// TestNohup checks that a recording that was started to ignore SIGHUP goes on.
func TestNohup(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.jsonl")
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" "$@"`, linked(t),
		"record", `\Memory\Available MBytes`, "-i", "0.05", "-n", "20", "--progress", "-o", name)
	_, end := started(t, cmd, cmd.StderrPipe)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if samples, _ := samplesIn(t, name); samples != 20 {
		t.Errorf("%d samples, want 20", samples)
	}
}

// TestSecondSignal checks that a program that cannot complete its output, as
// nobody reads it, ends at once with the second signal, but not with a second
// SIGHUP.
func TestSecondSignal(t *testing.T) {
	for _, first := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		cmd := process(t, "winperf", "watch", `\Process(*)\*`, "-i", "0.01", "-o", "jsonl")
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		waitUntilFull(t, pipe.(*os.File))

		ended := make(chan *os.ProcessState, 1)
		go func() {
			state, _ := cmd.Process.Wait() // and not cmd.Wait, which closes the pipe
			ended <- state
		}()
		send := first
		for deadline := time.Now().Add(hostileLimit); time.Now().Before(deadline); {
			if err := cmd.Process.Signal(send); err != nil {
				break // it has ended
			}
			send = syscall.SIGTERM
			time.Sleep(10 * time.Millisecond)
		}
		_ = cmd.Process.Kill() // where it has not
		state := <-ended
		if status := state.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGTERM {
			t.Errorf("after %v and SIGTERM: %v", first, state)
		}
	}
}

// waitUntilFull waits until nothing more fits into a pipe.
func waitUntilFull(t *testing.T, pipe *os.File) {
	t.Helper()
	raw, err := pipe.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for held, room := 0, 1; held < room; time.Sleep(10 * time.Millisecond) {
		if control := raw.Control(func(fd uintptr) {
			if room, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil {
				held, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
			}
		}); control != nil || err != nil {
			t.Fatal(control, err)
		}
	}
}
