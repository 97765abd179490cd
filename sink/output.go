package sink

import (
	"fmt"
	"io"

	"github.com/winperf/winperf"
)

// flushAt is the number of bytes from which an output is handed on before its
// moment is complete.
const flushAt = 64 << 10

// output gathers bytes for a writer. Its first error stays.
type output struct {
	w      io.Writer
	buf    []byte
	err    error
	closed bool
}

// ready returns the error that forbids to write.
func (o *output) ready() error {
	if o.err == nil && o.closed {
		return fmt.Errorf("%w: write to a closed sink", winperf.ErrState)
	}
	return o.err
}

// flush hands on what was gathered.
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

// spill hands on what was gathered if it is much.
func (o *output) spill() error {
	if len(o.buf) < flushAt {
		return nil
	}
	return o.flush()
}
