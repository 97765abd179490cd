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

const attempts = 16

// newLocked creates a file, locks it, and lets other accounts read it. Before it is locked, other
// publishers may take it for the file of an ended program, lock it and remove it.
func newLocked(dir, driver, group string) (*os.File, error) {
	for range attempts {
		path := filepath.Join(dir, fileName(driver))
		f, err := createFile(path)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}

		admitted, err := occupy(f, path, group)
		if admitted {
			return f, nil
		}

		_ = os.Remove(path)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("another program locks every new file: %w", fs.ErrPermission)
}

// occupy locks a new file and then admits readers. It returns false without an error if another program
// locked or removed the file.
func occupy(f *os.File, path, group string) (done bool, err error) {
	locked, err := tryLock(f, true)
	if err != nil || !locked || !isAt(f, path) {
		return false, err
	}
	err = admitReaders(f, group)
	return err == nil, err
}

func isAt(f *os.File, path string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(own, there)
}

// maxDriver limits the length of the driver's name in a file name. A file name may have 255 bytes.
const maxDriver = 128

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
	}
}

// reclaim removes a file if it is not locked and this account is its owner or an administrator.
func reclaim(path string) {
	f, err := openOwn(path)
	if err != nil {
		return
	}
	defer f.Close()

	if locked, err := tryLock(f, true); err == nil && locked && isAt(f, path) {
		_ = os.Remove(path)
	}
}
