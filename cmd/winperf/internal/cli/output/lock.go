package output

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/internal/logs"
)

// ErrInUse means that another program writes the file.
var ErrInUse = errors.New("another winperf is writing this file; wait for its end, or name another file")

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
			note(fmt.Errorf("%s: this file cannot be locked against another winperf: %w", name, err))
			return f, nil
		case !locked:
			return nil, errors.Join(fmt.Errorf("%s: %w", name, ErrInUse), f.Close())
		case isNamed(f, name):
			return f, nil
		}

		if err := f.Close(); err != nil { // the file was replaced before it was locked
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s: another program keeps replacing this file", name)
}

// openSpecial opens a named pipe for writing when it has a reader, or opens a device. Opening a pipe for
// reading and writing would accept data without a reader.
func openSpecial(ctx context.Context, name string) (*os.File, error) {
	return call.Once(ctx, func() (*os.File, error) { return os.OpenFile(name, os.O_WRONLY, 0) })
}

func isNamed(f *os.File, name string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(is, named)
}

// lockTarget locks a file that will be replaced. The file need not be writable; missing or unreadable
// files are not locked.
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

// LookLocked returns an error if another program writes the file.
func LookLocked(name string) error {
	unlock, err := lockTarget(name)
	if err != nil {
		return err
	}
	return unlock()
}
