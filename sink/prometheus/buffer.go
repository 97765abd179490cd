package prometheus

import (
	"io"
	"slices"
)

// bufferSize is how much text is gathered for one write, in bytes.
const bufferSize = 64 << 10

// buffer gathers text for a writer. Its size is fixed, but where one line is longer.
type buffer struct {
	text []byte
	to   io.Writer
	err  error // of the writer, which gets nothing more
}

// begin lets what comes go to another writer.
func (b *buffer) begin(to io.Writer) {
	if b.text == nil {
		b.text = make([]byte, 0, bufferSize)
	}
	b.text, b.to, b.err = b.text[:0], to, nil
}

// write takes text of any length.
func (b *buffer) write(text []byte) {
	if len(b.text)+len(text) > cap(b.text) {
		b.flush()
	}
	if len(text) > cap(b.text) {
		b.hand(text)
		return
	}
	b.text = append(b.text, text...)
}

// more returns text, which is that of b with what was appended to it, with
// room for n bytes.
func (b *buffer) more(text []byte, n int) []byte {
	b.text = text
	b.flush()
	b.text = slices.Grow(b.text, n)
	return b.text
}

// flush hands on what was gathered.
func (b *buffer) flush() {
	b.hand(b.text)
	b.text = b.text[:0]
}

func (b *buffer) hand(text []byte) {
	if b.err != nil || len(text) == 0 {
		return
	}
	_, b.err = b.to.Write(text)
}

// end hands on the rest and returns the first error.
func (b *buffer) end() error {
	b.flush()
	b.to = nil
	return b.err
}
