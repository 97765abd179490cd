package linuxhost

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/winperf/winperf"
)

// Handle is an open file or directory of a [Root]; 0 is none. Handles are the lowest free ones of
// the program, so a high handle means that many are open.
type Handle int

// ErrShort means that the system or program lacks descriptors or memory.
var ErrShort = errors.New("short of file descriptors or memory")

// Root reads /proc and /sys for one session. Calls do not overlap, except of Statfs. An error wraps
// fs.ErrNotExist only if a file or process does not exist or has ended, and ErrShort if descriptors
// or memory are short.
type Root interface {
	// Open opens a slash-separated name, such as "proc/stat", relative to dir, or to the root if
	// dir is 0.
	Open(dir Handle, name string) (Handle, error)
	// Process opens the directory of a process in proc. Files opened relative to it belong to this
	// process; they do not exist after its end, even if the id is reused.
	Process(proc Handle, pid int) (Handle, error)
	// Processes appends the ids of all processes in proc to dst.
	Processes(proc Handle, dst []int) ([]int, error)
	// List replaces l by the entries of a directory opened with Open.
	List(dir Handle, l *Listing) error
	// Read returns 0 at the end of the file.
	Read(file Handle, p []byte, offset int64) (int, error)
	// Size returns the size of a file in dir (stat(2)).
	Size(dir Handle, name string) (int64, error)
	// Statfs returns the space of the file system at path, such as "/boot" (statfs(2)). It may
	// block as long as the file system does, and runs in parallel with all other calls.
	Statfs(path string) (Space, error)
	Close(h Handle) error
}

// Space is the space of a file system (statfs(2)).
type Space struct {
	BlockSize  uint64 // in bytes
	Blocks     uint64 // total
	Free       uint64
	Available  uint64 // free for unprivileged users
	Inodes     uint64 // 0 if not counted
	FreeInodes uint64
}

type file struct {
	name string
	// records is true if one read returns at most a page of records. Other files are read whole.
	records bool
	dir, h  Handle // h is 0 while closed
}

// reader reads files into a reused buffer.
type reader struct {
	root    Root
	buf     []byte
	open    int       // number of open handles
	owners  []*Handle // location of each open handle
	limit   int       // of open; others are closed after reading
	highest Handle    // that may stay open; 0 means no limit
	short   error     // last ErrShort of the current query
}

const (
	firstBuffer = 8 << 10
	maxFile     = 64 << 20 // larger than any file of /proc
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
	return text, r.noteShort(err)
}

func (r *reader) keeps(h Handle) bool {
	return r.open <= r.limit && (r.highest == 0 || h <= r.highest)
}

// noteShort records an ErrShort and returns err.
func (r *reader) noteShort(err error) error {
	if isShort(err) {
		r.short = err
	}
	return err
}

func (r *reader) ensure(f *file) error {
	if f.h != 0 {
		return nil
	}
	h, err := r.root.Open(f.dir, f.name)
	return r.opened(&f.h, h, err)
}

// opened stores an opened handle and returns err.
func (r *reader) opened(owner *Handle, h Handle, err error) error {
	if err != nil {
		return r.noteShort(err)
	}
	*owner = h
	r.open++
	if n := int(h) + 1 - len(r.owners); n > 0 {
		r.owners = append(r.owners, make([]*Handle, n)...)
	}
	r.owners[h] = owner
	return nil
}

// text reads a file. The kernel generates it again on each read at offset 0.
func (r *reader) text(f *file) ([]byte, error) {
	for n := 0; ; {
		if n == len(r.buf) {
			if n >= maxFile {
				r.buf = nil // no other file needs that much
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

// close ignores errors, because files were only read.
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

func (r *reader) closeAll() error {
	var errs []error
	for _, owner := range r.owners {
		if owner != nil {
			errs = append(errs, r.closeOne(owner))
		}
	}
	return errors.Join(errs...)
}

// isMissing reports whether a file does not exist or its process has ended.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// isFailure excludes missing files and permissions.
func isFailure(err error) bool {
	return err != nil && !isMissing(err) && !errors.Is(err, fs.ErrPermission)
}

// isShort reports whether err wraps [ErrShort]: the read may succeed later.
func isShort(err error) bool { return err != nil && errors.Is(err, ErrShort) }
