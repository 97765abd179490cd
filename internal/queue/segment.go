package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/capture"
)

// segment is a file of samples.
type segment struct {
	number  uint64
	size    int64
	samples int
	// began and last are when its first and last sample were appended. Of a file that was
	// there before only the latter is known, and stands for both.
	began, last time.Time
}

const (
	extension    = ".capture"
	positionName = "position.json"
	// parts is into how many files the bounds are divided: so much is dropped at once.
	parts = 8
	// most bounds the samples of a file, and so what is read again after a start.
	most = 1024
)

// full reports whether the next sample belongs into another file.
func (s *segment) full(opt *Options, now time.Time) bool {
	age := now.Sub(s.began)
	return s.size >= min(opt.MaxBytes/parts, 16<<20) || s.samples >= most ||
		age >= min(opt.MaxAge/parts, time.Hour) || age < 0 // the time of day was set
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

func (q *Queue) name(s *segment) string {
	return filepath.Join(q.dir, fmt.Sprintf("%012d%s", s.number, extension))
}

// find finds what is in the directory.
func (q *Queue) find() error {
	if err := q.readPosition(); err != nil {
		q.opt.Tell(fmt.Errorf("queue %s: %w; samples may be sent again", q.dir, err))
	}
	files, err := os.ReadDir(q.dir) // sorted by name, and so by number
	if err != nil {
		return err
	}

	for _, f := range files {
		number, err := strconv.ParseUint(strings.TrimSuffix(f.Name(), extension), 10, 64)
		if err != nil || number == 0 || !f.Type().IsRegular() {
			continue
		}
		s := &segment{number: number}
		if q.name(s) != filepath.Join(q.dir, f.Name()) {
			continue // nothing that a queue wrote
		}

		q.highest = max(q.highest, number)
		if q.empty(s) {
			continue
		}
		if err := q.look(s); err != nil {
			return err
		}
	}

	for len(q.segments) > 0 && q.segments[0].over(q.done) {
		q.remove()
	}
	q.bound()
	return nil
}

// empty removes a file without a byte: the program was killed, or the disk was full, when it began.
func (q *Queue) empty(s *segment) bool {
	info, err := os.Stat(q.name(s))
	return err == nil && info.Size() == 0 && os.Remove(q.name(s)) == nil
}

// look finds out what is in a file, and takes it where that is a capture.
func (q *Queue) look(s *segment) error {
	f, err := os.Open(q.name(s))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}

	held, err := capture.Open(f, info.Size())
	if err != nil {
		q.opt.Tell(fmt.Errorf("queue: %s is left alone: %w", f.Name(), err))
		return nil
	}

	s.size, s.samples = info.Size(), held.Samples()
	s.began, s.last = info.ModTime(), info.ModTime()
	q.segments = append(q.segments, s)
	return nil
}

// bound drops the oldest files while there is too much.
func (q *Queue) bound() {
	total := int64(0)
	for _, s := range q.segments {
		total += s.size
	}

	now := q.opt.Now()
	for len(q.segments) > 0 && (q.w == nil || len(q.segments) > 1) {
		s := q.segments[0]
		if (total <= q.opt.MaxBytes || len(q.segments) == 1) && now.Sub(s.last) <= q.opt.MaxAge {
			return
		}
		if lost := s.left(q.done); lost > 0 {
			q.dropped += uint64(lost)
			q.opt.Tell(fmt.Errorf("queue %s: %d samples were dropped, as it is full or they are too old", q.dir, lost))
		}
		total -= s.size
		q.remove()
	}
}

// remove removes the oldest file, which is not written any more.
func (q *Queue) remove() {
	s := q.segments[0]
	q.segments = q.segments[1:]
	if q.reading.at.Segment <= s.number {
		q.reading.leave(Place{Segment: s.number + 1})
	}
	q.delete(s)
}

// delete deletes the file of a segment.
func (q *Queue) delete(s *segment) {
	if err := os.Remove(q.name(s)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		q.opt.Tell(fmt.Errorf("queue: %w", err))
	}
}

// removeEmpty removes the newest file if no sample is in it.
func (q *Queue) removeEmpty() {
	if len(q.segments) == 0 || q.latest().samples > 0 {
		return
	}
	s := q.latest()
	q.segments = q.segments[:len(q.segments)-1]
	if q.reading.at.Segment == s.number {
		q.reading.leave(Place{Segment: s.number + 1})
	}
	q.delete(s)
}

// readPosition reads how far the reader was. Nothing is an error that keeps the queue from
// being read from its beginning.
func (q *Queue) readPosition() error {
	name := filepath.Join(q.dir, positionName)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	var at Place
	if err := json.Unmarshal(text, &at); err != nil || at.Sample < 0 {
		return fmt.Errorf("%s holds no position: %w", name, err)
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
	name := filepath.Join(q.dir, positionName)
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}
