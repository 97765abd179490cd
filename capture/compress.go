package capture

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
)

// level is deflate's: more effort gains little on differences and costs much on whole
// samples.
const level = flate.BestSpeed

type deflater struct {
	w *flate.Writer
}

// append appends a payload to dst, compressed if that is shorter, and returns the
// compression used.
func (d *deflater) append(dst, payload []byte) (out []byte, compression uint8) {
	at := len(dst)
	buf := bytes.NewBuffer(dst)
	if d.w == nil {
		d.w, _ = flate.NewWriter(buf, level) // fails only for an invalid level
	} else {
		d.w.Reset(buf)
	}

	_, _ = d.w.Write(payload) // a buffer in memory has no errors
	_ = d.w.Close()
	if out = buf.Bytes(); len(out)-at >= len(payload) {
		return append(out[:at], payload...), stored
	}
	return out, deflated
}

type inflater struct {
	in bytes.Reader
	r  io.ReadCloser
}

const errInflate = fault("the compressed data is damaged, or its length is wrong")

// append appends the size bytes compressed in b to dst. It allocates as bytes are
// decompressed, because size may be false.
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
			dst = slices.Grow(dst, min(left, max(len(b), len(dst), 512))+1) // one more detects the end
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
