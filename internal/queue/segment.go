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

// format defines the names and content of segments.
type format[T any] struct {
	extension string
	digits    int // of the number in a file name
	// The number in a name is the number of the first item without so many low bits.
	shift    uint
	maxItems int // of a segment; 0 is any number

	write func(w io.Writer, first uint64) writer[T]
	read  func(r io.ReaderAt, size int64, first uint64) (cursor[T], error)
	// look counts the items of a segment. next is the number of the next segment's first
	// item, or 0. Bytes from whole on are incomplete and are truncated. The error wraps
	// winperf.ErrBadData if the file is no segment, and winperf.ErrNotSupported if a later
	// version wrote it.
	look func(r io.ReaderAt, size int64, first, next uint64) (items int, whole int64, err error)
	size func(*T) int64 // of an item in a file; nil if unknown before writing
}

type writer[T any] interface {
	write(items []*T) error
	items() int
	size() int64
}

// segment is a file of items, or items for a file.
type segment[T any] struct {
	first uint64 // the number of its first item
	items int
	size  int64
	// began and last are the times of the first and last item, by the clock's Elapsed. For
	// a file of an earlier run only the latter is known and used for both.
	began, last time.Duration
	memory      *memory // bytes not accepted by the disk; nil for a file
	item        *T      // the only one, in a queue in memory
}

// parts is the number of segments within the limits: so much is dropped at once.
const parts = 8

// full reports whether the next item needs another file.
func (q *Queue[T]) full(s *segment[T], now time.Duration) bool {
	old := q.opt.MaxAge > 0 && now-s.began >= min(q.opt.MaxAge/parts, time.Hour)
	return old || s.size >= q.opt.Segment || q.format.maxItems > 0 && s.items >= q.format.maxItems
}

func (s *segment[T]) end() uint64 { return s.first + uint64(s.items) - 1 }

// left returns the number of items above done.
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

// oldest estimates when the oldest of the remaining items was appended.
func (s *segment[T]) oldest(left int) time.Duration {
	gone := float64(s.items-left) / float64(max(s.items-1, 1))
	return s.began + time.Duration(gone*float64(s.last-s.began))
}

func (q *Queue[T]) name(s *segment[T]) string {
	return fmt.Sprintf("%0*d%s", q.format.digits, s.first>>q.format.shift, q.format.extension)
}

func (q *Queue[T]) path(s *segment[T]) string { return filepath.Join(q.dir, q.name(s)) }

// parse returns the number of the first item of a file by its name, 0 for other names.
func (q *Queue[T]) parse(name string) (first uint64) {
	digits := strings.TrimSuffix(name, q.format.extension)
	number, err := strconv.ParseUint(digits, 10, 63)
	s := &segment[T]{first: number << q.format.shift}
	if err != nil || len(digits) != q.format.digits || q.name(s) != name {
		return 0
	}
	return s.first
}

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

// empty removes a file without a byte: the program was killed, or the disk was full, when
// it was created.
func (q *Queue[T]) empty(first uint64) bool {
	name := q.name(&segment[T]{first: first})
	info, err := q.files.Stat(name)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0 && q.files.Remove(name) == nil
}

// look counts the items of a file and adds it to the segments.
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
		_ = f.Close() // on Windows an open file cannot be renamed
		q.last = max(q.last, s.first)
		return q.setAside(s, err)
	case errors.Is(err, winperf.ErrBadData):
		q.last = max(q.last, s.first)
		q.report(fmt.Errorf("%s is ignored: %w", q.path(s), err))
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", q.name(s), err)
	}
	if s.size < info.Size() {
		if err := f.Truncate(s.size); err != nil {
			return err
		}
	}

	// A file cannot be younger than now, even if the clock was set.
	age := max(q.opt.Clock.Now().Sub(info.ModTime()), 0)
	s.last = q.opt.Clock.Elapsed() - age
	s.began = s.last
	q.last = max(q.last, s.end())
	q.segments = append(q.segments, s)
	return nil
}

// setAside renames a file of a later version. Otherwise that version would remove it,
// because items of later numbers were acknowledged.
func (q *Queue[T]) setAside(s *segment[T], why error) error {
	to := q.path(s) + ".later"
	if err := q.files.Rename(q.name(s), q.name(s)+".later"); err != nil {
		return errors.Join(why, err)
	}
	q.report(fmt.Errorf("%w; the samples of the file are not sent, and it was renamed to %s", why, to))
	return nil
}

// bound drops the oldest files while they have too many bytes, and then the oldest bytes in
// memory.
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
			q.report(fmt.Errorf("%d samples were dropped because it is full or they are too old", lost))
		}
		if s.memory == nil {
			total -= s.size
		}
		q.remove(0)
	}
}

// removeAcknowledged removes the oldest segments up to the first unacknowledged item.
func (q *Queue[T]) removeAcknowledged() {
	done := q.positions.least()
	for len(q.segments) > 0 && q.segments[0].left(done) == 0 && (q.w == nil || len(q.segments) > 1) {
		q.remove(0)
	}
}

// lose removes an unreadable file from the list and keeps it on disk.
func (q *Queue[T]) lose(s *segment[T], err error) {
	if s == q.latest() {
		_ = q.end() // the first error is reported
	}
	lost := s.left(q.positions.least())
	q.dropped += uint64(lost)
	q.report(fmt.Errorf("%d samples are lost: %w", lost, err))
	q.forget(slices.Index(q.segments, s))
}

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

// forget removes a segment from the list.
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

// segmentAfter returns the first segment with an item behind a number, or nil.
func (q *Queue[T]) segmentAfter(number uint64) *segment[T] {
	i := sort.Search(len(q.segments), func(i int) bool { return q.segments[i].end() > number })
	if i == len(q.segments) || q.segments[i].items == 0 {
		return nil
	}
	return q.segments[i]
}
