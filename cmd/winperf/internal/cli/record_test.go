package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecordFull checks that a disk that is full is an error.
func TestRecordFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	dir := t.TempDir()
	if err := writeRecord(dir); err != nil {
		t.Fatal(err)
	}
	src := "perfdata:" + filepath.Join(dir, "one.bin") + "?names=" + filepath.Join(dir, "names.tsv")
	for _, format := range []string{"capture", "blg", "csv", "jsonl"} {
		var stderr strings.Builder
		status := Run(context.Background(), []string{"record", "--source", src, `\Memory\Available MBytes`, "-f", format, "-o", "/dev/full", "--overwrite"}, strings.NewReader(""), io.Discard, &stderr)
		if status != exitFailed || strings.Count(stderr.String(), "no space left on device") != 1 {
			t.Errorf("%s: status %d, %s", format, status, &stderr)
		}
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"100": 100 << 20, "1.5G": 3 << 29, "500K": 500 << 10, "2 mb": 2 << 20, "10B": 10, "1T": 1 << 40, "3KiB": 3 << 10,
		"": -1, "0": -1, "-1": -1, "M": -1, "1X": -1, "1e300": -1, "NaN": -1, "1MM": -1,
	} {
		var v byteSize
		if err := v.Set(text); (err == nil) != (want >= 0) || err == nil && int64(v) != want {
			t.Errorf("%q: %d, %v", text, v, err)
		}
	}
}

// TestRecordSpellings checks that record has the flags that stand for
// logman's.
func TestRecordSpellings(t *testing.T) {
	root := (&program{app: &app{}}).rootCommand()
	for _, cmd := range root.Commands() {
		for name, s := range commandSpellings[cmd.Name()] {
			for _, ours := range append(s.ours, s.without...) {
				flag, isFlag := strings.CutPrefix(ours, "--")
				if isFlag && cmd.Flags().Lookup(flag) == nil {
					t.Errorf("%s: %s has no flag %s", name, cmd.Name(), ours)
				}
			}
		}
	}
}

// TestRecordSyncDue checks that a sample waits for the disk no longer than --sync
// says: that another one follows before that time is over.
func TestRecordSyncDue(t *testing.T) {
	for _, c := range []struct{ every, sync, since time.Duration }{
		{time.Second, 10 * time.Second, 9 * time.Second},
		{time.Second, time.Second, time.Second},
		{5 * time.Second, 2 * time.Second, 5 * time.Second},
		{3 * time.Second, 10 * time.Second, 7 * time.Second},
	} {
		synced := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
		r := recorder{every: interval(c.every), sync: interval(c.sync), synced: synced}
		due := synced.Add(c.since + time.Millisecond) // a sample is never taken to the nanosecond
		if before := due.Add(-c.every); c.since > c.every && r.syncDue(before) {
			t.Errorf("%v, --sync %v: synced after %v already", c.every, c.sync, before.Sub(synced))
		}
		if !r.syncDue(due) {
			t.Errorf("%v, --sync %v: not synced after %v", c.every, c.sync, due.Sub(synced))
		}
		if r.sync = 0; r.syncDue(due) {
			t.Error("synced without --sync")
		}
	}
}
