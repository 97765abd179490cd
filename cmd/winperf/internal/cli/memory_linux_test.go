package cli

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/perftest"
)

// A meter tells how much memory commands have.
type meter struct {
	starter string // the program that starts them
	dir     string
}

func newMeter(t *testing.T, dir string) meter {
	t.Helper()
	return meter{build(t, filepath.Join(dir, "starter"), "./testdata/peak"), dir}
}

// run runs a command to its end.
func (m meter) run(t *testing.T, args ...string) measured {
	t.Helper()
	file := filepath.Join(m.dir, "peak")
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(m.starter, append([]string{file}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // callers look at the status

	used, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.Atoi(string(used))
	if err != nil {
		t.Fatal(err)
	}
	return measured{kib, cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// A measured command has ended.
type measured struct {
	kib            int // the most memory that it had
	status         int
	stdout, stderr string
}

// peak is the most memory, in KiB, of a command that is to end with a status.
func (m meter) peak(t *testing.T, status int, args ...string) int {
	t.Helper()
	got := m.run(t, args...)
	if got.status != status {
		t.Fatalf("%q: status %d, want %d\n%s%s", args, got.status, status, got.stdout, got.stderr)
	}
	return got.kib
}

// TestDumpMemory checks that a damaged file is dumped, as far as it goes, within
// four times its size of memory, and with one line of error.
func TestDumpMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	program, memory := buildProgram(t, dir), newMeter(t, dir)
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
			got := memory.run(t, program, "dump", file, "-o", format)
			if want := map[bool]int{true: console.ExitPartial, false: console.ExitFailed}[got.stdout != ""]; got.status != want {
				t.Errorf("%s as %s: status %d, want %d with %d bytes of output", name, format, got.status, want, len(got.stdout))
			}
			if strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, " at byte ") {
				t.Errorf("%s as %s: standard error is %q, want one line with an offset", name, format, got.stderr)
			}
			if most := 4 * len(damaged) >> 10; got.kib > most {
				t.Errorf("%s as %s: %d KiB of memory, want at most %d", name, format, got.kib, most)
			}
		}
	}
}
