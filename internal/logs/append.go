package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/pdhlog"
	"github.com/winperf/winperf/internal/pdhtext"
)

// Tail is the end of a log that is appended to.
type Tail struct {
	capture *capture.Tail
	head    *pdhtext.Head // the last one of a text log
	blg     *pdhlog.Tail
}

// CanAppend reports whether files of a format and name can be appended to.
func CanAppend(format, name string) bool {
	switch format {
	case Capture, BLG, "csv", "tsv":
		return true
	}
	return format == "jsonl" && !IsPacked(name)
}

// OpenTail prepares a file for appending and seeks to its end. It returns the number of damaged
// bytes that it cut off the end of a capture.
func OpenTail(f *os.File, format string) (tail *Tail, broken int64, err error) {
	tail, _, broken, err = openTail(f, format)
	return tail, broken, err
}

// openTail is OpenTail; it also returns the offset for appending. It ends the last line of a text
// log. Files of another format and damaged binary logs are not changed.
func openTail(f *os.File, format string) (tail *Tail, at, broken int64, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return &Tail{}, 0, 0, err
	}

	tail, at = &Tail{}, info.Size()
	content := io.NewSectionReader(f, 0, at)
	switch format {
	case Capture:
		tail.capture, err = captureTail(content)
		if err == nil && tail.capture.Broken > 0 {
			broken = tail.capture.Broken
			at -= broken
			err = f.Truncate(at)
		}
	case BLG:
		tail.blg, err = pdhlog.ReadTail(f, at)
	case "jsonl":
		err = looksLikeJSON(content)
	default:
		tail.head, err = lastHead(content, format)
	}
	if err != nil {
		return nil, 0, 0, err
	}

	if _, err := f.Seek(at, io.SeekStart); err != nil || IsRaw(format) {
		return tail, at, broken, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], at-1); err != nil || last[0] == '\n' {
		return tail, at, 0, err
	}
	n, err := f.WriteString("\r\n")
	return tail, at + int64(n), 0, err
}

func captureTail(content *io.SectionReader) (*capture.Tail, error) {
	held, err := capture.Open(content, content.Size())
	if err != nil {
		return nil, err
	}
	return held.Tail(), nil
}

// looksLikeJSON returns an error for a file that does not begin like JSON lines.
func looksLikeJSON(r io.Reader) error {
	begin := make([]byte, 64)
	n, err := io.ReadFull(r, begin)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if text := bytes.TrimSpace(begin[:n]); len(text) > 0 && text[0] != '{' {
		return fmt.Errorf("%w: it begins with %q, expected lines of JSON", winperf.ErrBadData, text[:1])
	}
	return nil
}

func lastHead(r io.ReadSeeker, format string) (*pdhtext.Head, error) {
	var mark [2]byte
	_, err := io.ReadFull(r, mark[:])
	if err == nil && (mark == [2]byte{0xFF, 0xFE} || mark == [2]byte{0xFE, 0xFF}) {
		const form = "cannot append UTF-8 to a file in UTF-16: %w"
		return nil, fmt.Errorf(form, winperf.ErrNotSupported)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}

	log, err := pdhtext.NewReader(r, pdhtext.ReadOptions{})
	for err == nil {
		err = log.NextHead()
	}

	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	is := map[pdhtext.Format]string{pdhtext.CSV: "csv", pdhtext.TSV: "tsv"}[log.Head().Format]
	if is != format {
		const form = "the file is a %s log; appending %s to it is %w"
		return nil, fmt.Errorf(form, is, format, winperf.ErrNotSupported)
	}
	return log.Head(), nil
}
