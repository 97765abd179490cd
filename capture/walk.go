package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/winperf/winperf"
)

// walk reads record after record. Behind damage it finds the next record by its mark.
type walk struct {
	f       *File
	at      int64 // offset of the next record
	number  int64 // expected number of the next record, -1 if unknown
	anyFile bool  // accept records of every file id
	damage  func(*winperf.DataError)
	skipped int64 // bytes of damaged payloads

	window []byte // a part of the file
	from   int64  // its offset
	field  int    // bytes per read; 0 is windowSize
}

// Bytes per read, unless more are needed.
const (
	windowSize = 32 << 10
	headRead   = 512 // if only heads are needed
)

// view returns up to n bytes from an offset, fewer at the end of the file. They are valid
// until the next call.
func (w *walk) view(offset int64, n int) ([]byte, error) {
	if at := offset - w.from; at >= 0 && at+int64(n) <= int64(len(w.window)) {
		return w.window[at : at+int64(n)], nil
	}
	if left := w.f.size - offset; int64(n) > left {
		n = int(max(left, 0))
	}

	size := max(n, w.field)
	if w.field == 0 {
		size = max(n, windowSize)
	}

	w.window = slices.Grow(w.window[:0], size)[:size]
	got, err := w.f.readAt(w.window, offset)
	w.window, w.from = w.window[:got], offset
	return w.window[:min(n, got)], err
}

// head reads the head of the record at an offset; ok is false if the head is missing or the
// record exceeds the file.
func (w *walk) head(offset int64) (h head, ok bool, err error) {
	b, err := w.view(offset, headSize)
	if err != nil {
		return head{}, false, err
	}
	h, ok = parseHead(b, offset)
	return h, ok && w.fits(&h), nil
}

// next returns the head of the next record and moves behind it. At the end of the file it
// returns io.EOF.
func (w *walk) next() (head, error) {
	if w.at >= w.f.size {
		return head{}, io.EOF
	}
	h, ok, err := w.head(w.at)
	if err != nil {
		return head{}, err
	}

	if !ok {
		from := w.at
		h, err = w.resync()
		if err != nil && !errors.Is(err, io.EOF) {
			return head{}, err
		}
		w.reportGap(from, &h, err != nil)
		if err != nil {
			w.at = w.f.size
			return head{}, err
		}
	} else if w.number >= 0 && int64(h.number) != w.number && w.damage != nil {
		const msg = "found record %d, expected %d: records are missing or out of order"
		w.damage(&winperf.DataError{Offset: h.offset, Msg: fmt.Sprintf(msg, h.number, w.number)})
	}
	w.at, w.number = h.end(), int64(h.number)+1
	return h, nil
}

// reportGap reports that the bytes from an offset are not a record. They end at the record h
// or, with atEnd, at the end of the file.
func (w *walk) reportGap(from int64, h *head, atEnd bool) {
	if w.damage == nil {
		return
	}
	if atEnd {
		w.damage(w.brokenTail(from))
		return
	}

	d := &winperf.DataError{Offset: from, Len: h.offset - from}
	d.Msg = fmt.Sprintf("%d bytes are not a record", d.Len)
	if lost := int64(h.number) - w.number; w.number >= 0 && lost > 0 {
		d.Msg += fmt.Sprintf("; %d records are lost", lost)
	}
	w.damage(d)
}

// brokenTail returns the damage of an incomplete last record.
func (w *walk) brokenTail(from int64) *winperf.DataError {
	d := &winperf.DataError{Offset: from, Len: w.f.size - from}
	b, _ := w.view(from, headSize) // any error was reported before
	if h, ok := parseHead(b, from); ok {
		d.Msg = fmt.Sprintf("the last record ends after %d of %d bytes", d.Len, h.end()-from)
	} else {
		d.Msg = fmt.Sprintf("the last %d bytes are not a whole record", d.Len)
	}
	return d
}

// resync returns the head of the first record behind w.at, or io.EOF.
func (w *walk) resync() (head, error) {
	for at := w.at + 1; at < w.f.size; {
		b, err := w.view(at, windowSize)
		if err != nil {
			return head{}, err
		}
		if len(b) < headSize {
			break
		}

		whole := len(b) - headSize + 1 // heads that begin before here are complete
		for i := 0; i < whole; i++ {
			k := bytes.Index(b[i:], mark[:])
			if k < 0 || i+k >= whole {
				break
			}
			i += k
			if h, ok := parseHead(b[i:], at+int64(i)); ok && w.fits(&h) {
				return h, nil
			}
		}
		at += int64(whole)
	}
	return head{}, io.EOF
}

// fits reports whether a record can belong to the file.
func (w *walk) fits(h *head) bool {
	return (w.anyFile || h.file == w.f.id) && h.end() <= w.f.size
}

// skip moves behind a record whose payload is damaged. If no record begins there, the
// payload lacks bytes and the next record begins within it. The total is limited, because a
// file may consist of such records.
func (w *walk) skip(h *head) error {
	const times = 4 // limit in lengths of the file
	w.skipped += int64(h.stored)
	if h.end() == w.f.size || w.skipped > times*w.f.size {
		return nil
	}

	_, ok, err := w.head(h.end())
	if err != nil || ok {
		return err
	}

	next, err := (&walk{f: w.f, at: h.offset}).resync()
	if err == nil {
		w.at = next.offset
	}

	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// within moves back to a record that begins within the last record of the file, if that one
// is damaged and lacks bytes.
func (w *walk) within(last *head) (more bool, err error) {
	if last.kind == 0 || last.end() == w.f.size {
		return false, nil
	}
	if _, err := w.payload(last); !isDamage(err) {
		return false, err
	}
	w.at = last.end()
	err = w.skip(last)
	return w.at != last.end(), err
}

// payload reads the stored payload of a record. It is valid until the next step. A payload
// longer than its kind allows is not read.
func (w *walk) payload(h *head) ([]byte, error) {
	if most := h.kind.most(); max(h.stored, h.size) > most {
		return nil, fmt.Errorf("%w: %d bytes, expected at most %d", errTooLong, max(h.stored, h.size), most)
	}
	b, err := w.view(h.offset+headSize, int(h.stored))
	if err != nil {
		return nil, err
	}
	if len(b) < int(h.stored) || checksum(b) != h.sum {
		return nil, errChecksum
	}
	if h.compression == stored && h.stored != h.size || h.compression > deflated {
		return nil, errCompression
	}
	return b, nil
}

const (
	errChecksum    = fault("wrong checksum")
	errTooLong     = fault("the record is too long")
	errCompression = fault("unknown compression")
)

// plain reads the record at w.at, if it has this kind and is not compressed; otherwise
// payload is nil.
func (w *walk) plain(k kind) (h head, payload []byte, err error) {
	h, ok, err := w.head(w.at)
	if err != nil || !ok || h.kind != k || h.compression != stored {
		return h, nil, err
	}
	payload, err = w.payload(&h)
	if isDamage(err) {
		return h, nil, nil
	}
	return h, payload, err
}

// fault is an error in the bytes of the file, not in reading them.
type fault string

func (f fault) Error() string { return string(f) }

// isDamage reports whether an error is about the bytes of the file.
func isDamage(err error) bool { return errors.As(err, new(fault)) }
