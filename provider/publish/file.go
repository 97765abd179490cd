package publish

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// newFile creates a file in the first directory that takes one, and locks it.
func newFile(dirs []directory, driver, group string) (*os.File, error) {
	var errs []error
	for _, d := range dirs {
		err := d.prepare()
		if err == nil {
			sweep(d.path)
			var f *os.File
			if f, err = newLocked(d.path, driver, group); err == nil {
				return f, nil
			}
		}
		errs = append(errs, fmt.Errorf("publish in %s: %w", d.path, err))
	}
	if len(errs) == 0 {
		return nil, fmt.Errorf("no directory to publish in: %w", fs.ErrNotExist)
	}
	return nil, errors.Join(errs...)
}

// attempts is how often a file is created anew because somebody was in the way.
const attempts = 16

// newLocked creates a file, takes its lock and lets others read it. Before the
// lock is taken the file may look like a leftover to others, who lock and remove
// it.
func newLocked(dir, driver, group string) (*os.File, error) {
	for range attempts {
		path := filepath.Join(dir, fileName(driver))
		f, err := createFile(path, group)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		locked, err := tryLock(f, true)
		if err == nil && locked && isAt(f, path) {
			if err = admitReaders(f, group); err == nil {
				return f, nil
			}
		}
		_ = os.Remove(path) // it may be gone
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("somebody locks every file: %w", fs.ErrPermission)
}

// isAt tells whether the file is still the one with the path.
func isAt(f *os.File, path string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// fileName makes a name for a file that no other has.
func fileName(driver string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, driver)
	return plain + "-" + rand.Text() + Suffix
}

// sweep removes the files of a directory whose publishers are gone.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) && e.Type().IsRegular() {
			reclaim(filepath.Join(dir, e.Name()))
		}
	}
}

// reclaim removes a file if nobody holds its lock and it may be removed: by who
// owns it, or by an administrator.
func reclaim(path string) {
	f, err := openOwn(path)
	if err != nil {
		return
	}
	defer f.Close()

	// With the lock in hand nobody can begin to publish in this file.
	if locked, err := tryLock(f, true); err == nil && locked && isAt(f, path) {
		_ = os.Remove(path) // whose it is, or the next publisher, does it else
	}
}
