// Package queue keeps items until all readers have acknowledged them: samples (OpenSamples)
// or byte slices (OpenEntries) in a directory, or byte slices in memory (NewMemory).
//
// A directory contains segments, append-only files of limited size; the file "readers" with
// the positions of the readers, which is replaced atomically; and the file "lock". One
// program at a time uses it. An item reaches the system in one call, so it survives the end
// of the program, even by kill -9. A power failure loses the items of the last
// Options.Sync. Unacknowledged items are read again after a restart: a reader gets each
// item at least once, and in order.
//
// Items have rising numbers, which a directory never reuses.
package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/internal/queue/internal/queuedir"
	"github.com/winperf/winperf/internal/schedule"
)

var (
	// ErrInUse means that another queue uses the directory, in this or another program.
	ErrInUse = errors.New("the queue is in use by another program; let it end first, or name another directory")
	// ErrFull means that a queue in memory has no room until a reader acknowledges items.
	ErrFull = errors.New("the queue is full")
)

// Options for a Queue. The zero Options are good defaults.
type Options struct {
	// Readers are the names of the readers. Earlier readers that are not listed are
	// removed.
	Readers []string
	// MaxBytes limits all files together; 0 means 256 MiB. The oldest segments are dropped.
	// The latest sample is kept, whatever its size.
	MaxBytes int64
	// MaxItems limits the items of a queue in memory; 0 means 10,000.
	MaxItems int
	// MaxAge limits the age of items; 0 means no limit.
	MaxAge time.Duration
	// Segment is the size at which a new segment begins; 0 means an eighth of MaxBytes, at
	// most 16 MiB.
	Segment int64
	// Sync limits how long items are not yet on disk; 0 means 1 s. With a negative value
	// Append returns when they are on disk.
	Sync time.Duration
	// Memory limits the bytes of items in memory while the disk accepts nothing. With 0
	// Append returns the error of the disk.
	Memory int64
	// Report is called with file errors and losses. Without it the next Append returns the
	// error of a failed sync. It must not call the queue.
	Report func(error)
	// Clock measures the age of items; nil is the system's. The time of day, which may be
	// set, is used only for items of an earlier run.
	Clock schedule.Clock
}

func (o *Options) setDefaults() {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.MaxItems <= 0 {
		o.MaxItems = 10_000
	}
	if o.Segment <= 0 {
		o.Segment = min(o.MaxBytes/parts, 16<<20)
	}
	if o.Sync == 0 {
		o.Sync = time.Second
	}
	o.Clock = schedule.OrSystem(o.Clock)
}

// Stats describes the content of a queue.
type Stats struct {
	Bytes  int64     // of all files, or of a queue in memory
	Items  int       // not acknowledged by all readers
	Oldest time.Time // approximate time when the oldest was appended; zero without items
	Last   uint64    // the number of the newest item, of this run or an earlier one
	// Dropped counts items lost since the queue was opened, because of limits or damaged
	// files; DroppedBefore counts items lost in earlier runs.
	Dropped, DroppedBefore uint64
	// Unwritten counts items that the disk did not accept at first; Memory are the bytes
	// still only in memory.
	Unwritten uint64
	Memory    int64
}

// Queue keeps items. It may be used from several goroutines.
type Queue[T any] struct {
	dir    string        // "" for a queue in memory
	files  *queuedir.Dir // nil for a queue in memory
	lock   *os.File      // nil for a queue in memory
	format *format[T]
	opt    Options

	mu        sync.Mutex
	segments  []*segment[T] // oldest first; the last one is open while w is not nil
	kept      int64         // bytes of a queue in memory
	last      uint64        // the highest number used
	positions positions
	unsaved   bool // the file has older positions
	earlier   bool // the file is of an earlier version
	readers   []*Reader[T]
	dropped   uint64
	closed    bool

	w         writer[T]
	file      *os.File // of w; nil if it writes to memory
	syncing   *time.Timer
	failed    error // by a sync, for the next Append
	unwritten unwritten
}

// open opens the queue in a directory, which is created if it does not exist.
func open[T any](dir string, f *format[T], opt Options) (*Queue[T], error) {
	opt.setDefaults()
	files, err := queuedir.Open(dir)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(files)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), files.Close())
	}

	q := &Queue[T]{dir: dir, files: files, lock: lock, format: f, opt: opt}
	if err := q.find(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), lock.Close(), files.Close())
	}
	return q, nil
}

func lockDir(files *queuedir.Dir) (*os.File, error) {
	f, err := files.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.Try(f)
	if err == nil && !locked {
		err = ErrInUse
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// report reports a problem that the caller cannot solve.
func (q *Queue[T]) report(err error) {
	if q.opt.Report != nil {
		q.opt.Report(fmt.Errorf("queue %s: %w", q.dir, err))
	}
}

// fail handles the error of a file whose items may not be on disk.
func (q *Queue[T]) fail(err error) {
	if q.opt.Report == nil && err != nil {
		q.failed = err
	} else if err != nil {
		q.report(err)
	}
}

// Append appends items, all or none. Then it drops the oldest items beyond the limits of
// bytes and age. If items exceed the whole queue, only the last ones are kept. An error
// wraps ErrFull, winperf.ErrState after Close, or is the system's.
func (q *Queue[T]) Append(items ...*T) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	if q.files == nil {
		return q.keep(items)
	}
	if err := q.failed; err != nil {
		q.failed = nil
		return err
	}

	beyond, err := q.tooLarge(items)
	if err == nil {
		err = q.appendBehind(beyond, items[beyond:])
	}
	if err != nil {
		return fmt.Errorf("queue %s: %w", q.dir, err)
	}
	before := q.dropped
	q.dropped += uint64(beyond)
	q.bound()
	if q.dropped > before || q.unsaved {
		_ = q.save() // Done returns the error
	}
	return nil
}

var errClosed = fmt.Errorf("%w: the queue is closed", winperf.ErrState)

// tooLarge returns the number of leading items that exceed the whole queue.
func (q *Queue[T]) tooLarge(items []*T) (int, error) {
	if q.format.size == nil {
		return 0, nil
	}
	space := q.opt.MaxBytes
	for i := len(items) - 1; i >= 0; i-- {
		size := q.format.size(items[i])
		if space -= size; space >= 0 {
			continue
		}
		if i == len(items)-1 {
			const form = "an item of %d bytes, expected at most the %d of the whole queue"
			return 0, fmt.Errorf(form, size, q.opt.MaxBytes)
		}
		return i + 1, nil
	}
	return 0, nil
}

// appendBehind appends items after dropping so many before them.
func (q *Queue[T]) appendBehind(dropped int, items []*T) error {
	if dropped == 0 {
		return q.append(items)
	}
	q.fail(q.end()) // a segment has no gaps
	q.last += uint64(dropped)
	err := q.append(items)
	if err != nil {
		q.last -= uint64(dropped)
	}
	return err
}

// append writes items to disk or memory. It retries once: removing acknowledged files may
// free space, and a new file may work where the current one cannot grow.
func (q *Queue[T]) append(items []*T) error {
	err := q.writeMemory()
	for try := 0; err == nil && try < 2; try++ {
		if err = q.toDisk(items); err == nil {
			q.recovered()
			return nil
		}
		q.abandonFile()
		if try == 0 {
			err = nil
		}
	}

	if q.opt.Memory <= 0 {
		return err
	}
	if err = q.toMemory(items, err); err != nil {
		q.dropped += uint64(len(items))
	}
	return err
}

func (q *Queue[T]) toDisk(items []*T) error {
	now := q.opt.Clock.Elapsed()
	if q.w != nil && q.full(q.latest(), now) {
		q.fail(q.end())
	}
	if q.w == nil {
		if err := q.begin(now); err != nil {
			return err
		}
	}

	if err := q.write(items, now); err != nil {
		return err
	}
	q.syncLater()
	return nil
}

func (q *Queue[T]) write(items []*T, now time.Duration) error {
	at, before := q.latest(), q.w.items()
	err := q.w.write(items)
	if err == nil && q.file != nil && q.opt.Sync < 0 {
		if err := q.file.Sync(); err != nil {
			return err
		}
	}
	at.items, at.size, at.last = q.w.items(), q.w.size(), now
	q.last = max(q.last, at.end())

	// An item may be complete even if a later write failed.
	if err != nil && at.items > before {
		q.abandonFile()
		return nil
	}
	return err
}

// syncLater syncs appended items within opt.Sync after the first of them.
func (q *Queue[T]) syncLater() {
	if q.opt.Sync > 0 && q.syncing == nil && q.file != nil {
		q.syncing = time.AfterFunc(q.opt.Sync, q.sync)
	}
}

// sync syncs appended items without blocking Append.
func (q *Queue[T]) sync() {
	q.mu.Lock()
	f := q.file
	q.syncing = nil
	q.mu.Unlock()
	if f == nil {
		return
	}
	err := f.Sync()
	if err == nil || errors.Is(err, fs.ErrClosed) { // files are synced before they are closed
		return
	}

	q.mu.Lock()
	defer q.mu.Unlock()
	q.fail(err)
	if q.file == f {
		_ = q.end() // the error is known
	}
}

func (q *Queue[T]) begin(now time.Duration) error {
	s := q.next(now)
	f, err := q.create(s)
	if err != nil {
		return err
	}
	q.file, q.w = f, q.format.write(f, s.first)
	q.segments = append(q.segments, s)
	return nil
}

// next returns a new segment.
func (q *Queue[T]) next(now time.Duration) *segment[T] {
	return &segment[T]{first: (q.last>>q.format.shift + 1) << q.format.shift, began: now, last: now}
}

func (q *Queue[T]) create(s *segment[T]) (*os.File, error) {
	return q.files.OpenFile(q.name(s), os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

// end ends the current segment.
func (q *Queue[T]) end() (err error) {
	if q.file != nil {
		err = errors.Join(q.file.Sync(), q.file.Close())
	}
	q.file, q.w = nil, nil
	return err
}

// abandonFile ends a file after a write error. It truncates incomplete items and removes files
// that no reader needs.
func (q *Queue[T]) abandonFile() {
	if q.file != nil {
		_ = q.file.Truncate(q.latest().size) // readers skip bytes that could not be truncated
		_ = q.file.Close()                   // the first error is known
		q.file, q.w = nil, nil
		q.removeEmpty()
	}
	q.removeAcknowledged()
}

func (q *Queue[T]) latest() *segment[T] { return q.segments[len(q.segments)-1] }

// Stats returns the current state of the queue.
func (q *Queue[T]) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	st := Stats{
		Last: q.last, Dropped: q.dropped, DroppedBefore: q.positions.Dropped, Unwritten: q.unwritten.items,
	}

	now, day := q.opt.Clock.Elapsed(), q.opt.Clock.Now()
	done := q.positions.least()
	for _, s := range q.segments {
		if s.memory == nil {
			st.Bytes += s.size
		} else {
			st.Memory += s.size
		}
		left := s.left(done)
		st.Items += left
		if left > 0 && st.Oldest.IsZero() {
			st.Oldest = day.Add(s.oldest(left) - now)
		}
	}
	return st
}

// Close closes the queue. Its items stay in the directory, except items in memory that the
// disk still does not accept. Closing it again does nothing.
func (q *Queue[T]) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.files == nil {
		q.closed = true
		return nil
	}
	q.closed = true
	if q.syncing != nil {
		q.syncing.Stop()
	}

	err := q.writeMemory()
	if lost := q.onlyInMemory(); err != nil && lost > 0 {
		err = fmt.Errorf("queue %s: %d samples are lost: %w", q.dir, lost, err)
	} else {
		err = q.failed
	}
	err = errors.Join(err, q.end())
	for _, r := range q.readers {
		r.leave()
	}
	return errors.Join(err, q.lock.Close(), q.files.Close())
}

// Remove closes the queue and removes its directory.
func (q *Queue[T]) Remove() error { return errors.Join(q.Close(), os.RemoveAll(q.dir)) }
