package logs

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// file is a file of a recording. Samples are passed to the system as they are written, and synced
// to the disk on close.
type file struct {
	*os.File
	name  string
	isNew bool // it did not exist before
	log   Writer
	begun time.Time // time of the first sample
	last  time.Time // time of the latest sample

	samples int   // number of added samples
	at      int64 // offset of the next byte
	size    int64 // of the file
	good    int64 // length of the complete part
	before  int64 // length after the latest sample
	grown   int64 // its growth by that sample
	failed  bool  // writing is no longer possible
	named   bool  // its name is synced
	flushed time.Time
}

// buffered is a Writer that buffers samples, such as for a binary log. Buffers are written when
// they are begun and full, and in between after each sample, at most once per flushEvery.
type buffered interface {
	Size() int64   // with buffered samples
	Stored() int64 // complete buffers
}

// flushEvery limits the loss if the program is killed, and the cost of rewriting buffers.
const flushEvery = 400 * time.Millisecond

// Write implements io.Writer for the log.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.at += int64(n)
	f.size = max(f.size, f.at)
	return n, err
}

// Seek implements io.Seeker, for logs that seek.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	at, err := f.File.Seek(offset, whence)
	if err == nil {
		f.at = at
	}
	return at, err
}

// add writes a sample. After an error the file is restored, if the system allows it.
func (f *file) add(m *Moment, at time.Time) error {
	err := f.log.Write(m)
	w, isBuffered := f.log.(buffered)
	switch {
	case err != nil && isBuffered:
		_ = f.flush() // samples before a refused one; otherwise the error is the same
	case err == nil && (!isBuffered || f.flushDue(w)):
		err = f.flush()
	}
	if err != nil {
		return f.undo(err)
	}

	if f.samples > 0 { // the first one includes the header
		f.grown = f.length() - f.before
	} else {
		f.begun = at
	}

	f.before, f.good = f.length(), f.size
	f.samples++
	f.last = at
	return nil
}

// flushDue reports whether buffered samples must be written.
func (f *file) flushDue(w buffered) bool {
	// Writing the first sample of a buffer reserves its space on the disk.
	begun := IsRegular(f.File) && w.Size() > w.Stored()
	return begun || time.Since(f.flushed) >= flushEvery
}

func (f *file) flush() error {
	f.flushed = time.Now()
	return f.log.Flush()
}

// length returns the number of bytes in the file and in the buffer.
func (f *file) length() int64 {
	if w, ok := f.log.(buffered); ok {
		return w.Size()
	}
	return f.size
}

// undo removes partly written data. The file can no longer be written.
func (f *file) undo(err error) error {
	f.failed = true
	if w, ok := f.log.(buffered); ok && f.samples > 0 {
		f.good = w.Stored() // buffers may be written whose samples are still buffered
	}
	if f.size > f.good && f.Truncate(f.good) == nil {
		f.size = f.good
	}
	return err
}

func (f *file) sync() error {
	if err := f.flush(); err != nil {
		return f.undo(err)
	}
	return f.toDisk()
}

// toDisk syncs the file's content and name, if it is on a disk.
func (f *file) toDisk() error {
	if err := f.File.Sync(); err != nil {
		if !IsRegular(f.File) {
			return nil
		}
		return err
	}
	if !f.named {
		SyncDirectory(filepath.Dir(f.name))
		f.named = true
	}
	return nil
}

func (f *file) close() error {
	var err error
	if !f.failed {
		if err = f.log.Close(); err != nil {
			err = f.undo(err)
		}
	}
	return errors.Join(err, f.toDisk(), f.File.Close())
}

// discard closes an unused file and removes it if it is new.
func (f *file) discard() error {
	err := f.File.Close()
	if f.isNew {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// IsRegular reports whether a file is on a disk, not a device or pipe.
func IsRegular(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Mode().IsRegular()
}

// SyncDirectory syncs a new file name, if the system supports it. The file is complete without it.
func SyncDirectory(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
