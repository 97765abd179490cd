package sink

import (
	"fmt"
	"io"

	"github.com/winperf/winperf"
)

// flushAt is the number of bytes at which output is written before the sample is complete.
const flushAt = 64 << 10

// output buffers bytes for a writer and keeps its first error.
type output struct {
	w      io.Writer
	buf    []byte
	err    error
	closed bool
}

// ready returns the error of earlier writes, or an error after Close.
func (o *output) ready() error {
	if o.err == nil && o.closed {
		return fmt.Errorf("%w: write to a closed sink", winperf.ErrState)
	}
	return o.err
}

func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		n, err := o.w.Write(o.buf)
		if err == nil && n < len(o.buf) {
			err = io.ErrShortWrite
		}
		o.err = err
	}
	o.buf = o.buf[:0]
	return o.err
}

// spill writes the buffer if it is large.
func (o *output) spill() error {
	if len(o.buf) < flushAt {
		return nil
	}
	return o.flush()
}
