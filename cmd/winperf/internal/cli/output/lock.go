package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/internal/logs"
)

// ErrInUse tells that another program writes a file.
var ErrInUse = errors.New("another winperf is writing this file; let it end first, or name another file")

// openMode says what is to be done with a file that is there already.
type openMode uint8

// What a command may do with a file that is there.
const (
	OpenNew       openMode = iota // fail
	OpenAppend                    // go on with it
	OpenOverwrite                 // replace it
)

// Target is a file to be written.
type Target struct {
	Name string
	Mode openMode
	// instead says what one can do about a file that is there already; "" suits
	// commands with --overwrite.
	Instead string
	Reads   []string // URLs of the sources that are read meanwhile
}

// Look decides about what is there already. It is the one rule of all commands: a
// file is left alone, unless the mode says otherwise. What is none, such as a device or
// a pipe, holds nothing that could be lost.
func (t *Target) Look() (special bool, err error) {
	if runtime.GOOS == "windows" && strings.HasPrefix(t.Name, `\\.\`) {
		return true, nil // a look at a pipe would connect to it
	}

	info, err := os.Stat(t.Name)
	switch {
	case err != nil:
		return false, nil // nothing is there; creating it tells more
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory", t.Name)
	case !info.Mode().IsRegular():
		return true, nil
	case t.Mode == OpenNew:
		return false, t.exists()
	case slices.ContainsFunc(t.Reads, func(url string) bool { return readsFile(url, info) }):
		return false, fmt.Errorf("%s is what is read; write another file", t.Name)
	}
	return false, nil
}

// readsFile tells whether a source's URL names the file.
func readsFile(url string, file fs.FileInfo) bool {
	names := []string{url}
	if _, rest, found := strings.Cut(url, ":"); found {
		rest, _, _ = strings.Cut(rest, "?")
		names = append(names, strings.Split(rest, ",")...)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && os.SameFile(info, file)
	})
}

// exists is the error that the file is there.
func (t *Target) exists() error {
	return existsError(fmt.Sprintf("%s exists; %s", t.Name, cmp.Or(t.Instead, "--overwrite replaces it")))
}

// existsError says of a file that it is there, once.
type existsError string

// Error implements error.
func (e existsError) Error() string { return string(e) }

// Is reports whether the error is fs.ErrExist.
func (e existsError) Is(target error) bool { return target == fs.ErrExist }

// Create opens the file for writing, and keeps every other winperf from writing
// it until it is closed, however this program ends. Where the file system cannot
// do that, note is told so, if there is one.
//
// Opening a named pipe waits for its reader, until ctx ends.
func (t *Target) Create(ctx context.Context, note func(error)) (*os.File, error) {
	f, err := t.open(ctx, note)
	if err != nil || t.Mode != OpenOverwrite || !logs.IsRegular(f) {
		return f, err
	}
	if err := f.Truncate(0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// open is create for those who replace the contents of a file later.
func (t *Target) open(ctx context.Context, note func(error)) (*os.File, error) {
	special, err := t.Look()
	if err != nil {
		return nil, err
	}
	if special && isFIFO(t.Name) {
		return openFIFO(ctx, t.Name)
	}

	flags := os.O_RDWR | os.O_CREATE
	if t.Mode == OpenNew && !special {
		flags |= os.O_EXCL
	}

	f, err := openLocked(t.Name, flags, note)
	if errors.Is(err, fs.ErrExist) { // since it was looked for
		return nil, t.exists()
	}
	return f, err // it is not cut before nobody else writes it
}

// openLocked opens a file and locks it. Pipes and devices are not locked.
func openLocked(name string, flags int, note func(error)) (*os.File, error) {
	const tries = 100
	for range tries {
		f, err := os.OpenFile(name, flags, 0o666)
		if err != nil || !logs.IsRegular(f) {
			return f, err
		}

		locked, err := filelock.Try(f)
		switch {
		case err != nil && note == nil:
			return f, nil
		case err != nil:
			note(fmt.Errorf("%s: nothing keeps another winperf from writing this file, too: %w", name, err))
			return f, nil
		case !locked:
			return nil, errors.Join(fmt.Errorf("%s: %w", name, ErrInUse), f.Close())
		case isNamed(f, name):
			return f, nil
		}

		if err := f.Close(); err != nil { // another file took its name before it was locked
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: another program replaces this file all the time", name)
}

// isFIFO tells whether a name is a pipe's. On Windows a look at a pipe would
// connect to it, and opening one does not wait.
func isFIFO(name string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode()&fs.ModeNamedPipe != 0
}

// openFIFO opens a named pipe for writing when somebody reads it. One that is open
// for reading too would take what nobody reads, and lose it.
func openFIFO(ctx context.Context, name string) (*os.File, error) {
	return call.Once(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
}

// isNamed tells whether a file still has the name.
func isNamed(f *os.File, name string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(is, named)
}

// lockTarget locks a file that is to be replaced, for which it need not be
// writable; unlock ends that. A file that is not there, or cannot be read, is
// not locked.
func lockTarget(name string) (unlock func() error, err error) {
	f, err := openLocked(name, os.O_RDONLY, nil)
	switch {
	case errors.Is(err, ErrInUse):
		return nil, err
	case err != nil:
		return func() error { return nil }, nil
	}
	return f.Close, nil
}

// LookLocked fails where another program writes the file.
func LookLocked(name string) error {
	unlock, err := lockTarget(name)
	if err != nil {
		return err
	}
	return unlock()
}
