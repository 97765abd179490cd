package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errBroken = errors.New("broken")

// brokenForm writes a line for each sample, and of one a part only.
type brokenForm struct {
	w     io.Writer
	fails int // after so many samples; 0 never
}

func (f *brokenForm) Write(*Moment) error {
	if f.fails--; f.fails == 0 {
		_, err := f.w.Write([]byte("par"))
		return errors.Join(errBroken, err)
	}
	_, err := f.w.Write([]byte("whole\n"))
	return err
}

func (f *brokenForm) Flush() error { return nil }

func (f *brokenForm) Late() int { return 0 }

func (f *brokenForm) Close() error {
	_, err := f.w.Write([]byte("end\n"))
	return err
}

// newBroken returns files of which form n, from 1, fails, at its sample fails.
func newBroken(pattern string, l Limits, n, fails int) *Files {
	made := 0
	return &Files{
		Names: &Names{pattern: pattern}, Limits: l,
		Open: func(_ context.Context, name string) (*os.File, bool, error) {
			f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			return f, true, err
		},
		NewWriter: func(w io.Writer, _ string, _ *Tail) (Writer, error) {
			if made++; made == n && fails == 0 {
				return nil, errBroken
			}
			form := &brokenForm{w: w}
			if made == n {
				form.fails = fails
			}
			return form, nil
		},
	}
}

// openPlain opens a file whether it is there or not.
func openPlain(_ context.Context, name string) (*os.File, bool, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	return f, false, err
}

// addSamples records samples a second apart, until one fails.
func addSamples(s *Files, n int) (added int, err error) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for ; added < n; added++ {
		if _, err = s.Add(context.Background(), &Moment{}, at.Add(time.Duration(added)*time.Second)); err != nil {
			break
		}
	}
	return added, errors.Join(err, s.Close())
}

// TestFilesWriteFails checks that a sample that cannot be written leaves the
// file as it was.
func TestFilesWriteFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	added, err := addSamples(newBroken(name, Limits{Action: Stop}, 1, 4), 10)
	if added != 3 || !errors.Is(err, errBroken) || !strings.Contains(err.Error(), name) {
		t.Errorf("%d samples, %v", added, err)
	}
	if got := content(t, name); got != strings.Repeat("whole\n", 3) {
		t.Errorf("the file has %q", got)
	}
}

// TestFilesFirstWriteFails checks that a new file is not left without a sample, and
// is not counted.
func TestFilesFirstWriteFails(t *testing.T) {
	for before := range 2 {
		dir := t.TempDir()
		limits := Limits{Samples: 3, Action: New}
		s := newBroken(filepath.Join(dir, "x_{serial}"), limits, before+1, 1)
		added, err := addSamples(s, 10)
		if added != 3*before || !errors.Is(err, errBroken) {
			t.Errorf("%d samples, %v", added, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || s.written.Files != before || len(files) != before || before > 0 && s.written.Name != files[0] {
			t.Errorf("%q is there, told are %d and %q; %v", files, s.written.Files, s.written.Name, err)
		}
	}

	// What the user named is not taken away.
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := newBroken(name, Limits{Action: Stop}, 1, 1)
	s.Append = true
	s.Open = openPlain
	s.Format = "jsonl"
	if _, err := addSamples(s, 1); !errors.Is(err, errBroken) || content(t, name) != "{}\n" {
		t.Errorf("%v, the file has %q", err, content(t, name))
	}
}

// endlessForm cannot be completed.
type endlessForm struct{ *brokenForm }

func (endlessForm) Close() error { return errBroken }

// TestFilesEndFails checks that the size of a file that could not be completed is
// told all the same.
func TestFilesEndFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	s := newBroken(name, Limits{Action: Stop}, 0, 0)
	s.NewWriter = func(w io.Writer, _ string, _ *Tail) (Writer, error) { return endlessForm{&brokenForm{w: w}}, nil }
	added, err := addSamples(s, 3)
	if added != 3 || !errors.Is(err, errBroken) || s.written.Size != int64(len(content(t, name))) || s.written.Size == 0 {
		t.Errorf("%d samples of %d bytes in %q, %v", added, s.written.Size, content(t, name), err)
	}
}

// TestFilesRotationFails checks that the sample at hand is not lost when the
// next file cannot be begun.
func TestFilesRotationFails(t *testing.T) {
	dir := t.TempDir()
	limits := Limits{Samples: 3, Action: New}
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

// TestFilesCircular checks what is kept.
func TestFilesCircular(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	const line = len("whole\n")
	for name, test := range map[string]struct {
		limits      Limits
		least, most int // samples that are kept
	}{
		"samples":   {Limits{Samples: 16}, 16, 18},
		"few":       {Limits{Samples: 1}, 1, 2},
		"size":      {Limits{Size: int64(100 * line)}, 70, 100},
		"time":      {Limits{Time: 80 * time.Second}, 80, 100},
		"unlimited": {Limits{Samples: 1000}, 300, 300},
	} {
		dir := t.TempDir()
		test.limits.Action = Circular
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

// TestFilesCircularAgain: a circular recording that continues an earlier one removes its files first, and
// no other files.
func TestFilesCircularAgain(t *testing.T) {
	dir := t.TempDir()
	others := []string{"x_incident", "x_000001.old", "y_000001", "x_1"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("whole\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	for range 3 {
		f := newBroken(filepath.Join(dir, "x_{serial}"), Limits{Samples: 16, Action: Circular}, 0, 0)
		f.Append = true
		if added, err := addSamples(f, 40); added != 40 || err != nil {
			t.Fatalf("%d samples, %v", added, err)
		}
	}
	var left []string
	for _, name := range filesLike(dir, regexp.MustCompile("")) {
		left = append(left, filepath.Base(name))
	}
	want := []string{"x_000001.old"}
	for serial := 52; serial <= 60; serial++ {
		want = append(want, fmt.Sprintf("x_%06d", serial))
	}
	want = append(want, "x_1", "x_incident", "y_000001")
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestNames(t *testing.T) {
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
		n, err := NewNames(test.pattern, "", `A\B`, test.several)
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

// TestNamesFree checks that a file of the pattern that is written is found, whatever
// its number, and no other file counts.
func TestNamesFree(t *testing.T) {
	dir := t.TempDir()
	n := &Names{pattern: filepath.Join(dir, "x[1]_{date}_{serial}.csv")}
	for name, busy := range map[string]bool{
		"x[1]_20260102_000007.csv": true, "x[1]_2026_1.csv": true,
		"x1_20260102_000007.csv": false, "x[1]_20260102_000007.csv2": false,
	} {
		name = filepath.Join(dir, name)
		look := func(file string) error {
			if file == name {
				return errBroken
			}
			return nil
		}
		if err := n.Free(n.next(time.Now()), look); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := n.Free(n.next(time.Now()), look); errors.Is(err, errBroken) != busy {
			t.Errorf("%s: %v", name, err)
		}
	}
}
