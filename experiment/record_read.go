package experiment

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/winperf/winperf"
)

// ReadRecords reads records from lines of JSON, such as a file of an experiment or the body of a request.
// An error that wraps winperf.ErrBadData is about one line, which it names; reading continues after it.
// An incomplete last line, left by a killed program, is such an error. Any other error is from r and ends
// the sequence. Empty lines are ignored.
func ReadRecords(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := recordReader{in: bufio.NewReaderSize(r, 64<<10)}
		for {
			record, err := lines.read()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(record, err) || err != nil && !errors.Is(err, winperf.ErrBadData) {
				return
			}
		}
	}
}

type recordReader struct {
	in   *bufio.Reader
	line int
	buf  []byte
}

func (r *recordReader) read() (Record, error) {
	for {
		err := r.next()
		var bad *winperf.DataError
		if err != nil && !errors.As(err, &bad) {
			return Record{}, err
		}
		if err == nil && len(r.buf) == 0 {
			continue
		}

		var rec Record
		if err == nil {
			rec, err = ParseRecord(r.buf)
		}
		if errors.As(err, &bad) {
			bad.Line, bad.Offset = r.line, 0
		}
		return rec, err
	}
}

func (r *recordReader) next() error {
	r.buf = r.buf[:0]
	length := 0
	for {
		chunk, err := r.in.ReadSlice('\n')
		if length += len(chunk); length <= MaxRecord {
			r.buf = append(r.buf, chunk...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}

		if err != nil && (length == 0 || !errors.Is(err, io.EOF)) {
			return err
		}
		r.line++
		r.buf = bytes.TrimSpace(r.buf)
		if length > MaxRecord {
			return badRecord(fmt.Sprintf("line of %d bytes, expected at most %d", length, MaxRecord))
		}
		return nil
	}
}
