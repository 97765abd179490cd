package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
)

func (c *converter) settleAppend() error {
	switch {
	case !c.appends:
		return nil
	case c.output.Overwrite:
		return errors.New("--append and --overwrite exclude each other")
	case c.raw:
		return errors.New("--append: lines of raw values cannot be appended to")
	case push.IsURL(c.output.Output):
		return errors.New("--append is for files")
	}
	c.output.Overwrite = true // with a longer copy
	return nil
}

// open starts the output file, and returns the end of the log that it continues, or nil.
func (c *converter) open(
	ctx context.Context, out *convertOutput, format, name string,
) (file *os.File, tail *logs.Tail, err error) {
	target := c.output.Target(name)
	target.Whole = true
	if out.file, err = target.Open(ctx); err != nil {
		return nil, nil, err
	}

	if file, err = out.file.Replace(); err == nil {
		tail, err = c.tail(out, file, format)
	}
	if err != nil {
		out.abandon()
	}
	return file, tail, err
}

// tail makes the output a copy of the file to append to. The original stays unchanged until all samples
// are written. It returns nil without such a file.
func (c *converter) tail(out *convertOutput, file *os.File, format string) (tail *logs.Tail, err error) {
	name := out.file.Final()
	if !c.appends || name == "" {
		return nil, nil
	}
	old, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	out.old, err = old.Stat()
	if err == nil {
		_, err = io.Copy(file, old)
	}
	if err := errors.Join(err, old.Close()); err != nil {
		return nil, err
	}

	tail, broken, err := logs.OpenTail(file, format)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.output.Output, err)
	}
	if broken > 0 {
		const form = "%s: removed the last %d bytes, an incomplete record"
		c.app.Complain(fmt.Errorf(form, c.output.Output, broken))
	}
	return tail, nil
}

// unchanged returns an error if another program changed the file after it was copied.
func (o *convertOutput) unchanged() error {
	if o.old == nil {
		return nil
	}
	name := o.file.Final()
	info, err := os.Stat(name)
	if err == nil && info.Size() == o.old.Size() && info.ModTime().Equal(o.old.ModTime()) {
		return nil
	}
	return fmt.Errorf("%s was changed by another program during --append", name)
}
