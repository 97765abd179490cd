// Package queue keeps samples in a directory until they have been dealt with: captures of
// bounded size, one after the other, and a file that says how far a reader is. What was
// appended survives the end of the program, however it ends, and is read in its order.
//
// Append gives a sample to the system in one call, so that a program that is killed loses at
// most the one that it was appending. The loss of power costs what the system had not
// written; every SyncEvery the queue makes it write. What was read and not acknowledged
// is read again: samples come at least once.
//
// While the disk takes nothing, the latest samples are in memory, as many as fit into 4 MiB. They can
// be read, and are written as soon as that succeeds.
package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/internal/queuedir"
	"github.com/winperf/winperf/internal/schedule"
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
	// Tell is told what is wrong with the files, and what was dropped; nil tells nobody. What stays
	// wrong is told once.
	Tell func(error)
	// Clock tells how old samples are; nil is the system's. The time of day matters only for those that
	// were there before: it may be set.
	Clock schedule.Clock
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
	o.Clock = schedule.OrSystem(o.Clock)
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
	Oldest  time.Time // about when the oldest of them was appended; zero where there is none
	Dropped uint64    // samples that were lost since the queue was opened: too old, too many, or damaged
	// Unwritten are samples since then that the disk did not take at first, and Memory
	// is what those need that it has not taken yet.
	Unwritten uint64
	Memory    int64
}

// Queue is samples in a directory. One goroutine appends, and one reads.
type Queue struct {
	dir     string
	files   *queuedir.Dir
	opt     Options
	lock    *os.File
	changed chan struct{} // has something when samples were appended

	mu       sync.Mutex
	segments []*segment // oldest first; the last one is written while w is not nil
	highest  uint64     // number of a file
	done     Place      // all up to here are acknowledged
	dropped  uint64

	w      *capture.Writer
	file   *os.File // of w; nil where that is in memory
	synced time.Duration
	memory unwritten
	told   bool // that the position could not be written

	reading reader
}

// Open opens the queue in a directory, which is made where it is not there. An error
// wraps ErrInUse, or is that of the system.
func Open(dir string, opt Options) (*Queue, error) {
	opt.settle()
	files, err := queuedir.Open(dir)
	if err != nil {
		return nil, err
	}
	lock, err := files.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), files.Close())
	}

	locked, err := filelock.Try(lock)
	if err == nil && !locked {
		err = ErrInUse
	}
	q := &Queue{dir: dir, files: files, opt: opt, lock: lock, changed: make(chan struct{}, 1)}
	q.synced = opt.Clock.Elapsed() - opt.SyncEvery
	if err == nil {
		err = q.find()
	}

	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), lock.Close(), files.Close())
	}
	q.Rewind()
	return q, nil
}

// Changed has something when samples may have been appended since it last had.
func (q *Queue) Changed() <-chan struct{} { return q.changed }

// Append appends a sample. Where the files would be too large or too old together, the
// oldest ones are dropped. What the disk does not take is in memory. After an error the
// sample is lost, and the next one goes into a new file.
func (q *Queue) Append(s *winperf.Sample) error {
	q.mu.Lock()
	defer q.mu.Unlock()

	if err := q.append(s); err != nil {
		q.dropped++
		return fmt.Errorf("queue %s: %w", q.dir, err)
	}
	q.bound()

	select {
	case q.changed <- struct{}{}:
	default:
	}
	return nil
}

// append gives a sample to the disk, or to memory. A disk that is full may have room when files
// are gone that are not needed, and a file that cannot grow may be followed by another.
func (q *Queue) append(s *winperf.Sample) error {
	err := q.writeMemory()
	if err != nil {
		return q.toMemory(s, err)
	}

	if err = q.toDisk(s); err != nil {
		q.giveUp()
		err = q.toDisk(s)
	}
	if err != nil {
		q.giveUp()
		return q.toMemory(s, err)
	}
	q.recovered()
	return nil
}

func (q *Queue) toDisk(s *winperf.Sample) error {
	now := q.opt.Clock.Elapsed()
	if q.w != nil && q.latest().full(&q.opt, now) {
		q.end()
	}
	if q.w == nil {
		if err := q.begin(now); err != nil {
			return err
		}
	}

	if err := q.write(s, now); err != nil {
		return err
	}
	q.sync(now)
	return nil
}

// write writes a sample where w does.
func (q *Queue) write(s *winperf.Sample, now time.Duration) error {
	at, before := q.latest(), q.w.Samples()
	err := q.w.Write(s)
	at.samples, at.size, at.last = q.w.Samples(), q.w.Size(), now

	// A sample can be whole though what should have followed it is not.
	if err != nil && at.samples > before {
		q.giveUp()
		return nil
	}
	return err
}

// sync puts what was appended on the disk when it is time. A sample that the system has is
// not lost when that fails.
func (q *Queue) sync(now time.Duration) {
	if q.w == nil || q.opt.SyncEvery < 0 || now-q.synced < q.opt.SyncEvery {
		return
	}
	q.synced = now
	if err := q.file.Sync(); err != nil {
		q.opt.Tell(fmt.Errorf("queue %s: %w", q.dir, err))
		q.end()
	}
}

// next returns the segment that begins now.
func (q *Queue) next(now time.Duration) *segment {
	q.highest = max(q.highest, q.done.Segment) + 1
	return &segment{number: q.highest, began: now, last: now}
}

// begin begins a file.
func (q *Queue) begin(now time.Duration) error {
	s := q.next(now)
	f, err := q.create(s)
	if err != nil {
		return err
	}
	q.file, q.w = f, capture.NewWriter(f, q.opt.Capture)
	q.segments = append(q.segments, s)
	return nil
}

func (q *Queue) create(s *segment) (*os.File, error) {
	return q.files.OpenFile(s.name(), os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

// end ends what is written. It need not be closed as a capture: its samples are
// whole without that.
func (q *Queue) end() {
	if q.file != nil {
		var err error
		if q.opt.SyncEvery >= 0 {
			err = q.file.Sync()
		}
		if err = errors.Join(err, q.file.Close()); err != nil {
			q.opt.Tell(fmt.Errorf("queue %s: %w", q.dir, err))
		}
	}
	q.file, q.w = nil, nil
}

// giveUp ends a file that could not be written. What may stand behind its last whole sample is
// cut off, and what nobody needs is removed.
func (q *Queue) giveUp() {
	if q.file != nil {
		_ = q.file.Truncate(q.latest().size) // readers pass over what cannot be cut off
		_ = q.file.Close()                   // why it cannot be written is known
		q.file, q.w = nil, nil
		q.removeEmpty()
	}
	q.removeOver()
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
		switch {
		case errors.Is(err, winperf.ErrBadData) || errors.Is(err, fs.ErrNotExist):
			q.lose(seg, err)
		case !errors.Is(err, io.EOF):
			return place, err
		case seg == q.latest():
			return Place{}, io.EOF // more may come
		default:
			q.reading.leave(Place{Segment: seg.number + 1})
		}
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

// Done acknowledges all samples up to a place, and removes files that nothing else is in. Where the
// place cannot be written, samples come again after a restart, and only then.
func (q *Queue) Done(p Place) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !p.behind(q.done) {
		return
	}
	q.done = p
	q.removeOver()

	err := q.note()
	if err != nil && !q.told {
		q.opt.Tell(fmt.Errorf("queue %s: samples may be sent again after a restart: %w", q.dir, err))
	}
	q.told = err != nil
}

// Stats returns what is in the queue now.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	st := Stats{Dropped: q.dropped, Unwritten: q.memory.samples}
	now, day := q.opt.Clock.Elapsed(), q.opt.Clock.Now()
	for _, s := range q.segments {
		if s.memory == nil {
			st.Bytes += s.size
		} else {
			st.Memory += s.size
		}
		left := s.left(q.done)
		st.Samples += left
		if left > 0 && st.Oldest.IsZero() {
			st.Oldest = day.Add(s.oldest(left) - now)
		}
	}
	return st
}

// Close closes the queue. What is in it stays, but for what only memory has and the disk does
// not take now either.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.writeMemory()
	if lost := q.memoryLeft(); err != nil && lost > 0 {
		err = fmt.Errorf("queue %s: %d samples are lost: %w", q.dir, lost, err)
	} else {
		err = nil
	}
	q.end()
	q.reading.leave(q.done)
	return errors.Join(err, q.lock.Close(), q.files.Close())
}
