package console

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest accepted line of standard input, in bytes.
const MaxLine = 64 << 10

// LineReader reads lines and skips lines that are too long.
type LineReader struct {
	Buffer *bufio.Reader
	Failed error // of the underlying reader
}

// NewLineReader returns a reader of the lines of r.
func NewLineReader(r io.Reader) *LineReader {
	return &LineReader{Buffer: bufio.NewReaderSize(r, MaxLine)}
}

// Next returns the next line without its end, valid until the next call; io.EOF at the end, or another
// error for a line that is too long.
func (l *LineReader) Next() ([]byte, error) {
	line, err := l.Buffer.ReadSlice('\n')
	long := errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = l.Buffer.ReadSlice('\n')
	}

	if err != nil && err != io.EOF {
		l.Failed = err
		return nil, io.EOF
	}

	switch {
	case long:
		return nil, fmt.Errorf("longer than %d bytes", MaxLine)
	case err == io.EOF && len(line) == 0:
		return nil, io.EOF
	}
	return bytes.TrimRight(line, "\r\n"), nil
}
