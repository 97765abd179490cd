package cli

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/winperf/winperf/internal/perftest"
)

// peak runs a command and writes the most memory that it had, in KiB, to the
// file $PEAK. The system counts what a process had before it became another
// program, so the one that starts the command must be small.
func peak() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	_ = cmd.Run() // the status is handed on below
	most := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(os.Getenv("PEAK"), []byte(strconv.Itoa(int(most))), 0o666); err != nil {
		panic(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// TestDumpMemory checks that a damaged file is dumped, as far as it goes, within
// four times its size of memory, and with one line of error.
func TestDumpMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	program := buildProgram(t, dir)
	block := perftest.Block(perftest.Huge)
	overwritten := bytes.Clone(block)
	for i := 100_000; i < len(block); i += 500_000 {
		copy(overwritten[i:], "\xff\xff\xff\xff")
	}
	for name, damaged := range map[string][]byte{
		"cut":         block[:len(block)-1000],
		"overwritten": overwritten,
		"no block":    []byte(hex.EncodeToString(block[:len(block)/2])),
	} {
		file := filepath.Join(dir, name+".bin")
		if err := os.WriteFile(file, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"text", "json", "bin"} {
			var stdout, stderr bytes.Buffer
			cmd := process(t, "peak", program, "dump", file, "-o", format)
			peakFile := filepath.Join(dir, "peak")
			cmd.Env = append(os.Environ(), "PEAK="+peakFile)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the status is looked at below
			status := cmd.ProcessState.ExitCode()
			if want := map[bool]int{true: exitPartial, false: exitFailed}[stdout.Len() > 0]; status != want {
				t.Errorf("%s as %s: status %d, want %d with %d bytes of output", name, format, status, want, stdout.Len())
			}
			if strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), " at byte ") {
				t.Errorf("%s as %s: standard error is %q, want one line with an offset", name, format, &stderr)
			}
			used, err := os.ReadFile(peakFile)
			if err != nil {
				t.Fatal(err)
			}
			kib, err := strconv.Atoi(string(used))
			if most := 4 * len(damaged); err != nil || kib<<10 > most {
				t.Errorf("%s as %s: %s KiB of memory, want at most %d; %v", name, format, used, most>>10, err)
			}
		}
	}
}
