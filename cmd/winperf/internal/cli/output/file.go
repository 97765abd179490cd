package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/logs"
)

// ReplacesOpen reports whether a file can be replaced while it is open.
const ReplacesOpen = runtime.GOOS == "linux" || runtime.GOOS == "darwin"

// mode says how a file that exists is treated.
type mode uint8

// The ways to treat a file that exists.
const (
	NewOnly   mode = iota // fail
	Append                // go on with it
	Overwrite             // replace its content
)

// Target is a file to be written.
type Target struct {
	Name string
	Mode mode
	// Whole has the file appear under its name when it is complete. Until then another file is
	// written in the same directory, and a file that exists stays as it is.
	Whole bool
	// Instead says what one can do about a file that exists; "" suits commands with --overwrite.
	Instead string
	Reads   []string    // URLs of the sources that are read meanwhile
	Note    func(error) // gets the error of a file system that has no locks; nil ignores it
}

// Look decides about a file that exists, by the one rule of all commands: a file stays as it is,
// unless the mode says otherwise. A special file, such as a device or a pipe, has no content to lose.
func (t Target) Look() (special bool, err error) {
	if runtime.GOOS == "windows" && strings.HasPrefix(t.Name, `\\.\`) {
		return true, nil // a look at a pipe would connect to it
	}

	info, err := os.Stat(t.Name)
	switch {
	case err != nil:
		return false, nil // it does not exist, or creating it returns a better error
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory", t.Name)
	case !info.Mode().IsRegular():
		return true, nil
	case t.Mode == NewOnly:
		return false, t.exists()
	case slices.ContainsFunc(t.Reads, func(url string) bool { return readsFile(url, info) }):
		return false, fmt.Errorf("%s is what is read; write another file", t.Name)
	}
	return false, nil
}

// readsFile reports whether a source's URL names the file.
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

// exists returns the error of a file that exists and is not to be written.
func (t Target) exists() error {
	return existsError(fmt.Sprintf("%s exists; %s", t.Name, cmp.Or(t.Instead, "--overwrite replaces it")))
}

// existsError is the message of a file that exists. It wraps fs.ErrExist without its text.
type existsError string

// Error implements error.
func (e existsError) Error() string { return string(e) }

// Is reports whether the error is fs.ErrExist.
func (e existsError) Is(target error) bool { return target == fs.ErrExist }

// Open opens the file for writing. Until it is closed, however this program ends, no other winperf
// writes it. Opening a named pipe waits for its reader, until ctx ends.
func (t Target) Open(ctx context.Context) (*File, error) {
	special, err := t.Look()
	switch {
	case err != nil:
		return nil, err
	case special:
		f, err := openSpecial(ctx, t.Name)
		if err != nil {
			return nil, err
		}
		return &File{file: f}, nil
	case t.Whole:
		return t.openPart()
	}

	flags := os.O_RDWR | os.O_CREATE
	if t.Mode == NewOnly {
		flags |= os.O_EXCL
	}
	f, err := openLocked(t.Name, flags, t.Note)
	if errors.Is(err, fs.ErrExist) { // since it was looked for
		return nil, t.exists()
	}
	if err != nil {
		return nil, err
	}

	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	old := t.Mode == Overwrite && info.Mode().IsRegular() && info.Size() > 0
	return &File{file: f, isNew: t.Mode == NewOnly, old: old}, nil
}

// openPart creates the file that gets the name of the target in the end.
func (t Target) openPart() (*File, error) {
	if behind, err := filepath.EvalSymlinks(t.Name); err == nil {
		t.Name = behind // the link stays
	}
	perm := fs.FileMode(0o666)
	if info, err := os.Stat(t.Name); err == nil {
		perm = info.Mode().Perm()
	}
	if err := LookLocked(t.Name); err != nil { // what Close would say in the end
		return nil, err
	}

	const tries = 1000
	for i := range tries {
		part := fmt.Sprintf("%s.%d-%d.part", t.Name, os.Getpid(), i)
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if named := (*fs.PathError)(nil); errors.As(err, &named) {
			named.Path = t.Name // that the user knows
		}
		if err != nil {
			return nil, err
		}
		return &File{file: f, isNew: true, final: t}, nil
	}
	return nil, fmt.Errorf("%s: %d unfinished files are in its directory", t.Name, tries)
}

// File is a file that a command writes. The old content of a replaced file stays until
// the first byte is written, or the file is complete.
type File struct {
	file  *os.File
	old   bool   // it holds content that the command replaces
	isNew bool   // it was not there before
	final Target // whose name Close gives it; the zero Target where it has its name
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	file, err := f.Replace()
	if err != nil {
		return 0, err
	}
	return file.Write(b)
}

// Replace removes the old content of a replaced file. It returns the open file, which
// is still f's.
func (f *File) Replace() (*os.File, error) {
	if f.old {
		f.old = false
		return f.file, f.file.Truncate(0)
	}
	return f.file, nil
}

// IsNew reports whether the file was not there before.
func (f *File) IsNew() bool { return f.isNew }

// Final returns the name that Close gives the file, "" where it has its name.
func (f *File) Final() string { return f.final.Name }

// Close completes the file. An empty file that is new is removed, so that it is not in the way of
// another try. A whole one is on the disk before it gets its name; if it cannot get it, it is removed.
func (f *File) Close() error {
	_, err := f.Replace()
	if f.final.Name == "" {
		info, statErr := f.file.Stat()
		err = errors.Join(err, f.file.Close())
		if f.isNew && statErr == nil && info.Size() == 0 {
			err = errors.Join(err, os.Remove(f.file.Name()))
		}
		return err
	}

	if err = errors.Join(f.file.Sync(), f.file.Close()); err == nil {
		err = f.rename()
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.file.Name()))
	}
	logs.SyncDirectory(filepath.Dir(f.final.Name))
	return nil
}

// rename gives the file its name, unless another program is writing the file that has it.
func (f *File) rename() error {
	if _, err := f.final.Look(); err != nil { // since it was begun
		return err
	}
	unlock, err := lockTarget(f.final.Name)
	if err != nil {
		return err
	}
	if ReplacesOpen {
		return errors.Join(os.Rename(f.file.Name(), f.final.Name), unlock())
	}
	if err := unlock(); err != nil {
		return err
	}
	return os.Rename(f.file.Name(), f.final.Name)
}

// Abandon closes the file and removes it where it is new. Old content that was not replaced yet
// stays. After Close it does nothing.
func (f *File) Abandon() error {
	err := f.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if f.isNew {
		err = errors.Join(err, os.Remove(f.file.Name()))
	}
	return err
}
