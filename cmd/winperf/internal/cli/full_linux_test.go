package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// fullDisk is a place where little can be written.
type fullDisk struct {
	dir  string
	run  func(args ...string) *exec.Cmd // of winperf
	want string                         // the system's words
}

// diskRoom is how much fits.
const diskRoom = 200 << 10

// fullDisks are a directory with a limit of the size of files, and a small file
// system where one can be mounted.
func fullDisks(t *testing.T) map[string]fullDisk {
	t.Helper()
	program, dir := linked(t), t.TempDir()
	limited := func(args ...string) *exec.Cmd {
		limit := fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, diskRoom/512)
		return exec.Command("sh", append([]string{"-c", limit, program}, args...)...)
	}
	disks := map[string]fullDisk{"limit": {dir, limited, "file too large"}}

	mounted := t.TempDir()
	if err := syscall.Mount("tmpfs", mounted, "tmpfs", 0, fmt.Sprintf("size=%d", diskRoom)); err != nil {
		t.Logf("skipped: no file system can be mounted here: %v", err)
		return disks
	}
	t.Cleanup(func() { _ = syscall.Unmount(mounted, 0) }) // or what follows tells
	free := func(args ...string) *exec.Cmd { return exec.Command(program, args...) }
	disks["disk"] = fullDisk{mounted, free, "no space left on device"}
	return disks
}

// TestFullDisk fills a disk in every format: the program says so once and ends
// with status 1, and what was recorded before can be read.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel() // it waits most of the time
	path := livePath(t)
	counters := []string{`\Processor(*)\*`, `\Memory\*`, path, "-i", "0.01"}
	log := filepath.Join(t.TempDir(), "log.capture")
	args := append([]string{"record", "-n", "700", "-o", log}, counters...)
	if out, err := process(t, "winperf", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for kind, disk := range fullDisks(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			fillDisk(t, disk, log, counters)
		})
	}
}

func fillDisk(t *testing.T, disk fullDisk, log string, counters []string) {
	t.Helper()
	for _, format := range []string{"capture", "blg", "csv", "tsv", "jsonl"} {
		t.Run(format, func(t *testing.T) { fillRecording(t, disk, format, counters) })
	}
	t.Run("blg of objects", func(t *testing.T) {
		fillRecording(t, disk, "blg", []string{"-i", "0.01", "--source", "local:?procfs=" + oneProcess(t)})
	})
	for _, format := range []string{"blg", "csv", "tsv", "json", "jsonl"} {
		t.Run("convert to "+format, func(t *testing.T) {
			fillOutput(t, disk, false, "convert", log, "-o", "x."+format)
		})
		if format == "blg" {
			continue
		}
		t.Run("watch as "+format, func(t *testing.T) {
			watch := []string{"watch", "--source", log, "-o", "x." + format}
			fillOutput(t, disk, true, append(watch, counters[:3]...)...)
		})
	}
}

// oneProcess returns a directory like /proc with a single process. One sample of all objects of a machine with many
// processes fills the disk.
func oneProcess(t *testing.T) string {
	t.Helper()
	files, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	for _, f := range files {
		if pid, err := strconv.Atoi(f.Name()); err == nil && pid != os.Getpid() {
			continue
		}
		if err := os.Symlink("/proc/"+f.Name(), filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// fillRecording records until the disk is full.
func fillRecording(t *testing.T, disk fullDisk, format string, counters []string) {
	t.Helper()
	name := filepath.Join(disk.dir, "x."+format)
	t.Cleanup(func() { _ = os.Remove(name) }) // to make room
	cmd := disk.run(append([]string{"record", "--progress", "-o", name}, counters...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run() // the status is looked at below

	acknowledged, told := 0, 0
	for line := range strings.Lines(stderr.String()) {
		number, _, _ := strings.Cut(line, " sample")
		if n, err := strconv.Atoi(number); err == nil {
			acknowledged = n
		}
		told += strings.Count(line, disk.want)
	}
	if status := cmd.ProcessState.ExitCode(); status != console.ExitFailed || told != 1 {
		t.Fatalf("status %d, told %d times: %s", status, told, &stderr)
	}

	samples, damage := samplesIn(t, name)
	if damage > 0 || samples != acknowledged {
		t.Errorf("%d samples and %d places of damage; %d were acknowledged", samples, damage, acknowledged)
	}
}

// fillOutput writes output until the disk is full.
func fillOutput(t *testing.T, disk fullDisk, stays bool, args ...string) {
	t.Helper()
	cmd := disk.run(args...)
	cmd.Dir = disk.dir
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	status, told := cmd.ProcessState.ExitCode(), strings.Count(string(text), disk.want)
	if status != console.ExitFailed || told != 1 || strings.Count(string(text), "\n") != 1 {
		t.Errorf("status %d, %s", status, text)
	}
	left, err := os.ReadDir(disk.dir)
	if err != nil || stays != (len(left) == 1) || len(left) > 1 {
		t.Errorf("%v is there, %v", left, err)
	}
	for _, f := range left {
		if err := os.Remove(filepath.Join(disk.dir, f.Name())); err != nil {
			t.Error(err)
		}
	}
}
