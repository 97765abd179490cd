package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
)

var errBroken = errors.New("broken")

// brokenForm writes a line for each sample, and of one a part only.
type brokenForm struct {
	w     io.Writer
	fails int // after so many samples; 0 never
}

func (f *brokenForm) write(*measure.Cycle) error {
	if f.fails--; f.fails == 0 {
		_, err := f.w.Write([]byte("par"))
		return errors.Join(errBroken, err)
	}
	_, err := f.w.Write([]byte("whole\n"))
	return err
}

func (f *brokenForm) flush() error { return nil }

func (f *brokenForm) end() error {
	_, err := f.w.Write([]byte("end\n"))
	return err
}

// newBroken returns files of which form n, from 1, fails, at its sample fails.
func newBroken(pattern string, l limitFlags, n, fails int) *recordFiles {
	made := 0
	return &recordFiles{
		names:  &fileNames{pattern: pattern},
		limits: l,
		newForm: func(f *recordFile, _ *recordTail) (recordForm, error) {
			if made++; made == n && fails == 0 {
				return nil, errBroken
			}
			form := &brokenForm{w: f}
			if made == n {
				form.fails = fails
			}
			return form, nil
		},
	}
}

// addSamples records samples a second apart, until one fails.
func addSamples(s *recordFiles, n int) (added int, err error) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for ; added < n; added++ {
		if _, err = s.add(context.Background(), &measure.Cycle{}, at.Add(time.Duration(added)*time.Second)); err != nil {
			break
		}
	}
	return added, errors.Join(err, s.close())
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRecordWriteFails checks that a sample that cannot be written leaves the
// file as it was.
func TestRecordWriteFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	added, err := addSamples(newBroken(name, limitFlags{action: limitStop}, 1, 4), 10)
	if added != 3 || !errors.Is(err, errBroken) || !strings.Contains(err.Error(), name) {
		t.Errorf("%d samples, %v", added, err)
	}
	if got := content(t, name); got != strings.Repeat("whole\n", 3) {
		t.Errorf("the file has %q", got)
	}
}

// TestRecordFirstWriteFails checks that a new file is not left without a sample, and
// is not counted.
func TestRecordFirstWriteFails(t *testing.T) {
	for before := range 2 {
		dir := t.TempDir()
		limits := limitFlags{samples: 3, action: limitNew}
		s := newBroken(filepath.Join(dir, "x_{serial}"), limits, before+1, 1)
		added, err := addSamples(s, 10)
		if added != 3*before || !errors.Is(err, errBroken) {
			t.Errorf("%d samples, %v", added, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || s.files != before || len(files) != before || before > 0 && s.name != files[0] {
			t.Errorf("%q is there, told are %d and %q; %v", files, s.files, s.name, err)
		}
	}

	// What the user named is not taken away.
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("before\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newBroken(name, limitFlags{action: limitStop}, 1, 1)
	s.mode = openAppend
	if _, err := addSamples(s, 1); !errors.Is(err, errBroken) || content(t, name) != "before\n" {
		t.Errorf("%v, the file has %q", err, content(t, name))
	}
}

// endlessForm cannot be completed.
type endlessForm struct{ *brokenForm }

func (endlessForm) end() error { return errBroken }

// TestRecordEndFails checks that the size of a file that could not be completed is
// told all the same.
func TestRecordEndFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	s := newBroken(name, limitFlags{action: limitStop}, 0, 0)
	s.newForm = func(f *recordFile, _ *recordTail) (recordForm, error) { return endlessForm{&brokenForm{w: f}}, nil }
	added, err := addSamples(s, 3)
	if added != 3 || !errors.Is(err, errBroken) || s.size != int64(len(content(t, name))) || s.size == 0 {
		t.Errorf("%d samples of %d bytes in %q, %v", added, s.size, content(t, name), err)
	}
}

// TestRecordRotationFails checks that the sample at hand is not lost when the
// next file cannot be begun.
func TestRecordRotationFails(t *testing.T) {
	dir := t.TempDir()
	limits := limitFlags{samples: 3, action: limitNew}
	_, err := addSamples(newBroken(filepath.Join(dir, "x_{serial}"), limits, 3, 0), 10)
	if !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	for name, want := range map[string]int{"x_000001": 3, "x_000002": 4} {
		if got := content(t, filepath.Join(dir, name)); got != strings.Repeat("whole\n", want)+"end\n" {
			t.Errorf("%s has %q", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x_000003")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that could not be begun is still there: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "y"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := newBroken(filepath.Join(dir, "y", "{serial}", "x"), limits, 0, 0)
	if _, err := addSamples(s, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
}

// TestRecordCircular checks what is kept.
func TestRecordCircular(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const line = len("whole\n")
	for name, test := range map[string]struct {
		limits      limitFlags
		least, most int // samples that are kept
	}{
		"samples":   {limitFlags{samples: 16}, 16, 18},
		"few":       {limitFlags{samples: 1}, 1, 2},
		"size":      {limitFlags{size: byteSize(100 * line)}, 70, 100},
		"time":      {limitFlags{time: interval(80 * time.Second)}, 80, 100},
		"unlimited": {limitFlags{samples: 1000}, 300, 300},
	} {
		dir := t.TempDir()
		test.limits.action = limitCircular
		if added, err := addSamples(newBroken(filepath.Join(dir, "x_{serial}"), test.limits, 0, 0), 300); added != 300 || err != nil {
			t.Fatalf("%s: %d samples, %v", name, added, err)
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for _, f := range files {
			kept += strings.Count(content(t, filepath.Join(dir, f.Name())), "whole")
		}
		if kept < test.least || kept > test.most {
			t.Errorf("%s: %d samples are kept, want %d to %d", name, kept, test.least, test.most)
		}
	}
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

func TestFileNames(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		pattern string
		several bool
		want    []string
	}{
		{"a.csv", false, []string{"a.csv", "a.csv"}},
		{"a.csv", true, []string{"a_000001.csv", "a_000002.csv"}},
		{"a_{time}", true, []string{"a_20260102-150405_000001"}},
		{"{host}/{date}.{serial}.x", true, []string{"A_B/20260102.000001.x", "A_B/20260102.000002.x"}},
		{"{mmddhhmm}.x", false, []string{"01021504.x"}},
	} {
		n, err := newFileNames(test.pattern, `A\B`, test.several)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if got := n.next(at); got != want {
				t.Errorf("%s: %s, want %s", test.pattern, got, want)
			}
		}
	}
}

// TestRecordSpellings checks that record has the flags that stand for
// logman's.
func TestRecordSpellings(t *testing.T) {
	root := (&app{}).rootCommand()
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

// TestFileNamesFree checks that a locked file of the pattern is found, whatever
// its number, and no other file counts.
func TestFileNamesFree(t *testing.T) {
	dir := t.TempDir()
	n := &fileNames{pattern: filepath.Join(dir, "x[1]_{date}_{serial}.csv")}
	for name, busy := range map[string]bool{
		"x[1]_20260102_000007.csv": true, "x[1]_2026_1.csv": true,
		"x1_20260102_000007.csv": false, "x[1]_20260102_000007.csv2": false,
	} {
		if err := n.free(time.Now()); err != nil {
			t.Fatal(err)
		}
		f, err := (&target{name: filepath.Join(dir, name)}).create(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.free(time.Now()); errors.Is(err, errInUse) != busy {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
