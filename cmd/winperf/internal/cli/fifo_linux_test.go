package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/perftest"
)

// fifo makes a named pipe. What waits for its other end is let go in the end.
func fifo(t *testing.T, name string) string {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		both, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Error(err)
			return
		}
		_ = both.Close()
	})
	return name
}

// fifoRun is a run of the program beside the test.
type fifoRun struct {
	stdout, stderr bytes.Buffer
	status         chan int
}

func (r *fifoRun) begin(ctx context.Context, args ...string) {
	r.status = make(chan int, 1)
	go func() { r.status <- Run(ctx, args, strings.NewReader(""), &r.stdout, &r.stderr) }()
}

// end waits for the end of the run and returns its status.
func (r *fifoRun) end(t *testing.T) int {
	t.Helper()
	select {
	case status := <-r.status:
		return status
	case <-time.After(hostileLimit):
		t.Fatal("it does not end")
		return 0
	}
}

// fifoFiles makes a directory with a log, names and a schema.
func fifoFiles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	schema := run(t, "provider", "init", "--example")
	if err := os.WriteFile(filepath.Join(dir, "schema.json"), schema, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPipeWithoutOtherEnd checks that the first interrupt ends the program also
// while it waits for somebody to open the other end of a named pipe.
func TestPipeWithoutOtherEnd(t *testing.T) {
	t.Chdir(fifoFiles(t))
	const record = "perfdata:one.bin,two.bin?names=names.tsv"
	live := livePath(t)
	tests := []struct {
		pipe   string
		status int
		args   []string
	}{
		{"out.csv", console.ExitFailed, []string{"convert", record, "-o", "out.csv"}},
		{"out.blg", console.ExitFailed, []string{"convert", record, "-o", "out.blg"}},
		{"get.csv", console.ExitDone, []string{"get", live, "-o", "get.csv"}},
		{"watch.jsonl", console.ExitDone, []string{"watch", live, "-o", "watch.jsonl"}},
		{"record.capture", console.ExitDone, []string{"record", live, "-i", "0.01", "-o", "record.capture"}},
		{"record.csv", console.ExitDone, []string{"record", live, "--overwrite", "-i", "0.01", "-o", "record.csv"}},
		{"list.jsonl", console.ExitDone, []string{"list", "-o", "list.jsonl"}},
		{"dump.txt", console.ExitDone, []string{"dump", "--source", record, "-f", "text", "-o", "dump.txt"}},
		{"info.json", console.ExitDone, []string{"info", "one.bin", "-o", "info.json"}},
		{"paths", console.ExitDone, []string{"get", "--counters", "paths"}},
		{"names", console.ExitDone, []string{"dump", "one.bin", "--names", "names"}},
		{"more", console.ExitDone, []string{"list", "--source", "perfdata:one.bin?names=more"}},
		{"check.json", console.ExitDone, []string{"provider", "check", "check.json"}},
		{"init.json", console.ExitDone, []string{"provider", "init", "init.json"}},
		{"publish.json", console.ExitDone, []string{"publish", "--schema", "publish.json"}},
	}
	for _, tt := range tests {
		name := fifo(t, tt.pipe)
		var r fifoRun
		ctx, cancel := context.WithCancel(t.Context())
		r.begin(ctx, tt.args...)
		time.Sleep(100 * time.Millisecond)
		if len(r.status) > 0 {
			t.Errorf("%s: it does not wait: %s", name, &r.stderr)
		}
		cancel()
		if status := r.end(t); status != tt.status {
			t.Errorf("%s: status %d, want %d; %s", name, status, tt.status, &r.stderr)
		}
	}
}

// TestPipeOtherEndLater checks that whoever opens the other end of a named pipe
// later gets all that is written, and that all he writes is read.
func TestPipeOtherEndLater(t *testing.T) {
	t.Chdir(fifoFiles(t))
	const record = "perfdata:one.bin,two.bin?names=names.tsv"
	for _, command := range [][]string{
		{"convert", record}, {"get", "--source", record, `\*(*)\*`}, {"record", "--source", record, `\*(*)\*`, "--quiet"},
	} {
		plain, pipe := command[0]+".plain.csv", fifo(t, command[0]+".csv")
		run(t, append(command, "-o", plain)...)
		var r fifoRun
		r.begin(t.Context(), append(command, "-o", pipe)...)
		time.Sleep(50 * time.Millisecond)
		f, err := os.Open(pipe)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		if status := r.end(t); err != nil || f.Close() != nil || status != console.ExitDone || string(got) != content(t, plain) {
			t.Errorf("%s: status %d, %v, %d bytes; %s", command[0], status, err, len(got), &r.stderr)
		}
	}

	for _, tt := range []struct {
		in   string
		args func(in string) []string
	}{
		{"names.tsv", func(in string) []string { return []string{"list", "--source", "perfdata:one.bin?names=" + in} }},
		{"names.tsv", func(in string) []string { return []string{"dump", "one.bin", "--names", in} }},
		{"schema.json", func(in string) []string { return []string{"provider", "check", in} }},
		{"paths.txt", func(in string) []string { return []string{"get", "--source", record, "--counters", in} }},
	} {
		if tt.in == "paths.txt" {
			if err := os.WriteFile(tt.in, []byte(`\*(*)\*`), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want := run(t, tt.args(tt.in)...)
		pipe := fifo(t, tt.args("")[0]+"."+tt.in)
		var r fifoRun
		r.begin(t.Context(), tt.args(pipe)...)
		time.Sleep(50 * time.Millisecond)
		if err := os.WriteFile(pipe, []byte(content(t, tt.in)), 0); err != nil {
			t.Fatal(err)
		}
		status := r.end(t)
		got := bytes.ReplaceAll(r.stdout.Bytes(), []byte(pipe), []byte(tt.in))
		if status != console.ExitDone || !bytes.Equal(got, want) {
			t.Errorf("%s: status %d, %d bytes, want %d; %s", pipe, status, len(got), len(want), &r.stderr)
		}
	}
}

// TestPipeRecord checks that a recording goes into a named pipe whatever is to
// become of files that exist, and that the pipe stays, also where its reader has gone
// before the first sample is written.
func TestPipeRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("large.bin", perftest.Block(perftest.Desktop), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"record", "--source", "perfdata:large.bin", "--quiet"}
	run(t, append(args, "-o", "plain.capture")...)
	want := content(t, "plain.capture")
	for _, mode := range [][]string{nil, {"--append"}, {"--overwrite"}} {
		for _, whole := range []bool{true, false} {
			pipe := fifo(t, fmt.Sprint("pipe", mode, whole))
			var r fifoRun
			r.begin(t.Context(), slices.Concat(args, mode, []string{"-f", "capture", "-o", pipe})...)
			f, err := os.Open(pipe)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, 1)
			if whole {
				got, err = io.ReadAll(f)
			} else {
				_, err = f.Read(got) // there is more than the pipe holds
			}
			if err := errors.Join(err, f.Close()); err != nil {
				t.Error(err)
			}

			status := r.end(t)
			if whole {
				if err := os.WriteFile("copy.capture", got, 0o666); err != nil {
					t.Fatal(err)
				}
				samples, damage := samplesIn(t, "copy.capture")
				if status != console.ExitDone || samples != 1 || damage > 0 || len(got) != len(want) {
					t.Errorf("%v: status %d, %d samples and %d places of damage in %d bytes, want %d; %s",
						mode, status, samples, damage, len(got), len(want), &r.stderr)
				}
			}
			if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
				t.Errorf("%v: the pipe is gone", mode)
			}
		}
	}
}

// TestPipeSummary checks that a recording into a pipe, which has no size, tells how much
// was written.
func TestPipeSummary(t *testing.T) {
	t.Chdir(fifoFiles(t))
	pipe := fifo(t, "f")
	var r fifoRun
	r.begin(t.Context(), "record", "--source", "perfdata:one.bin,two.bin?names=names.tsv", `\*(*)\*`, "-f", "csv", "-o", pipe)
	written, err := os.ReadFile(pipe)
	status := r.end(t)
	want := "1 sample, " + output.FormatSize(int64(len(written))) + " in f\n"
	if err != nil || status != console.ExitDone || len(written) == 0 || !strings.HasSuffix(r.stderr.String(), want) {
		t.Errorf("status %d, %v, %q, want %q", status, err, &r.stderr, want)
	}
}

// TestPipeReaderGone checks that a recording into a pipe ends when its reader has
// gone, as it does where standard output is one.
func TestPipeReaderGone(t *testing.T) {
	pipe := fifo(t, filepath.Join(t.TempDir(), "x.jsonl"))
	var r fifoRun
	r.begin(t.Context(), "record", livePath(t), "--overwrite", "--quiet", "-i", "0.01", "-o", pipe)
	f, err := os.Open(pipe)
	if err == nil {
		_, err = io.ReadFull(f, make([]byte, 100))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if status := r.end(t); status != console.ExitDone {
		t.Errorf("status %d; %s", status, &r.stderr)
	}
}

// TestPipeBinaryLog checks that a binary log in a pipe, where no buffer can be
// written again, has no buffer for each fast sample.
func TestPipeBinaryLog(t *testing.T) {
	pipe := fifo(t, filepath.Join(t.TempDir(), "x.blg"))
	var r fifoRun
	r.begin(t.Context(), "record", livePath(t), "--overwrite", "--quiet", "-i", "0.01", "-n", "20", "-o", pipe)
	log, err := os.ReadFile(pipe)
	if status := r.end(t); err != nil || status != console.ExitDone {
		t.Fatalf("status %d, %v; %s", status, err, &r.stderr)
	}
	name := filepath.Join(t.TempDir(), "x.blg")
	if err := os.WriteFile(name, log, 0o666); err != nil {
		t.Fatal(err)
	}
	if samples, damage := samplesIn(t, name); samples != 20 || damage > 0 || len(log) > 5*64<<10 {
		t.Errorf("%d samples and %d places of damage in %d bytes", samples, damage, len(log))
	}
}
