// Package queuedir opens the directories of queues. A queue runs with the rights of its account, so another
// account must not choose which files it reads, writes and removes.
package queuedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrUnsafe is the error of a directory, or of a file in it, that a queue must not use.
var ErrUnsafe = errors.New("unsafe queue")

// The largest file, and the largest file that is read as a whole. Segments are far smaller; a sparse
// file of any size takes no room.
const (
	maxFile = 1 << 30
	maxText = 1 << 20
)

// Dir is an open directory. All names are relative to it.
type Dir struct{ root *os.Root }

// Open opens a directory, and creates one that only this account can use if it does not exist (on Windows
// SYSTEM and administrators can, too). The error wraps ErrUnsafe if it is a link, belongs to another account,
// or other accounts can write to it.
func Open(path string) (*Dir, error) {
	if err := makeDirectory(path); err != nil {
		return nil, err
	}
	link, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}

	if err := check(path, link, root); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Dir{root}, nil
}

// check checks an open directory, because the path may lead elsewhere by now.
func check(path string, link fs.FileInfo, root *os.Root) error {
	opened, err := root.Open(".")
	if err != nil {
		return err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return err
	}

	if !link.IsDir() || !os.SameFile(link, info) {
		return fmt.Errorf("%w: %s is a link; name the directory itself", ErrUnsafe, path)
	}
	if reason := foreign(opened); reason != "" {
		const form = "%w: %s %s; name a directory of this account that only it can write"
		return fmt.Errorf(form, ErrUnsafe, path, reason)
	}
	return nil
}

// OpenFile opens a file as os.OpenFile does, with the mode 0600. The error wraps ErrUnsafe if the name
// exists and is no regular file, such as a link or a named pipe, or if the file has more than 1 GiB.
func (d *Dir) OpenFile(name string, flag int) (*os.File, error) {
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is no regular file", ErrUnsafe, name)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%w: %s has %d bytes, want at most %d", ErrUnsafe, name, info.Size(), maxFile)
	}
	return d.root.OpenFile(name, flag, 0o600)
}

// ReadFile returns the text of a small file.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	f, err := d.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%w: %s has more than %d bytes", ErrUnsafe, name, maxText)
	}
	return text, err
}

// Replace replaces a file, which always is complete under its name. With sync it is on the disk then.
func (d *Dir) Replace(name string, text []byte, sync bool) error {
	f, err := d.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return d.root.Rename(name+".new", name)
}

// ReadDir returns the entries of the directory, sorted by name.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) { return fs.ReadDir(d.root.FS(), ".") }

// Stat describes a file and follows no link.
func (d *Dir) Stat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }

// Remove removes a file.
func (d *Dir) Remove(name string) error { return d.root.Remove(name) }

// Rename gives a file another name.
func (d *Dir) Rename(from, to string) error { return d.root.Rename(from, to) }

// Close closes the directory. Its open files stay open.
func (d *Dir) Close() error { return d.root.Close() }
