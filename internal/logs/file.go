package logs

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// file is one of the files of a recording. What is written to it is handed to the
// system with each sample, and put on the disk when it is closed.
type file struct {
	*os.File
	name  string
	isNew bool // it was not there before
	log   Writer
	begun time.Time // of the first sample
	last  time.Time // of the latest one

	samples int   // that were added
	at      int64 // where the next byte is written
	size    int64 // of the file
	good    int64 // up to here it is whole
	before  int64 // length after the latest sample
	grown   int64 // by it
	failed  bool  // nothing can be written any more
	named   bool  // its name is on the disk
	flushed time.Time
}

// buffered is a Writer that keeps samples back until a buffer is full, as that of a binary
// log does. Its buffers reach the file when they are begun and when they are full, and otherwise
// with each sample, of fast ones each flushEvery.
type buffered interface {
	Size() int64   // with what is kept back
	Stored() int64 // whole buffers
}

// flushEvery bounds what is lost with a program that is killed, and what it costs
// to write a buffer again and again. Samples a second apart are each flushed.
const flushEvery = 400 * time.Millisecond

// Write implements io.Writer for the log.
func (f *file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.at += int64(n)
	f.size = max(f.size, f.at)
	return n, err
}

// Seek implements io.Seeker, for logs that go back.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	at, err := f.File.Seek(offset, whence)
	if err == nil {
		f.at = at
	}
	return at, err
}

// add writes a sample. After an error the file is as it was before, if its
// system can do that.
func (f *file) add(m *Moment, at time.Time) error {
	err := f.log.Write(m)
	w, isBuffered := f.log.(buffered)
	switch {
	case err != nil && isBuffered:
		_ = f.flush() // what came before a sample that is refused; else it is the same error
	case err == nil && (!isBuffered || f.flushDue(w)):
		err = f.flush()
	}
	if err != nil {
		return f.undo(err)
	}

	if f.samples > 0 { // the first one has much in front of it
		f.grown = f.length() - f.before
	} else {
		f.begun = at
	}

	f.before, f.good = f.length(), f.size
	f.samples++
	f.last = at
	return nil
}

// flushDue reports whether a sample that may be kept back is to be handed to the system.
func (f *file) flushDue(w buffered) bool {
	// A buffer that is not in the file yet takes its place on the disk with its first
	// sample: those that come to it find room.
	begun := IsRegular(f.File) && w.Size() > w.Stored()
	return begun || time.Since(f.flushed) >= flushEvery
}

func (f *file) flush() error {
	f.flushed = time.Now()
	return f.log.Flush()
}

// length is the number of bytes in the file and those that wait to be in it.
func (f *file) length() int64 {
	if w, ok := f.log.(buffered); ok {
		return w.Size()
	}
	return f.size
}

// undo cuts off what was written in part. Nothing can be written any more.
func (f *file) undo(err error) error {
	f.failed = true
	if w, ok := f.log.(buffered); ok && f.samples > 0 {
		f.good = w.Stored() // samples may have been kept back, and buffers be there that they wait for
	}
	if f.size > f.good && f.Truncate(f.good) == nil {
		f.size = f.good
	}
	return err
}

// sync puts what was written on the disk.
func (f *file) sync() error {
	if err := f.flush(); err != nil {
		return f.undo(err)
	}
	return f.toDisk()
}

// toDisk puts what the file has, and its name, on the disk that it is on, if any.
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

// close completes the file.
func (f *file) close() error {
	var err error
	if !f.failed {
		if err = f.log.Close(); err != nil {
			err = f.undo(err)
		}
	}
	return errors.Join(err, f.toDisk(), f.File.Close())
}

// discard closes a file that was begun in vain, and removes it where it is new.
func (f *file) discard() error {
	err := f.File.Close()
	if f.isNew {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}

// IsRegular reports whether a file is on a disk, and no device or pipe.
func IsRegular(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Mode().IsRegular()
}

// SyncDirectory puts a new name on the disk, on systems that can do that. The
// file is complete without it.
func SyncDirectory(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
