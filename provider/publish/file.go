package publish

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/winperf/winperf/internal/pubfile"
)

// newFile creates a file in the first directory that takes one, claims what it is
// going to hold, and locks it.
func newFile(dirs []directory, driver, group string, static []byte) (*os.File, error) {
	var errs []error
	for _, d := range dirs {
		err := d.prepare()
		if err == nil {
			sweep(d.path)
			var f *os.File
			if f, err = newLocked(d.path, driver, group, static); err == nil {
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

// attempts is how often a file is created anew because another program locked or
// removed it.
const attempts = 16

// newLocked creates a file with its claim, takes its lock and lets others read it.
// Before the lock is taken the file may look like a leftover to others, which lock and
// remove it.
func newLocked(dir, driver, group string, static []byte) (*os.File, error) {
	for range attempts {
		path := filepath.Join(dir, fileName(driver))
		f, err := createFile(path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}

		claim := claimName(path, static)
		admitted, err := occupy(f, path, group, claim)
		if admitted {
			return f, nil
		}

		_ = remove(path, claim) // they may be gone
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("another program locks every new file: %w", fs.ErrPermission)
}

// occupy makes a new file its publisher's, before others can read it. It may fail
// without an error, because another program locked or removed the file.
func occupy(f *os.File, path, group, claim string) (done bool, err error) {
	if err := makeClaim(claim); err != nil {
		return false, err
	}
	locked, err := tryLock(f, true)
	if err != nil || !locked || !isAt(f, path) {
		return false, err
	}
	err = admitReaders(f, group)
	return err == nil, err
}

// remove removes a published file with its claim, which goes first: so none is left
// behind where the program ends in between.
func remove(path, claim string) error {
	return errors.Join(removeClaim(claim), os.Remove(path))
}

// isAt reports whether the file is still the one with the path.
func isAt(f *os.File, path string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// maxDriver is how much of a driver's name stands in that of a file: names of files,
// and of their claims, have 255 bytes at most.
const maxDriver = 128

// fileName makes a name for a file that no other has.
func fileName(driver string) string {
	plain := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, driver)
	plain = plain[:min(len(plain), maxDriver)]
	return plain + "-" + rand.Text() + pubfile.Suffix
}

// sweep removes the files of a directory whose publishers are gone, and claims whose
// files are. A claim is made after its file, and no two files have the same name: so a file
// that is not there will not come.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}

	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(path, pubfile.Suffix) && e.Type().IsRegular() {
			reclaim(path)
		}
		if file := claimedFile(path); file != "" {
			if _, err := os.Lstat(file); absent(err) {
				_ = removeClaim(path) // only its maker, or an administrator, can
			}
		}
	}
}

// reclaim removes a file if its lock is free and this account may remove it: its owner,
// or an administrator.
func reclaim(path string) {
	f, err := openOwn(path)
	if err != nil {
		return
	}
	defer f.Close()

	// With the lock in hand nobody can begin to publish in this file.
	if locked, err := tryLock(f, true); err == nil && locked && isAt(f, path) {
		_ = remove(path, claimOf(f, path)) // else its owner or the next publisher does it
	}
}

// claimOf is the path of the claim to what a file holds.
func claimOf(f *os.File, path string) string {
	r := &foreign{path: path, file: f}
	static, err := r.static()
	if err != nil {
		return "" // it may not have come so far; else the next sweep finds the claim
	}
	return claimName(path, static)
}
