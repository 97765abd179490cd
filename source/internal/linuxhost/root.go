package linuxhost

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/winperf/winperf"
)

// Handle stands for an open file or directory of a [Root]. 0 stands for none. To
// open something gives the lowest one that is free in the whole program, as the
// kernel does with descriptors: a high one tells that much is open.
type Handle int

// ErrShort says that the system or this program is short of file descriptors or
// memory, and nothing about what was to be opened or read.
var ErrShort = errors.New("short of file descriptors or memory")

// Root is where /proc and /sys are found, as one session reads them. Its calls
// never overlap, but for those of Statfs. Errors about files and processes that
// are not there, or not any more, wrap fs.ErrNotExist; those for want of
// descriptors or memory wrap ErrShort. No other error says that something ended.
type Root interface {
	// Open opens a file by its slash-separated name, such as "proc/stat",
	// relative to the directory dir, or to the root where dir is 0.
	Open(dir Handle, name string) (Handle, error)
	// Process opens the directory of a process below the directory proc. Files
	// opened relative to it belong to this process even when its id has been
	// given to another one; they are then gone.
	Process(proc Handle, pid int) (Handle, error)
	// Processes appends the ids of all processes in the directory proc to dst.
	Processes(proc Handle, dst []int) ([]int, error)
	// List replaces what the listing holds by what the directory dir, opened
	// with Open, holds.
	List(dir Handle, l *Listing) error
	// Read reads into p what stands at the offset. It returns 0 at the end.
	Read(file Handle, p []byte, offset int64) (int, error)
	// Size returns the size that stat(2) tells of a file in the directory dir.
	Size(dir Handle, name string) (int64, error)
	// Statfs returns the space of the file system that is mounted at path, such
	// as "/boot" (statfs(2)). It may hang for as long as the file system does and
	// is called on goroutines of its own, at the same time as all other calls.
	Statfs(path string) (Space, error)
	// Close closes a file or directory.
	Close(h Handle) error
}

// Space is the space of a file system (statfs(2)).
type Space struct {
	BlockSize  uint64 // bytes in a block
	Blocks     uint64 // blocks in all
	Free       uint64 // blocks that are free
	Available  uint64 // blocks of those that users without privileges can have
	Inodes     uint64 // inodes in all; 0 where the file system does not count them
	FreeInodes uint64 // inodes that are free
}

// file is a file to be read again and again.
type file struct {
	name string
	// records tells that the kernel makes the file of many records: one read
	// returns no more than a page of them. Other files come whole.
	records bool
	dir, h  Handle // h is 0 while the file is not open
}

// reader reads files into a buffer that it keeps.
type reader struct {
	root    Root
	buf     []byte
	open    int       // files and directories that are open
	owners  []*Handle // of what is open, by handle: where it is kept
	limit   int       // of open; files above are closed after each reading
	highest Handle    // that may stay open; 0 = any
	short   error     // the last ErrShort of the current query
}

const (
	firstBuffer = 8 << 10
	maxFile     = 64 << 20 // no file of /proc comes near it
)

// read returns the text of a file, valid until the next call.
func (r *reader) read(f *file) ([]byte, error) {
	if err := r.ensure(f); err != nil {
		return nil, err
	}
	text, err := r.text(f)
	if err != nil || !r.keeps(f.h) {
		r.close(&f.h)
	}
	return text, r.judge(err)
}

// keeps reports whether what was opened may stay open.
func (r *reader) keeps(h Handle) bool {
	return r.open <= r.limit && (r.highest == 0 || h <= r.highest)
}

// judge notes an ErrShort.
func (r *reader) judge(err error) error {
	if isShort(err) {
		r.short = err
	}
	return err
}

// ensure opens the file if it is not open.
func (r *reader) ensure(f *file) error {
	if f.h != 0 {
		return nil
	}
	h, err := r.root.Open(f.dir, f.name)
	return r.opened(&f.h, h, err)
}

// opened notes what was opened, and where its handle is kept from now on.
func (r *reader) opened(owner *Handle, h Handle, err error) error {
	if err != nil {
		return r.judge(err)
	}
	*owner = h
	r.open++
	if n := int(h) + 1 - len(r.owners); n > 0 {
		r.owners = append(r.owners, make([]*Handle, n)...)
	}
	r.owners[h] = owner
	return nil
}

// text reads a file from its start. The kernel makes its text anew for each
// reading at offset 0.
func (r *reader) text(f *file) ([]byte, error) {
	for n := 0; ; {
		if n == len(r.buf) {
			if n >= maxFile {
				r.buf = nil // no other file needs so much
				return nil, fmt.Errorf("%s: longer than %d bytes: %w", f.name, maxFile, winperf.ErrBadData)
			}
			grown := make([]byte, max(firstBuffer, 2*n))
			copy(grown, r.buf)
			r.buf = grown
		}

		m, err := r.root.Read(f.h, r.buf[n:], int64(n))
		if err != nil {
			return nil, err
		}

		n += m
		if m == 0 || !f.records && n < len(r.buf) {
			return r.buf[:n], nil
		}
	}
}

// close closes what the handles stand for, as far as it is open. An error to close
// what was only read has no meaning.
func (r *reader) close(handles ...*Handle) {
	for _, h := range handles {
		_ = r.closeOne(h)
	}
}

func (r *reader) closeOne(h *Handle) error {
	if *h == 0 {
		return nil
	}
	err := r.root.Close(*h)
	r.owners[*h] = nil
	*h = 0
	r.open--
	return err
}

// closeAll closes all that is open.
func (r *reader) closeAll() error {
	var errs []error
	for _, owner := range r.owners {
		if owner != nil {
			errs = append(errs, r.closeOne(owner))
		}
	}
	return errors.Join(errs...)
}

// isGone reports whether a process ended before its file was read. Nothing else
// is an end.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// hides reports whether an error keeps back what could be read at another time. A
// missing file has no part in a total either.
func hides(err error) bool {
	return err != nil && !isGone(err) && !errors.Is(err, fs.ErrPermission)
}

// isShort reports whether an error says nothing about what was to be read.
func isShort(err error) bool { return err != nil && errors.Is(err, ErrShort) }
