package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// NewReader looks for a byte order mark at the start of a text, or for the NUL
// bytes of UTF-16 without one. It returns the text from behind the mark on,
// UTF-16 as UTF-8, and its code page: [UTF8], or 0 where nothing tells.
func NewReader(r io.Reader) (io.Reader, uint32, error) {
	b := bufio.NewReaderSize(r, 64)
	start, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}

	var order unicode.Endianness
	switch {
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, err := b.Discard(3)
		return b, UTF8, err
	case bytes.HasPrefix(start, []byte("\xff\xfe")), len(start) == 4 && start[1] == 0 && start[3] == 0:
		order = unicode.LittleEndian
	case bytes.HasPrefix(start, []byte("\xfe\xff")), len(start) == 4 && start[0] == 0 && start[2] == 0:
		order = unicode.BigEndian
	default:
		return b, 0, nil
	}
	return transform.NewReader(b, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), UTF8, nil
}
