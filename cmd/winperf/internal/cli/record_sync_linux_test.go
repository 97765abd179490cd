package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRecordSync checks, by the calls that the program makes, that --sync puts
// every sample on the disk that was recorded, and the name of every file.
func TestRecordSync(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("skipped: needs strace")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("skipped: strace cannot be used here: %v\n%s", err, out)
	}
	for _, format := range []string{"capture", "blg", "csv", "tsv", "jsonl"} {
		t.Run(format, func(t *testing.T) {
			dir, samples := t.TempDir(), 6
			if err := writeRecord(dir); err != nil {
				t.Fatal(err)
			}
			program := filepath.Join(dir, "winperf")
			if err := os.Symlink(process(t, "").Path, program); err != nil {
				t.Fatal(err)
			}
			source := "perfdata:" + strings.Repeat("one.bin,two.bin,", 2) + "one.bin,two.bin?names=names.tsv"
			cmd := exec.Command(strace, "-f", "-y", "-o", "calls", "-e", "trace=write,fsync",
				program, "record", "--source", source, `\Memory\Available MBytes`,
				"--sync", "0.5", "--max-samples", "3", "--at-limit", "new", "-o", "x."+format)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := syncs(t, dir)
			for _, name := range []string{"x_000001." + format, "x_000002." + format} {
				if calls := got[name]; strings.Count(calls, "ws") < samples/2 || !strings.HasSuffix(calls, "s") {
					t.Errorf("%s: writes and syncs are %q, want a sync behind the writes of each of %d samples",
						name, calls, samples/2)
				}
			}
			if calls := got["."]; strings.Count(calls, "s") != 2 {
				t.Errorf("the directory was synced %d times for two files", len(calls))
			}
		})
	}
}

// syncs are the calls for each file of a directory, and for itself, in their
// order: w is one or several writes, s a sync.
func syncs(t *testing.T, dir string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]string{}
	call := regexp.MustCompile(`(write|fsync)\(\d+<([^>]*)>`)
	for line := range strings.Lines(string(b)) {
		m := call.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name, err := filepath.Rel(dir, m[2])
		if err == nil && !(m[1] == "write" && strings.HasSuffix(calls[name], "w")) {
			calls[name] += map[string]string{"write": "w", "fsync": "s"}[m[1]]
		}
	}
	return calls
}
