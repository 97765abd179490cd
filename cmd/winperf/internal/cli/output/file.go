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

// ReplacesOpen reports whether the system can replace an open file.
const ReplacesOpen = runtime.GOOS == "linux" || runtime.GOOS == "darwin"

type mode uint8

// Modes for an existing file.
const (
	NewOnly   mode = iota // fail
	Append                // continue it
	Overwrite             // replace its content
)

// Target describes a file to write.
type Target struct {
	Name string
	Mode mode
	// Whole writes a temporary file in the same directory, and renames it when it is complete. An existing
	// file stays unchanged until then.
	Whole bool
	// Instead is advice for an existing file; "" means --overwrite.
	Instead string
	Reads   []string    // URLs of sources read at the same time
	Note    func(error) // receives the error of a file system without locks; may be nil
}

// Look checks whether the file may be written: an existing file needs the right mode. special reports a
// file without content, such as a device or a pipe.
func (t Target) Look() (special bool, err error) {
	if runtime.GOOS == "windows" && strings.HasPrefix(t.Name, `\\.\`) {
		return true, nil // a stat of a pipe would connect to it
	}

	info, err := os.Stat(t.Name)
	switch {
	case err != nil:
		return false, nil // missing, or creating it returns a better error
	case info.IsDir():
		return false, fmt.Errorf("%s is a directory", t.Name)
	case !info.Mode().IsRegular():
		return true, nil
	case t.Mode == NewOnly:
		return false, t.exists()
	case slices.ContainsFunc(t.Reads, func(url string) bool { return readsFile(url, info) }):
		return false, fmt.Errorf("%s is also the input; write to another file", t.Name)
	}
	return false, nil
}

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

// exists returns the error for an existing file that must not be written.
func (t Target) exists() error {
	return existsError(fmt.Sprintf("%s exists; %s", t.Name, cmp.Or(t.Instead, "--overwrite replaces it")))
}

type existsError string

func (e existsError) Error() string { return string(e) }

func (e existsError) Is(target error) bool { return target == fs.ErrExist }

// Open opens the file for writing and locks it against other winperf programs until it is closed. Opening
// a named pipe waits for its reader, until ctx ends.
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
	if errors.Is(err, fs.ErrExist) { // since Look
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

func (t Target) openPart() (*File, error) {
	if behind, err := filepath.EvalSymlinks(t.Name); err == nil {
		t.Name = behind // the link remains
	}
	perm := fs.FileMode(0o666)
	if info, err := os.Stat(t.Name); err == nil {
		perm = info.Mode().Perm()
	}
	if err := LookLocked(t.Name); err != nil { // Close would return the same error, but later
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
			named.Path = t.Name // the name that the user gave
		}
		if err != nil {
			return nil, err
		}
		return &File{file: f, isNew: true, final: t}, nil
	}
	return nil, fmt.Errorf("%s: its directory has %d unfinished files; remove them", t.Name, tries)
}

// File is an output file. A replaced file keeps its old content until the first write, or until the new
// file is complete.
type File struct {
	file  *os.File
	old   bool   // it has old content to replace
	isNew bool   // it did not exist before
	final Target // the name given by Close; zero if the file already has its name
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	file, err := f.Replace()
	if err != nil {
		return 0, err
	}
	return file.Write(b)
}

// Replace removes the old content. The returned file is still owned by f.
func (f *File) Replace() (*os.File, error) {
	if f.old {
		f.old = false
		return f.file, f.file.Truncate(0)
	}
	return f.file, nil
}

// IsNew reports whether the file did not exist before.
func (f *File) IsNew() bool { return f.isNew }

// Final returns the name that Close gives the file, or "".
func (f *File) Final() string { return f.final.Name }

// Close completes the file. It removes an empty new file. A Whole file is flushed to disk before it is
// renamed, and removed if that fails.
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

// rename gives the file its name, unless another program writes the file with this name.
func (f *File) rename() error {
	if _, err := f.final.Look(); err != nil { // since Open
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

// Abandon closes the file and removes it if it is new. Unreplaced old content stays. After Close it does
// nothing.
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
