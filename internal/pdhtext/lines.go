package pdhtext

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLongLine means that a line exceeded the limit and was skipped.
var errLongLine = errors.New("line too long")

// firstBuffer is the size of reads, unless lines are longer.
const firstBuffer = 256 << 10

// lines splits text at LF. Its memory is at most twice the limit of a line.
type lines struct {
	r      io.Reader
	buf    *bufio.Reader
	limit  int
	number int64 // of the last line, from 1
	start  int64 // its offset
	offset int64 // of its end
	ended  bool  // it has a line end
}

// newLines returns the lines of r. expect is the likely length of the first one.
func newLines(r io.Reader, limit, expect int) lines {
	return lines{r: r, buf: bufio.NewReaderSize(r, max(firstBuffer, expect)), limit: limit}
}

// next returns the next line without its end, valid until the next call. Behind the last
// one it returns io.EOF or the reader's error, and errLongLine for a line above the limit.
func (l *lines) next() ([]byte, error) {
	line, err := l.buf.ReadSlice('\n')
	for isFull(err) && len(line) <= l.limit {
		// The buffer holds only the beginning of the line, which is copied to a larger one.
		l.buf = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(line), l.r), 2*len(line))
		line, err = l.buf.ReadSlice('\n')
	}
	if err != nil && !isFull(err) && (len(line) == 0 || !isEnd(err)) {
		return nil, err
	}

	l.number++
	l.start = l.offset
	l.offset += int64(len(line))
	long := isFull(err)
	for isFull(err) {
		line, err = l.buf.ReadSlice('\n')
		l.offset += int64(len(line))
	}
	line, l.ended = bytes.CutSuffix(line, []byte{'\n'})
	if long || len(line) > l.limit {
		return nil, errLongLine
	}
	return bytes.TrimRight(line, "\r"), nil // some programs double CR
}

func isFull(err error) bool { return errors.Is(err, bufio.ErrBufferFull) }

func isEnd(err error) bool { return errors.Is(err, io.EOF) }
