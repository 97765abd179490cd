package publishing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
)

// lines returns the lines to publish, and the name of their source for messages.
func (o *publishOptions) lines(ctx context.Context, a *console.App) (*console.LineReader, string, error) {
	if o.input == "" {
		r, err := a.Input("lines to publish")
		return console.NewLineReader(r), input.StandardInput, err
	}
	f := &follower{ctx: ctx, name: o.input, report: a.Complain}
	return console.NewLineReader(&console.Interruptible{Context: ctx, Stream: f}), o.input, nil
}

// follower reads a file as it grows, from its beginning, until the context ends. It waits for a missing file.
// A file that was replaced or has become shorter is read from its beginning, on a new line.
type follower struct {
	ctx    context.Context
	name   string
	report func(error)

	file   *os.File
	read   int64 // bytes of file
	inLine bool  // the last byte is within a line
	old    bool  // file was replaced or truncated; its rest is read
	waits  bool  // the missing file was reported
}

const followInterval = 200 * time.Millisecond

// Read implements io.Reader.
func (f *follower) Read(p []byte) (int, error) {
	for {
		n, err := f.next(p)
		if n > 0 || err != nil {
			return n, err
		}

		select {
		case <-f.ctx.Done():
			return 0, f.ctx.Err()
		case <-time.After(followInterval):
		}
	}
}

// next returns 0 and no error if there is nothing to read yet.
func (f *follower) next(p []byte) (n int, err error) {
	if f.file == nil {
		if err := f.open(); err != nil || f.file == nil {
			return 0, err
		}
	}

	n, err = f.file.Read(p)
	if n > 0 {
		f.read += int64(n)
		f.inLine = p[n-1] != '\n'
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return 0, err
	}

	// Lines may have been added between the end of the file and its replacement.
	if !f.old {
		f.old = f.replaced()
		return 0, nil
	}
	err = f.file.Close()
	f.file, f.old = nil, false
	if f.inLine {
		f.inLine, n = false, copy(p, "\n")
	}
	return n, err
}

// replaced reports whether the name belongs to another file, or the file has become shorter.
func (f *follower) replaced() bool {
	now, err := os.Stat(f.name)
	if err != nil {
		return false // not yet replaced
	}
	file, err := f.file.Stat()
	return err == nil && (!os.SameFile(now, file) || now.Size() < f.read)
}

// open opens the file, if it exists. It opens a named pipe for writing, too, so that the pipe does not end
// when its last writer closes it.
func (f *follower) open() (err error) {
	info, err := os.Stat(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		if !f.waits {
			f.report(fmt.Errorf("%s does not exist yet; waiting for it", f.name))
		}
		f.waits = true
		return nil
	}

	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeNamedPipe != 0:
		f.file, err = os.OpenFile(f.name, os.O_RDWR, 0)
	case info.Mode().IsRegular():
		f.file, err = os.Open(f.name)
	default:
		err = fmt.Errorf("%s is neither a file nor a named pipe", f.name)
	}
	f.read, f.waits = 0, false
	return err
}
