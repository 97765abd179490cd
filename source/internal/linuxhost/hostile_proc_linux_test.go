package linuxhost

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/winperf/winperf/internal/perftest"
)

// TestHostileTree reads files of a directory that are not files, and such as have
// no end.
func TestHostileTree(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	hostileTree(t, perftest.SuiteCases(12))
}

// TestSoakHostileTree is TestHostileTree for as long as WINPERF_SOAK says.
func TestSoakHostileTree(t *testing.T) {
	hostileTree(t, perftest.SoakCases(t))
}

// strange are what a name may stand for instead of a file that the kernel made.
var strange = map[string]func(path string) error{
	"directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "1", "2"), 0o777) },
	"endless":   func(path string) error { return os.Symlink("/dev/zero", path) },
	"empty":     func(path string) error { return os.Symlink("/dev/null", path) },
	"circle":    func(path string) error { return os.Symlink(path, path) },
	"nowhere":   func(path string) error { return os.Symlink(path+"-gone", path) },
	"broken":    func(path string) error { return os.Symlink("/proc/self/mem", path) }, // reading fails: EIO
	"long line": func(path string) error {
		return os.WriteFile(path,
			bytes.Repeat([]byte{'7'}, 1<<20), 0o666)
	},
	"holes": func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 1<<40))
	},
	"gone": func(string) error { return nil },
	"pipe": func(path string) error { return unix.Mkfifo(path, 0o600) }, // that has no writer
}

// hostileTree puts strange things in the place of files, as hostileProc damages
// them: before a session is opened and between its samples.
func hostileTree(t *testing.T, cases *perftest.Cases) {
	files := hostileFiles(t)
	kinds := slices.Sorted(maps.Keys(strange))
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool {
		return witnessFile.MatchString(name) || strings.HasSuffix(name, "/fd") // its size is what counts
	})
	dir := filepath.Join(t.TempDir(), "machine")
	want := map[string]sampleValue(nil)
	for n, r := range cases.All() {
		writeTree(t, dir, files)
		var done []string
		damage := func() {
			for range r.IntN(6) {
				name, kind := names[r.IntN(len(names))], kinds[r.IntN(len(kinds))]
				done = append(done, name+" is "+kind)
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := errors.Join(os.RemoveAll(path), strange[kind](path)); err != nil &&
					!isNoPlace(err) {
					t.Fatalf("%s: %v", done[len(done)-1], err)
				}
			}
		}
		change := func(s *System) {
			s.Root = onlyRoot(newRoot(filesIn(t, dir)))
			s.MaxOpen = 1 + r.IntN(2)*1000 // most files are opened for each sample, or once
		}

		if want == nil { // a whole machine
			want = witnesses(newRig(t, NewMapRoot(nil), change))
		}
		damage()
		rig := newRig(t, NewMapRoot(nil), change)
		rig.lacking = true // what is strange cannot be read, and is told
		for range 3 {
			checkWitnesses(t, witnesses(rig), want)
			if t.Failed() {
				t.Fatalf("round %d, after %q", n, done)
			}
			damage()
			rig.pass(second)
		}
		if err := errors.Join(rig.d.Close(), os.RemoveAll(dir)); err != nil { // a round may hold 1,000 descriptors
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds of %d files, %d values of untouched processes in each sample",
		cases.Done, len(names), len(want))
}

// isNoPlace reports whether the directory of a file is gone.
func isNoPlace(err error) bool {
	none := func(no unix.Errno) bool { return errors.Is(err, no) }
	return none(unix.ENOTDIR) || none(unix.ENOENT) || none(unix.ELOOP) || none(unix.EEXIST)
}

// writeTree makes a directory of files. Of the file of descriptors the size counts.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		if strings.HasSuffix(name, "/fd") {
			text = strings.Repeat("x", len(text))
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
}
