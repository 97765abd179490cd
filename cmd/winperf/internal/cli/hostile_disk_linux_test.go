package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"golang.org/x/sys/unix"
)

// smallDisk returns a directory on a file system with room for so many KiB. It is
// seen by a process of its own only, through whose root this one reaches it, and
// goes with it.
func smallDisk(t *testing.T, kib int) string {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf(`mount -t tmpfs -o size=%dk none "$1" && echo ready && read wait`, kib)
	cmd := exec.Command("unshare", "--mount", "sh", "-c", script, "sh", dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("skipped: no file system can be mounted apart: %v", err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // read tells that there was nothing to read
	})
	if _, err := fmt.Fscan(stdout, new(string)); err != nil {
		t.Skip("skipped: no file system can be mounted apart by this user")
	}
	return filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "root", dir)
}

// fill leaves no room on the file system of a directory.
func fill(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for piece := make([]byte, 4096); err == nil; {
		_, err = f.Write(piece)
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
}

// fails runs a command that must end with status 1, and say why in a message with
// the name in it. It returns standard error.
func fails(t *testing.T, why error, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hostileLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	status := Run(ctx, args, strings.NewReader(""), &stdout, &stderr)
	told := func(line string) bool { return strings.Contains(line, why.Error()) && strings.Contains(line, name) }
	if lines := strings.Split(stderr.String(), "\n"); status != console.ExitFailed || !slices.ContainsFunc(lines, told) {
		t.Errorf("%q: status %d, want %d and a line with %q and %q; standard error:\n%s",
			args, status, console.ExitFailed, why, name, tail(stderr.String()))
	}
	return stderr.String()
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-1000):] }

// TestDiskFullRecord records until the disk is full: the recording fails, names the
// file, and what was recorded before is there.
func TestDiskFullRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel() // it waits most of the time
	disk := smallDisk(t, 256)
	for _, format := range []string{"capture", "csv", "tsv", "jsonl", "blg"} {
		name := filepath.Join(disk, "full."+format)
		recordUntil(t, unix.ENOSPC, name, "--at-limit", "stop")
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// recordUntil records into a file until that fails for a reason, and checks that
// all is there that was recorded before.
func recordUntil(t *testing.T, why error, name string, more ...string) {
	t.Helper()
	base := filepath.Base(name)
	args := []string{"record", `\Memory\*`, `\Processor(*)\*`, "-i", "0.01", "--progress", "-o", name}
	stderr := fails(t, why, base, append(args, more...)...)
	acknowledged := 0
	for line := range strings.Lines(stderr) {
		if number, _, ok := strings.Cut(line, " samples,"); ok {
			if n, err := strconv.Atoi(number); err == nil {
				acknowledged = n
			}
		}
	}
	held, damage := samplesIn(t, name)
	if acknowledged < 10 || held < acknowledged || damage > 0 {
		t.Errorf("%s: %d samples and %d places of damage, %d were acknowledged", base, held, damage, acknowledged)
	}
}

// TestDiskFullRotation records in ever new files until the disk is full: all of
// them are there.
func TestDiskFullRotation(t *testing.T) {
	disk := smallDisk(t, 256)
	fails(t, unix.ENOSPC, "part_", "record", `\Memory\*`, `\Processor(*)\*`, "-i", "0.01", "--quiet",
		"--max-samples", "20", "--at-limit", "new", "-o", filepath.Join(disk, "part_{serial}.capture"))
	parts, err := filepath.Glob(filepath.Join(disk, "part_*"))
	if err != nil || len(parts) < 3 {
		t.Fatalf("files %q: %v", parts, err)
	}
	for i, name := range parts {
		if held, damage := samplesIn(t, name); held != 20 && i < len(parts)-1 || damage > 0 {
			t.Errorf("%s has %d samples, want 20, and %d places of damage", filepath.Base(name), held, damage)
		}
	}
}

// TestDiskFullConvert converts onto a disk with too little room: there is nothing
// of the new file, and what had its name before is still there.
func TestDiskFullConvert(t *testing.T) {
	disk := smallDisk(t, 16)
	log := filepath.Join(t.TempDir(), "log.capture")
	var stderr bytes.Buffer // it may tell that samples were missed
	args := []string{"record", "-i", "0.01", "-n", "10", "--quiet", "-o", log}
	status := Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr)
	denied := strings.Contains(stderr.String(), "no permission to read")
	if want := map[bool]int{false: console.ExitDone, true: console.ExitPartial}[denied]; status != want {
		t.Fatalf("%q: status %d, %s", args, status, &stderr)
	}
	for _, format := range []string{"csv", "tsv", "jsonl", "json", "blg", "capture"} {
		name := filepath.Join(disk, "out."+format)
		if err := os.WriteFile(name, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
		fails(t, unix.ENOSPC, "out."+format, "convert", log, "--overwrite", "-o", name)
		if got := content(t, name); got != "before" {
			t.Errorf("%s: what was there before is now %d bytes", format, len(got))
		}
		if left, err := filepath.Glob(filepath.Join(disk, "*")); err != nil || len(left) != 1 {
			t.Errorf("%s: left are %q, %v", format, left, err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDiskFullOutput writes output of every kind onto a disk without room.
func TestDiskFullOutput(t *testing.T) {
	disk, dir := smallDisk(t, 64), t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	record := "perfdata:" + in("one.bin") + "," + in("two.bin") + "?names=" + in("names.tsv")
	log, schema := in("log.csv"), in("app.json")
	run(t, "convert", record, "-o", log)
	if err := os.WriteFile(schema, run(t, "provider", "init", "--example"), 0o666); err != nil {
		t.Fatal(err)
	}
	fill(t, disk)

	var commands [][]string
	for _, out := range []string{"out.txt", "out.csv", "out.tsv", "out.jsonl", "out.json"} {
		for _, command := range []string{"get", "watch"} {
			commands = append(commands, []string{command, "--source", record, `\*(*)\*`, "-o", out})
		}
	}
	for _, out := range []string{"out.txt", "out.json", "out.bin"} {
		commands = append(commands, []string{"dump", "--source", record, "-o", out})
	}
	commands = append(commands,
		[]string{"list", "--source", record, "-o", "out.jsonl"},
		[]string{"list", "--names", "--source", record, "-o", "out.tsv"},
		[]string{"info", log, "-o", "out.json"}, []string{"info", log, "-o", "out.txt"},
		[]string{"summary", log, "-o", "out.csv"}, []string{"summary", log, "-o", "out.jsonl"},
		[]string{"compare", log, log, "-o", "out.txt"},
		[]string{"convert", log, "-o", "out.tsv"})
	for _, args := range commands {
		name := args[len(args)-1]
		args[len(args)-1] = filepath.Join(disk, name)
		fails(t, unix.ENOSPC, name, args...)
		if err := os.RemoveAll(filepath.Join(disk, name)); err != nil {
			t.Error(err)
		}
	}
	fails(t, unix.ENOSPC, "app.ini", "provider", "init", schema, "--dir", disk)
}

// TestDiskFullWatch watches until the disk is full: every line that is there is
// whole but the last.
func TestDiskFullWatch(t *testing.T) {
	disk := smallDisk(t, 64)
	name := filepath.Join(disk, "watch.jsonl")
	fails(t, unix.ENOSPC, "watch.jsonl", "watch", `\Memory\*`, "-i", "0.01", "-o", name)
	whole := strings.SplitAfter(content(t, name), "\n")
	for _, line := range whole[:len(whole)-1] {
		var r reading
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if len(whole) < 50 {
		t.Errorf("%d lines", len(whole))
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(disk, "watch.csv")
	fails(t, unix.ENOSPC, "watch.csv", "watch", `\Memory\*`, "-i", "0.01", "-o", name)
	if rows, damage := samplesIn(t, name); rows < 50 || damage > 1 {
		t.Errorf("%d rows and %d places of damage", rows, damage)
	}
}

// TestFileTooLarge records under a limit of the size of files, which the system
// tells by a signal too.
func TestFileTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel() // it waits most of the time
	for _, format := range []string{"capture", "csv", "jsonl", "blg"} {
		name := filepath.Join(t.TempDir(), "limited."+format)
		cmd := process(t, "winperf", "record", `\Memory\*`, `\Processor(*)\*`, "-i", "0.01", "--quiet", "-o", name)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		limit := unix.Rlimit{Cur: 200_000, Max: 200_000}
		if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the status is looked at below
		status := cmd.ProcessState.ExitCode()
		if status != console.ExitFailed || !strings.Contains(stderr.String(), "limited."+format) {
			t.Errorf("%s: status %d, standard error %q", format, status, tail(stderr.String()))
		}
		if held, damage := samplesIn(t, name); held < 10 || damage > 0 {
			t.Errorf("%s: %d samples and %d places of damage", format, held, damage)
		}
	}
}

// TestDiskBroken writes to a file that fails as a broken disk does: the memory of
// the program at an address that it does not have.
func TestDiskBroken(t *testing.T) {
	const broken = "/proc/self/mem"
	for _, args := range [][]string{
		{"record", `\Memory\*`, "-n", "3", "-i", "0.01", "--overwrite", "-f", "capture"},
		{"record", `\Memory\*`, "-n", "3", "-i", "0.01", "--overwrite", "-f", "csv"},
		{"record", `\Memory\*`, "-n", "3", "-i", "0.01", "--overwrite", "-f", "jsonl"},
		{"record", `\Memory\*`, "-n", "3", "-i", "0.01", "--overwrite", "-f", "blg"},
		{"watch", `\Memory\*`, "-n", "3", "-i", "0.01", "--overwrite", "-f", "csv"},
		{"get", `\Memory\*`, "--overwrite", "-f", "json"}, {"dump", "--overwrite", "-f", "text"},
		{"list", "--overwrite", "-f", "jsonl"},
	} {
		cmd := process(t, "winperf", append(args, "-o", broken)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_ = cmd.Run() // the status is looked at below
		text, status := stderr.String(), cmd.ProcessState.ExitCode()
		told := strings.Contains(text, syscall.EIO.Error()) && strings.Contains(text, broken)
		if status != console.ExitFailed || !told {
			t.Errorf("%q: status %d, standard error %q", args, status, tail(text))
		}
	}
}
