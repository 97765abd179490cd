package capture

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
)

// level is that of deflate: a difference leaves little to be gained by more
// effort, and a whole sample should not cost a processor.
const level = flate.BestSpeed

// deflater compresses payloads.
type deflater struct {
	w *flate.Writer
}

// append appends a payload to dst, compressed where that makes it shorter, and
// tells which it is.
func (d *deflater) append(dst, payload []byte) (out []byte, compression uint8) {
	at := len(dst)
	buf := bytes.NewBuffer(dst)
	if d.w == nil {
		d.w, _ = flate.NewWriter(buf, level) // it fails for another level only
	} else {
		d.w.Reset(buf)
	}

	_, _ = d.w.Write(payload) // memory takes all
	_ = d.w.Close()
	if out = buf.Bytes(); len(out)-at >= len(payload) {
		return append(out[:at], payload...), stored
	}
	return out, deflated
}

// inflater takes payloads apart.
type inflater struct {
	in bytes.Reader
	r  io.ReadCloser
}

const errInflate = fault("the compressed data is damaged, or its length is wrong")

// append appends size bytes that are compressed in b to dst. Memory is taken
// as bytes come out, not as the record says.
func (f *inflater) append(dst, b []byte, size int) ([]byte, error) {
	f.in.Reset(b)
	if f.r == nil {
		f.r = flate.NewReader(&f.in)
	} else if err := f.r.(flate.Resetter).Reset(&f.in, nil); err != nil {
		return dst, err
	}

	for at := len(dst); ; {
		left := size - (len(dst) - at)
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, min(left, max(len(b), len(dst), 512))+1) // one more shows the end
		}

		n, err := f.r.Read(dst[len(dst):min(cap(dst), len(dst)+left+1)])
		dst = dst[:len(dst)+n]
		switch {
		case n > left || err == io.EOF && n < left:
			return dst, errInflate
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, fmt.Errorf("%w: %w", errInflate, err)
		}
	}
}
