package prometheus

import (
	"io"
	"slices"
)

// bufferSize is the number of bytes of one write.
const bufferSize = 64 << 10

// buffer buffers text for a writer. It grows only for a longer line.
type buffer struct {
	text []byte
	to   io.Writer
	err  error // of the writer, which gets nothing more
}

// begin empties the buffer and sets its writer.
func (b *buffer) begin(to io.Writer) {
	if b.text == nil {
		b.text = make([]byte, 0, bufferSize)
	}
	b.text, b.to, b.err = b.text[:0], to, nil
}

func (b *buffer) write(text []byte) {
	if len(b.text)+len(text) > cap(b.text) {
		b.flush()
	}
	if len(text) > cap(b.text) {
		b.send(text)
		return
	}
	b.text = append(b.text, text...)
}

// more writes text, which is the buffer with appended text, and returns an empty buffer for n
// bytes.
func (b *buffer) more(text []byte, n int) []byte {
	b.text = text
	b.flush()
	b.text = slices.Grow(b.text, n)
	return b.text
}

func (b *buffer) flush() {
	b.send(b.text)
	b.text = b.text[:0]
}

func (b *buffer) send(text []byte) {
	if b.err != nil || len(text) == 0 {
		return
	}
	_, b.err = b.to.Write(text)
}

// end writes the rest and returns the first error.
func (b *buffer) end() error {
	b.flush()
	b.to = nil
	return b.err
}
