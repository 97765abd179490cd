package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// process is one of the programs in TestMain, to be run as a process.
func process(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	// A program that ignores a signal, as under nohup, has its children ignore it.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = name
	return cmd
}

// TestInterrupt checks that an interrupt ends the output complete, with status
// 0, wherever the program waits.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source, and signals")
	}
	const interval = 50 * time.Millisecond
	cmd := process(t, "winperf", "watch", `\Memory\Available MBytes`, "-o", "json", "-i", interval.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	var all []byte
	for range 3 {
		line, err := out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line...)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	lasted := time.Since(begin)
	var readings []struct{ Value float64 }
	if err := json.Unmarshal(append(all, rest...), &readings); err != nil || len(readings) < 2 {
		t.Fatalf("%d readings, %v in %s%s", len(readings), err, all, rest)
	}

	// On a machine that is busy the program misses samples and tells of them, of no
	// more than were due.
	told := stderr.String()
	if found := missedSamples.FindStringSubmatch(told); found != nil {
		missed, err := strconv.Atoi(found[1])
		if due := int(lasted/interval) + 1; err == nil && len(readings)+missed <= due {
			told = told[len(found[0]):]
		}
	}
	if err != nil || told != "" {
		t.Errorf("%v, standard error %q after %d readings in %v", err, &stderr, len(readings), lasted)
	}
}

// missedSamples is what a program tells that missed samples.
var missedSamples = regexp.MustCompile(`^winperf: (\d+) samples? w(?:ere|as) missed because the machine or the output was too slow\n`)

// TestInterruptStdin checks that a program that waits for its input ends.
func TestInterruptStdin(t *testing.T) {
	for _, args := range [][]string{{"cook"}, {"get", "--counters", "-"}} {
		var stderr strings.Builder
		ctx, cancel := context.WithCancel(context.Background())
		r, w := io.Pipe()
		waits := make(chan struct{})
		in := readerFunc(func(p []byte) (int, error) { close(waits); return r.Read(p) })
		done := make(chan int)
		go func() { done <- Run(ctx, args, in, io.Discard, &stderr) }()
		<-waits
		cancel()
		if status := <-done; status != console.ExitDone {
			t.Errorf("%v: status %d, want %d", args, status, console.ExitDone)
		}
		if stderr.Len() > 0 {
			t.Errorf("%v: standard error is %q", args, &stderr)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestClosedPipe checks that the program ends quietly when nobody reads its
// output any more.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	var many []string // enough for more than a pipe holds
	for range 500 {
		many = append(many, filepath.Join(dir, "one.bin"))
	}
	cmd := process(t, "winperf", "watch", "--source", "perfdata:"+strings.Join(many, ",")+"?names="+filepath.Join(dir, "names.tsv"), `\Process(*)\*`, "-o", "jsonl")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Error(err)
	}
	if err := pipe.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v, want status 0", err)
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error is %q", &stderr)
	}
}

// TestHangup checks that the program does not wait for its next sample when
// nobody reads its output any more.
func TestHangup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source, and a system that tells")
	}
	cmd := process(t, "winperf", "watch", `\Memory\Available MBytes`, "-o", "jsonl", "-i", "24:00:00")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(hostileLimit, func() { _ = cmd.Process.Kill() })
	defer hangs.Stop()
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Error(err)
	}
	if err := pipe.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v, want status 0", err)
	}
}

// TestWriteError checks that any other error of writing is a failure.
func TestWriteError(t *testing.T) {
	var stderr strings.Builder
	full := writerFunc(func([]byte) (int, error) { return 0, errors.New("no room") })
	if status := Run(context.Background(), []string{"cook", "--list"}, strings.NewReader(""), full, &stderr); status != console.ExitFailed {
		t.Errorf("status %d, want %d", status, console.ExitFailed)
	}
	if want := "winperf: no room\n"; stderr.String() != want {
		t.Errorf("standard error %q, want %q", stderr.String(), want)
	}
}

// TestInterruptible checks that the reader hands on all bytes and the error.
func TestInterruptible(t *testing.T) {
	for _, r := range []io.Reader{strings.NewReader("some bytes"), iotest.OneByteReader(strings.NewReader("some bytes")), iotest.DataErrReader(strings.NewReader("some bytes"))} {
		if err := iotest.TestReader(&console.Interruptible{Context: context.Background(), Stream: r}, []byte("some bytes")); err != nil {
			t.Error(err)
		}
	}
	want := errors.New("broken")
	if _, err := io.ReadAll(&console.Interruptible{Context: context.Background(), Stream: iotest.ErrReader(want)}); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}
