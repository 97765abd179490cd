package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// segment is a file of samples.
type segment struct {
	number  uint64
	size    int64
	samples int
	// began and last are when its first and last sample were appended, by the clock's Elapsed. Of a
	// file that was there before only the latter is known, and stands for both.
	began, last time.Duration
	memory      *memory // has the samples that the disk did not take; nil where they are in a file
}

const (
	extension    = ".capture"
	positionName = "position.json"
	// parts is into how many files the bounds are divided: so much is dropped at once.
	parts = 8
	// most bounds the samples of a file, and so what is read again after a start.
	most = 1024
	// highestNumber is that of a file whose name has all its digits.
	highestNumber = 999_999_999_999
)

// full reports whether the next sample belongs into another file.
func (s *segment) full(opt *Options, now time.Duration) bool {
	return s.size >= min(opt.MaxBytes/parts, 16<<20) || s.samples >= most ||
		now-s.began >= min(opt.MaxAge/parts, time.Hour)
}

// oldest is when the oldest sample was appended of those that are left, as samples come
// evenly.
func (s *segment) oldest(left int) time.Duration {
	gone := float64(s.samples-left) / float64(max(s.samples-1, 1))
	return s.began + time.Duration(gone*float64(s.last-s.began))
}

// over reports whether all samples are acknowledged.
func (s *segment) over(done Place) bool { return s.left(done) == 0 }

// left is how many samples are not acknowledged.
func (s *segment) left(done Place) int {
	switch {
	case done.Segment > s.number:
		return 0
	case done.Segment == s.number:
		return max(s.samples-done.Sample, 0)
	default:
		return s.samples
	}
}

func (s *segment) name() string { return fmt.Sprintf("%012d%s", s.number, extension) }

// path is the name of a segment in messages.
func (q *Queue) path(s *segment) string { return filepath.Join(q.dir, s.name()) }

// find finds what is in the directory.
func (q *Queue) find() error {
	if err := q.readPosition(); err != nil {
		q.opt.Tell(fmt.Errorf("queue %s: %w; samples may be sent again", q.dir, err))
	}
	files, err := q.files.ReadDir() // sorted by name, and so by number
	if err != nil {
		return err
	}

	for _, f := range files {
		number, err := strconv.ParseUint(strings.TrimSuffix(f.Name(), extension), 10, 64)
		s := &segment{number: number}
		if err != nil || number == 0 || number > highestNumber || s.name() != f.Name() {
			continue // nothing that a queue wrote
		}

		q.highest = max(q.highest, number)
		if !f.Type().IsRegular() || q.empty(s) {
			continue
		}
		if err := q.look(s); err != nil {
			return err
		}
	}

	q.removeOver()
	q.bound()
	return nil
}

// empty removes a file without a byte: the program was killed, or the disk was full, when it began.
func (q *Queue) empty(s *segment) bool {
	info, err := q.files.Stat(s.name())
	return err == nil && info.Size() == 0 && q.files.Remove(s.name()) == nil
}

// look finds out what is in a file, and takes it where that is a capture.
func (q *Queue) look(s *segment) error {
	f, err := q.files.OpenFile(s.name(), os.O_RDONLY)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}

	held, err := capture.Open(f, info.Size())
	_ = f.Close() // it was read
	switch {
	case errors.Is(err, winperf.ErrNotSupported):
		return q.setAside(s, err)
	case err != nil:
		q.opt.Tell(fmt.Errorf("queue: %s is left alone: %w", q.path(s), err))
		return nil
	}

	// A file cannot be younger than now, whatever the time of day was when it was written.
	age := max(q.opt.Clock.Now().Sub(info.ModTime()), 0)
	s.size, s.samples = info.Size(), held.Samples()
	s.last = q.opt.Clock.Elapsed() - age
	s.began = s.last
	q.segments = append(q.segments, s)
	return nil
}

// setAside gives a file of a later version another name. Under its own it would be removed by that
// version, as one that was sent before those that are written from now on.
func (q *Queue) setAside(s *segment, why error) error {
	to := q.path(s) + ".later"
	if err := q.files.Rename(s.name(), s.name()+".later"); err != nil {
		return errors.Join(why, err)
	}
	q.opt.Tell(fmt.Errorf("queue: %w; what is in the file is not sent, and it is %s now", why, to))
	return nil
}

// bound drops the oldest files while there is too much, and then what is too much in memory.
func (q *Queue) bound() {
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
		if (total <= q.opt.MaxBytes || len(q.segments) == 1) && now-s.last <= q.opt.MaxAge {
			return
		}
		if lost := s.left(q.done); lost > 0 {
			q.dropped += uint64(lost)
			q.opt.Tell(fmt.Errorf("queue %s: %d samples were dropped, as it is full or they are too old", q.dir, lost))
		}
		if s.memory == nil {
			total -= s.size
		}
		q.remove(0)
	}
}

// removeOver removes the oldest files, up to one that has samples which are not acknowledged.
func (q *Queue) removeOver() {
	for len(q.segments) > 0 && q.segments[0].over(q.done) && (q.w == nil || len(q.segments) > 1) {
		q.remove(0)
	}
}

// lose forgets a file that cannot be read any more, and leaves it alone.
func (q *Queue) lose(s *segment, err error) {
	if s == q.latest() {
		q.end()
	}
	lost := s.left(q.done)
	q.dropped += uint64(lost)
	q.opt.Tell(fmt.Errorf("queue: %d samples are lost: %w", lost, err))
	q.forget(slices.Index(q.segments, s))
}

// remove removes a file that is not written any more.
func (q *Queue) remove(i int) {
	s := q.segments[i]
	q.forget(i)
	if s.memory != nil {
		return
	}
	if err := q.files.Remove(s.name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.opt.Tell(fmt.Errorf("queue: %w", err))
	}
}

// forget takes a segment out of the list.
func (q *Queue) forget(i int) {
	number := q.segments[i].number
	q.segments = slices.Delete(q.segments, i, i+1)
	if q.reading.at.Segment == number {
		q.reading.leave(Place{Segment: number + 1})
	}
}

// removeEmpty removes the newest file if no sample is in it.
func (q *Queue) removeEmpty() {
	if len(q.segments) > 0 && q.latest().samples == 0 {
		q.remove(len(q.segments) - 1)
	}
}

// readPosition reads how far the reader was. Nothing is an error that keeps the queue from
// being read from its beginning.
func (q *Queue) readPosition() error {
	text, err := q.files.ReadFile(positionName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var at Place
	err = json.Unmarshal(text, &at)
	if err == nil && (at.Sample < 0 || at.Segment > highestNumber) {
		err = fmt.Errorf("there is no sample %d of file %d", at.Sample, at.Segment)
	}
	if err != nil {
		return fmt.Errorf("%s holds no position: %w", positionName, err)
	}
	q.done = at
	return nil
}

// note writes how far the reader is. The file has its name when it is complete.
func (q *Queue) note() error {
	text, err := json.Marshal(q.done)
	if err != nil {
		return err
	}
	return q.files.Replace(positionName, text, false)
}
