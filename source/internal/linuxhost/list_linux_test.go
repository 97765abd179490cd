package linuxhost

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListDirectory lists a directory of many entries, and again after one was
// made anew.
func TestListDirectory(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a file", "b#1 (x)", "c"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var dirs []string
	for i := range 500 { // more than one call returns
		name := "directory" + string(rune('0'+i%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i/100))
		dirs = append(dirs, name)
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("c", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root := newRoot(filesIn(t, dir))
	r := reader{root: root, limit: 10}
	top := file{name: "."}
	var l Listing
	if err := errors.Join(r.list(&top, &l), r.list(&top, &l)); err != nil {
		t.Fatal(err)
	}
	var gotFiles, gotDirs []string
	ids := map[uint64]bool{}
	for i := range l.Len() {
		e := l.At(i)
		ids[e.ID] = true
		if e.Dir {
			gotDirs = append(gotDirs, string(e.Name))
		} else {
			gotFiles = append(gotFiles, string(e.Name))
		}
	}
	slices.Sort(gotFiles)
	slices.Sort(gotDirs)
	slices.Sort(dirs)
	if !slices.Equal(gotFiles, append(names, "link")) || !slices.Equal(gotDirs, dirs) || len(ids) != l.Len() {
		t.Errorf("files %q, %d directories, %d ids", gotFiles, len(gotDirs), len(ids))
	}
	if err := errors.Join(r.closeAll(), root.List(0, &l)); err == nil {
		t.Error("what is not open can be listed")
	}
}

// TestListAllocatesNothing lists names that are too long for a string that
// lives on the stack.
func TestListAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	for i := range 10 {
		if err := os.Mkdir(filepath.Join(dir, strings.Repeat(string(rune('a'+i)), 200)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	r := reader{root: newRoot(filesIn(t, dir)), limit: 10}
	top := file{name: "."}
	var l Listing
	var err error
	n := testing.AllocsPerRun(20, func() { err = errors.Join(err, r.list(&top, &l)) })
	if err != nil || l.Len() != 10 || n != 0 {
		t.Errorf("%d entries, %v allocations, %v", l.Len(), n, err)
	}
	if err := r.closeAll(); err != nil {
		t.Error(err)
	}
}
