package pdhlog

import (
	"bytes"
	"errors"
	"io"
)

// errLongLine: the line is longer than the limit, and was passed over.
var errLongLine = errors.New("line too long")

// firstBuffer is how many bytes are asked for at once, as long as lines are
// not longer.
const firstBuffer = 256 << 10

// lines splits text at LF. Its memory is bounded by twice the limit of a line.
type lines struct {
	r      io.Reader
	limit  int
	expect int // how long the first line is likely to be, with its end
	buf    []byte
	at, to int   // what is in buf and not yet given out
	err    error // of r, given out behind what is in buf

	number int64 // of the line given out last, from 1
	start  int64 // its offset
	offset int64 // behind it
	ended  bool  // it has a line end
}

func newLines(r io.Reader, limit int) lines {
	return lines{r: r, limit: limit}
}

// next returns the next line without its end, valid until the next call.
// Behind the last one it returns io.EOF, or the reader's error, and errLongLine
// for a line above the limit.
func (l *lines) next() ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(l.buf[l.at+searched:l.to], '\n'); i >= 0 {
			return l.give(searched+i, 1), nil
		}
		searched = l.to - l.at
		if searched > l.limit {
			return nil, l.skip()
		}

		if l.err != nil {
			if searched == 0 || !isEnd(l.err) {
				return nil, l.err
			}
			return l.give(searched, 0), nil
		}
		l.fill()
	}
}

// give takes n bytes and the line end of end bytes out of buf.
func (l *lines) give(n, end int) []byte {
	line := l.buf[l.at : l.at+n]
	l.number++
	l.start, l.ended = l.offset, end > 0
	l.offset += int64(n + end)
	l.at += n + end
	if n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line
}

// fill reads more behind what is in buf.
func (l *lines) fill() {
	if l.at > 0 {
		l.to = copy(l.buf, l.buf[l.at:l.to])
		l.at = 0
	}

	if l.to == len(l.buf) {
		grown := make([]byte, max(firstBuffer, l.expect, 2*len(l.buf)))
		copy(grown, l.buf[:l.to])
		l.buf = grown
	}

	for empty := 0; l.err == nil; empty++ {
		var n int
		n, l.err = l.r.Read(l.buf[l.to:])
		if l.to += n; n > 0 {
			return
		}
		if empty == 100 {
			l.err = io.ErrNoProgress
		}
	}
}

// skip passes over the rest of a line that is too long.
func (l *lines) skip() error {
	l.number++
	l.start = l.offset
	for {
		if i := bytes.IndexByte(l.buf[l.at:l.to], '\n'); i >= 0 {
			l.offset += int64(i + 1)
			l.at += i + 1
			return errLongLine
		}
		l.offset += int64(l.to - l.at)
		l.at, l.to = 0, 0
		if l.err != nil {
			return errLongLine
		}
		l.fill()
	}
}
