package cli

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/winperf/winperf/measure"
)

// recordFile is one file of a recording. What is written to it is handed to the
// system with each sample, and put on the disk when it is closed.
type recordFile struct {
	name  string
	file  *os.File
	form  recordForm
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
}

// recordForm writes samples in one format. It hands them to the file's Write.
type recordForm interface {
	write(c *measure.Cycle) error
	// flush hands on what write kept back.
	flush() error
	// end completes what was written.
	end() error
}

// Write implements io.Writer for the form.
func (f *recordFile) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	f.at += int64(n)
	f.size = max(f.size, f.at)
	return n, err
}

// Seek implements io.Seeker, for forms that go back.
func (f *recordFile) Seek(offset int64, whence int) (int64, error) {
	at, err := f.file.Seek(offset, whence)
	if err == nil {
		f.at = at
	}
	return at, err
}

// add writes a sample. After an error the file is as it was before, if its
// system can do that.
func (f *recordFile) add(c *measure.Cycle, at time.Time) error {
	if err := f.form.write(c); err != nil {
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

// length is the number of bytes in the file and those that wait to be in it.
func (f *recordFile) length() int64 {
	if w, ok := f.form.(interface{ length() int64 }); ok {
		return w.length()
	}
	return f.size
}

// undo cuts off what was written in part. Nothing can be written any more.
func (f *recordFile) undo(err error) error {
	f.failed = true
	if w, ok := f.form.(interface{ stored() int64 }); ok && f.samples > 0 {
		f.good = w.stored() // samples may have been kept back, and buffers be there that they wait for
	}
	if f.size > f.good && f.file.Truncate(f.good) == nil {
		f.size = f.good
	}
	return err
}

// sync puts what was written on the disk.
func (f *recordFile) sync() error {
	if err := f.form.flush(); err != nil {
		return f.undo(err)
	}
	return f.toDisk()
}

// toDisk puts what the file has, and its name, on the disk that it is on, if any.
func (f *recordFile) toDisk() error {
	if err := f.file.Sync(); err != nil {
		if !isRegular(f.file) {
			return nil
		}
		return err
	}
	if !f.named {
		syncDirectory(filepath.Dir(f.name))
		f.named = true
	}
	return nil
}

// Close completes the file.
func (f *recordFile) Close() error {
	var err error
	if !f.failed {
		if err = f.form.end(); err != nil {
			err = f.undo(err)
		}
	}
	return errors.Join(err, f.toDisk(), f.file.Close())
}
