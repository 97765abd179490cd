package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxLine is the length above which a line of standard input is not read.
const maxLine = 64 << 10

// lineReader reads lines, and passes over those that are too long.
type lineReader struct {
	buffer *bufio.Reader
	failed error // of the underlying reader
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{buffer: bufio.NewReaderSize(r, maxLine)}
}

// next returns the next line without its end, valid until the next call; io.EOF at the end,
// and another error for a line that is too long.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.buffer.ReadSlice('\n')
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.buffer.ReadSlice('\n')
	}

	if err != nil && err != io.EOF {
		l.failed = err
		return nil, io.EOF
	}

	switch {
	case long:
		return nil, fmt.Errorf("longer than %d bytes", maxLine)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	}
	return bytes.TrimRight(line, "\r\n"), nil
}
