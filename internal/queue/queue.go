// Package queue keeps samples in a directory until they have been dealt with: captures of
// bounded size, one after the other, and a file that says how far a reader is. What was
// appended survives the end of the program, however it ends, and is read in its order.
//
// Append gives a sample to the system in one call, so that a program that is killed loses at
// most the one that it was appending. The loss of power costs what the system had not
// written; every SyncEvery the queue makes it write. What was read and not acknowledged
// is read again: samples come at least once.
package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/filelock"
)

// ErrInUse says that another queue, or another program, has the directory.
var ErrInUse = errors.New("the queue is in use by another program; let it end first, or name another directory")

// Options for a Queue. The zero Options are good defaults.
type Options struct {
	// MaxBytes bounds the files together; 0 means 256 MiB. The latest sample stays, however large.
	MaxBytes int64
	// MaxAge is for how long samples are kept; 0 means 48 hours.
	MaxAge time.Duration
	// SyncEvery is how often what was appended is put on the disk; 0 means a minute, less
	// than 0 never.
	SyncEvery time.Duration
	// Capture are those of the files: where the samples are from.
	Capture capture.Options
	// Tell is told what is wrong with the files, and what was dropped; nil tells nobody.
	Tell func(error)
	// Now is the time of day; nil is the system's.
	Now func() time.Time
}

func (o *Options) settle() {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.MaxAge <= 0 {
		o.MaxAge = 48 * time.Hour
	}
	if o.SyncEvery == 0 {
		o.SyncEvery = time.Minute
	}
	if o.Tell == nil {
		o.Tell = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Place is where a sample stands in a queue.
type Place struct {
	Segment uint64 `json:"segment"` // the number of the file, from 1
	Sample  int    `json:"sample"`  // its number in the file, from 1; 0 stands in front of the first
}

// behind reports whether p stands behind q.
func (p Place) behind(q Place) bool {
	return p.Segment > q.Segment || p.Segment == q.Segment && p.Sample > q.Sample
}

// Stats is what is in a queue.
type Stats struct {
	Bytes   int64     // of all files
	Samples int       // that are not acknowledged
	Oldest  time.Time // when the oldest of them was appended, within its file; zero where there is none
	Dropped uint64    // samples that were lost since the queue was opened: too old, too many, or not written
}

// Queue is samples in a directory. One goroutine appends, and one reads.
type Queue struct {
	dir     string
	opt     Options
	lock    *os.File
	changed chan struct{} // has something when samples were appended

	mu       sync.Mutex
	segments []*segment // oldest first; the last one is written while w is not nil
	highest  uint64     // number of a file
	done     Place      // all up to here are acknowledged
	dropped  uint64

	file   *os.File // of w
	w      *capture.Writer
	synced time.Time

	reading reader
}

// Open opens the queue in a directory, which is made where it is not there. An error
// wraps ErrInUse, or is that of the system.
func Open(dir string, opt Options) (*Queue, error) {
	opt.settle()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}

	locked, err := filelock.Try(lock)
	if err == nil && !locked {
		err = ErrInUse
	}
	q := &Queue{dir: dir, opt: opt, lock: lock, changed: make(chan struct{}, 1)}
	if err == nil {
		err = q.find()
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), lock.Close())
	}
	q.Rewind()
	return q, nil
}

// Changed has something when samples may have been appended since it last had.
func (q *Queue) Changed() <-chan struct{} { return q.changed }

// Append appends a sample. Where the files would be too large or too old together, the
// oldest ones are dropped. After an error the sample is lost, and the next one goes into
// a new file.
func (q *Queue) Append(s *winperf.Sample) error {
	q.mu.Lock()
	defer q.mu.Unlock()

	err := q.append(s)
	if err != nil {
		q.dropped++
		q.end()
		q.removeEmpty()
		return fmt.Errorf("queue %s: %w", q.dir, err)
	}
	q.bound()

	select {
	case q.changed <- struct{}{}:
	default:
	}
	return nil
}

func (q *Queue) append(s *winperf.Sample) error {
	now := q.opt.Now()
	if q.w != nil && q.latest().full(&q.opt, now) {
		q.end()
	}
	if q.w == nil {
		if err := q.begin(now); err != nil {
			return err
		}
	}

	if err := q.w.Write(s); err != nil {
		return err
	}
	at := q.latest()
	at.samples, at.size, at.last = q.w.Samples(), q.w.Size(), now
	return q.sync(now)
}

// sync puts what was appended on the disk when it is time.
func (q *Queue) sync(now time.Time) error {
	if q.opt.SyncEvery < 0 || now.Sub(q.synced) < q.opt.SyncEvery && !now.Before(q.synced) {
		return nil
	}
	q.synced = now
	return q.file.Sync()
}

// begin begins a file.
func (q *Queue) begin(now time.Time) error {
	q.highest = max(q.highest, q.done.Segment) + 1
	s := &segment{number: q.highest, began: now, last: now}
	f, err := os.OpenFile(q.name(s), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	q.file, q.w = f, capture.NewWriter(f, q.opt.Capture)
	q.segments = append(q.segments, s)
	return nil
}

// end ends the file that is written. It need not be closed as a capture: its samples are
// whole without that.
func (q *Queue) end() {
	if q.w == nil {
		return
	}
	if err := errors.Join(q.file.Sync(), q.file.Close()); err != nil {
		q.opt.Tell(fmt.Errorf("queue %s: %w", q.dir, err))
	}
	q.file, q.w = nil, nil
}

func (q *Queue) latest() *segment { return q.segments[len(q.segments)-1] }

// Next gives up what s holds and fills it with the next sample. It returns io.EOF where
// there is none now, which another Append changes. Damage is in the sample.
func (q *Queue) Next(ctx context.Context, s *winperf.Sample) (Place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()

	s.Release()
	for {
		seg := q.segmentFrom(q.reading.at.Segment)
		if seg == nil {
			return Place{}, io.EOF
		}
		place, err := q.reading.next(ctx, q, seg, s)
		if !errors.Is(err, io.EOF) {
			return place, err
		}
		if seg == q.latest() {
			return Place{}, io.EOF // more may come
		}
		q.reading.leave(Place{Segment: seg.number + 1})
	}
}

// segmentFrom returns the first file with this number or a higher one.
func (q *Queue) segmentFrom(number uint64) *segment {
	for _, s := range q.segments {
		if s.number >= number {
			return s
		}
	}
	return nil
}

// Rewind goes back to the first sample that is not acknowledged.
func (q *Queue) Rewind() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reading.leave(q.done)
}

// Done acknowledges all samples up to a place, and removes files that nothing else is in.
func (q *Queue) Done(p Place) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !p.behind(q.done) {
		return nil
	}
	q.done = p
	err := q.note()

	for len(q.segments) > 0 && q.segments[0].over(q.done) && (q.w == nil || len(q.segments) > 1) {
		q.remove()
	}
	return err
}

// Stats returns what is in the queue now.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	st := Stats{Dropped: q.dropped}
	for _, s := range q.segments {
		left := s.left(q.done)
		st.Bytes += s.size
		st.Samples += left
		if left > 0 && st.Oldest.IsZero() {
			st.Oldest = s.began
		}
	}
	return st
}

// Close closes the queue. What is in it stays.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end()
	q.reading.leave(q.done)
	return q.lock.Close()
}
