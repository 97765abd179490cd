package queue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
)

// format is how the segments of a queue are named, written and read.
type format[T any] struct {
	extension string
	digits    int // of the number in a name
	// The number in a name is that of its first item without the lowest bits, so many.
	shift    uint
	maxItems int // of a segment; 0 is any number

	write func(w io.Writer, first uint64) writer[T]
	read  func(r io.ReaderAt, size int64, first uint64) (cursor[T], error)
	// look finds the items of a segment. next is the number of the next segment's first item, 0 if there is
	// none. Bytes from whole on are no items, and are cut off. The error wraps winperf.ErrBadData if the file is
	// no segment, and winperf.ErrNotSupported if a later version wrote it.
	look func(r io.ReaderAt, size int64, first, next uint64) (items int, whole int64, err error)
	size func(*T) int64 // of an item in a file; nil if it is not known before it is written
}

// writer writes the items of a segment.
type writer[T any] interface {
	write(items []*T) error
	items() int
	size() int64
}

// segment is a file of items, or what will become one.
type segment[T any] struct {
	first uint64 // the number of its first item
	items int
	size  int64
	// began and last are when its first and last item were appended, by the clock's Elapsed. Of a file that was
	// there before only the latter is known, and is used for both.
	began, last time.Duration
	memory      *memory // the bytes that the disk did not accept; nil if they are in a file
	item        *T      // the only one, in a queue in memory
}

// parts is into how many segments the bounds are divided: so much is dropped at once.
const parts = 8

// full reports whether the next item belongs into another file.
func (q *Queue[T]) full(s *segment[T], now time.Duration) bool {
	old := q.opt.MaxAge > 0 && now-s.began >= min(q.opt.MaxAge/parts, time.Hour)
	return old || s.size >= q.opt.Segment || q.format.maxItems > 0 && s.items >= q.format.maxItems
}

// end returns the number of the last item.
func (s *segment[T]) end() uint64 { return s.first + uint64(s.items) - 1 }

// left returns how many items have a number above done.
func (s *segment[T]) left(done uint64) int {
	switch {
	case done < s.first:
		return s.items
	case done >= s.end():
		return 0
	default:
		return int(s.end() - done)
	}
}

// oldest returns when the oldest of the items that are left was appended, if they were appended evenly.
func (s *segment[T]) oldest(left int) time.Duration {
	gone := float64(s.items-left) / float64(max(s.items-1, 1))
	return s.began + time.Duration(gone*float64(s.last-s.began))
}

func (q *Queue[T]) name(s *segment[T]) string {
	return fmt.Sprintf("%0*d%s", q.format.digits, s.first>>q.format.shift, q.format.extension)
}

// path returns the name of a segment for messages.
func (q *Queue[T]) path(s *segment[T]) string { return filepath.Join(q.dir, q.name(s)) }

// parse returns the number of the first item of a file, 0 if the name is not one that a queue gives.
func (q *Queue[T]) parse(name string) (first uint64) {
	digits := strings.TrimSuffix(name, q.format.extension)
	number, err := strconv.ParseUint(digits, 10, 63)
	s := &segment[T]{first: number << q.format.shift}
	if err != nil || len(digits) != q.format.digits || q.name(s) != name {
		return 0
	}
	return s.first
}

// find finds the segments in the directory, and the positions of the readers.
func (q *Queue[T]) find() error {
	if err := q.readPositions(); err != nil {
		return err
	}
	files, err := q.files.ReadDir() // sorted by name, and so by number
	if err != nil {
		return err
	}

	var firsts []uint64
	for _, f := range files {
		first := q.parse(f.Name())
		switch {
		case first == 0:
		case f.IsDir():
			q.last = max(q.last, first)
		case q.empty(first):
			q.last = max(q.last, first|(1<<q.format.shift-1)-1) // no item had a number of this file
		default:
			firsts = append(firsts, first)
		}
	}
	for i, first := range firsts {
		next := uint64(0)
		if i+1 < len(firsts) {
			next = firsts[i+1]
		}
		if err := q.look(&segment[T]{first: first}, next); err != nil {
			return err
		}
	}

	q.removeAcknowledged()
	q.bound()
	return nil
}

// empty removes a file without a byte: the program was killed, or the disk was full, when it began.
func (q *Queue[T]) empty(first uint64) bool {
	name := q.name(&segment[T]{first: first})
	info, err := q.files.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0 && q.files.Remove(name) == nil
}

// look finds the items of a file, and adds it to the segments.
func (q *Queue[T]) look(s *segment[T], next uint64) error {
	f, err := q.files.OpenFile(q.name(s), os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}

	s.items, s.size, err = q.format.look(f, info.Size(), s.first, next)
	switch {
	case errors.Is(err, winperf.ErrNotSupported):
		_ = f.Close() // it was read, and on Windows an open file keeps its name
		q.last = max(q.last, s.first)
		return q.setAside(s, err)
	case errors.Is(err, winperf.ErrBadData):
		q.last = max(q.last, s.first)
		q.report(fmt.Errorf("%s is left alone: %w", q.path(s), err))
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", q.name(s), err)
	}
	if s.size < info.Size() {
		if err := f.Truncate(s.size); err != nil {
			return err
		}
	}

	// A file cannot be younger than now, whatever the time of day was when it was written.
	age := max(q.opt.Clock.Now().Sub(info.ModTime()), 0)
	s.last = q.opt.Clock.Elapsed() - age
	s.began = s.last
	q.last = max(q.last, s.end())
	q.segments = append(q.segments, s)
	return nil
}

// setAside renames a file of a later version. Under its own name it would be removed by that version, as if
// its items had been acknowledged before the ones that are written from now on.
func (q *Queue[T]) setAside(s *segment[T], why error) error {
	to := q.path(s) + ".later"
	if err := q.files.Rename(q.name(s), q.name(s)+".later"); err != nil {
		return errors.Join(why, err)
	}
	q.report(fmt.Errorf("%w; the samples of the file are not sent, and it is %s now", why, to))
	return nil
}

// bound drops the oldest files while there are too many bytes, and then the oldest bytes in memory.
func (q *Queue[T]) bound() {
	defer q.boundMemory()
	total := int64(0)
	for _, s := range q.segments {
		if s.memory == nil {
			total += s.size
		}
	}

	now := q.opt.Clock.Elapsed()
	for len(q.segments) > 0 && (q.w == nil || len(q.segments) > 1) {
		s := q.segments[0]
		old := q.opt.MaxAge > 0 && now-s.last > q.opt.MaxAge
		if (total <= q.opt.MaxBytes || len(q.segments) == 1) && !old {
			return
		}
		if lost := s.left(q.positions.least()); lost > 0 {
			q.dropped += uint64(lost)
			q.report(fmt.Errorf("%d samples were dropped, as it is full or they are too old", lost))
		}
		if s.memory == nil {
			total -= s.size
		}
		q.remove(0)
	}
}

// removeAcknowledged removes the oldest segments, up to one with items that some reader has not acknowledged.
func (q *Queue[T]) removeAcknowledged() {
	done := q.positions.least()
	for len(q.segments) > 0 && q.segments[0].left(done) == 0 && (q.w == nil || len(q.segments) > 1) {
		q.remove(0)
	}
}

// lose forgets a file that cannot be read any more, and leaves it alone.
func (q *Queue[T]) lose(s *segment[T], err error) {
	if s == q.latest() {
		_ = q.end() // the error that is reported is the first one
	}
	lost := s.left(q.positions.least())
	q.dropped += uint64(lost)
	q.report(fmt.Errorf("%d samples are lost: %w", lost, err))
	q.forget(slices.Index(q.segments, s))
}

// remove removes a segment that is not written any more.
func (q *Queue[T]) remove(i int) {
	s := q.segments[i]
	q.forget(i)
	switch {
	case s.item != nil:
		q.kept -= s.size
		return
	case s.memory != nil:
		return
	}
	if err := q.files.Remove(q.name(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.report(err)
	}
}

// forget takes a segment out of the list.
func (q *Queue[T]) forget(i int) {
	s := q.segments[i]
	for _, r := range q.readers {
		if r.segment == s {
			r.leave()
		}
	}
	if q.segments[i] = nil; i == 0 {
		q.segments = q.segments[1:]
	} else {
		q.segments = slices.Delete(q.segments, i, i+1)
	}
}

// removeEmpty removes the newest file if it has no item.
func (q *Queue[T]) removeEmpty() {
	if len(q.segments) > 0 && q.latest().items == 0 {
		q.remove(len(q.segments) - 1)
	}
}

// segmentAfter returns the first segment with an item behind a number, nil if there is none.
func (q *Queue[T]) segmentAfter(number uint64) *segment[T] {
	i := sort.Search(len(q.segments), func(i int) bool { return q.segments[i].end() > number })
	if i == len(q.segments) || q.segments[i].items == 0 {
		return nil
	}
	return q.segments[i]
}
