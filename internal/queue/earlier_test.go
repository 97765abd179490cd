package queue

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/winperf/winperf"
)

// earlier copies a directory that the version before wrote.
func earlier(t *testing.T, name string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "queue")
	must(t, os.MkdirAll(dir, 0o700))
	files, err := filepath.Glob(filepath.Join("testdata", "earlier", name, "*"))
	must(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600))
	}
	return dir
}

// A directory of samples of the version before is read from where its reader was. What is acknowledged and
// appended then is so after a restart, too.
func TestEarlierSamples(t *testing.T) {
	dir := earlier(t, "samples") // 12 samples from number 0 on in three files, of which 6 are acknowledged
	for _, want := range [][]int{{6, 7, 8, 9, 10, 11, 100}, {9, 10, 11, 100, 100}} {
		q, err := OpenSamples(dir, Options{Readers: []string{"target"}})
		must(t, err)
		raw := winperf.Raw{Format: winperf.FormatV1, Bytes: []byte("00000100")}
		must(t, q.Append(raw.Sample()))

		r := q.Reader("target")
		var got []int
		var third uint64
		for range want {
			var s winperf.Sample
			number, err := r.Next(t.Context(), &s)
			must(t, err)
			n, err := strconv.Atoi(string(s.Parts[0].Block.Bytes[:8]))
			must(t, err)
			if got = append(got, n); len(got) == 3 {
				third = number
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
		must(t, r.Done(third))
		must(t, q.Close())
		if _, err := os.Stat(filepath.Join(dir, earlierName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there, error %v", earlierName, err)
		}
	}
}

// A directory of entries of the version before is read from where each of its readers was.
func TestEarlierEntries(t *testing.T) {
	dir := earlier(t, "entries") // 12 entries; a has acknowledged 3 and b 6
	o := Options{Readers: []string{"a", "b"}}
	q := openEntries(t, dir, o)
	appendAll(t, q, texts(13, 13))
	expect(t, q.Reader("a"), 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
	expect(t, q.Reader("b"), 0, 7, 8, 9, 10, 11, 12, 13)
	must(t, q.Reader("a").Done(12))
	must(t, q.Close())

	q = openEntries(t, dir, o)
	appendAll(t, q, texts(14, 14))
	expect(t, q.Reader("a"), 0, 13, 14)
	expect(t, q.Reader("b"), 0, 7, 8, 9, 10, 11, 12, 13, 14)
}
