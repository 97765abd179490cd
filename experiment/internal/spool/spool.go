package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/filelock"
	"github.com/winperf/winperf/internal/queuedir"
)

// ErrInUse tells that another program, or another part of this one, has the spool open.
var ErrInUse = errors.New("the spool is in use")

// Options are what a spool can be told. The zero value suits most.
type Options struct {
	// Bytes bounds the space on disk; 0 means 1 GiB. Beyond it the oldest segment is
	// dropped.
	Bytes int64
	// Age is how long entries are kept that some reader has not forgotten; 0 is for ever.
	Age time.Duration
	// Segment is the size from which a new segment is begun; 0 is a 16th of Bytes, from
	// 64 KiB to 8 MiB.
	Segment int64
	// Sync is how long entries may be in the system's memory only, where the end of the
	// system loses them; 0 means 1 s, and below 0 Append waits until they are on disk.
	Sync time.Duration
	// Readers are the names of those who read everything. What all of them have forgotten
	// is removed. Names that are missing here were readers before and count no more.
	Readers []string
	// Now is the time of day; nil is time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() {
	const mib = 1 << 20
	if o.Bytes <= 0 {
		o.Bytes = 1024 * mib
	}
	if o.Segment <= 0 {
		o.Segment = min(max(o.Bytes/16, 64<<10), 8*mib)
	}
	if o.Sync == 0 {
		o.Sync = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Spool is an open spool. It may be used from several goroutines.
type Spool struct {
	path    string
	dir     *queuedir.Dir
	opt     Options
	lock    *os.File
	changed chan struct{} // gets a value when something waits to be synced
	closing chan struct{} // is closed by Close
	stopped chan struct{} // is closed when nothing is synced any more

	mu       sync.Mutex
	segments []segment // the last one is written
	active   *os.File
	next     uint64 // the number of the next entry
	total    int64  // bytes of all segments
	cursors  cursors
	unsaved  bool  // the file of the cursors is older than they are
	cut      int64 // bytes that were cut off the end
	buf      []byte
	failed   error // why syncing failed
	closed   bool
}

// Open opens the spool in a directory, which is made where it is not there. The error
// wraps ErrInUse where it is open already.
func Open(path string, o Options) (*Spool, error) {
	o.setDefaults()
	dir, err := queuedir.Open(path)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(path, dir)
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}

	s := &Spool{
		path: path, dir: dir, opt: o, lock: lock,
		changed: make(chan struct{}, 1), closing: make(chan struct{}), stopped: make(chan struct{}),
	}
	if err := s.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), lock.Close(), dir.Close())
	}
	go s.syncLate()
	return s, nil
}

func lockDir(path string, dir *queuedir.Dir) (*os.File, error) {
	f, err := dir.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	locked, err := filelock.Try(f)
	if err == nil && !locked {
		err = fmt.Errorf("%s: %w by another program", path, ErrInUse)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// recover finds out what an earlier run left.
func (s *Spool) recover() error {
	if err := s.findSegments(); err != nil {
		return err
	}
	if err := s.cursors.load(s.dir, s.opt.Readers); err != nil {
		return err
	}

	s.next = 1
	if n := len(s.segments); n > 0 {
		if err := s.recoverLast(&s.segments[n-1]); err != nil {
			return err
		}
	}

	// Where the system's end lost entries that were read before, their numbers are not given
	// again: the readers would take the new ones for those that they know.
	s.next = max(s.next, s.cursors.most()+1)
	return s.begin()
}

func (s *Spool) findSegments() error {
	entries, err := s.dir.ReadDir()
	if err != nil {
		return err
	}
	for _, e := range entries {
		first, ok := parseSegment(e.Name())
		if !ok {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s.segments = append(s.segments, segment{segmentName(first), first, info.Size(), info.ModTime()})
		s.total += info.Size()
	}

	slices.SortFunc(s.segments, func(a, b segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	return nil
}

// recoverLast finds the last entry of the last segment and cuts off what is behind it.
func (s *Spool) recoverLast(last *segment) error {
	f, err := s.dir.OpenFile(last.name, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()

	s.next = last.first
	end := int64(0)
	err = scan(f, 0, last.size, func(e Entry, at int64) bool {
		if e.Number >= s.next { // any other is not of this spool
			s.next, last.newest = e.Number+1, e.Time
		}
		end = at
		return true
	})
	if err != nil {
		return fmt.Errorf("%s: %w", last.name, err)
	}

	s.cut = last.size - end
	s.total -= s.cut
	last.size = end
	return f.Truncate(end)
}

// begin begins a new segment; the one before is complete.
func (s *Spool) begin() error {
	if n := len(s.segments); n > 0 && s.segments[n-1].size == 0 && s.active == nil {
		// An earlier run began it and appended nothing.
		if err := s.dir.Remove(s.segments[n-1].name); err != nil {
			return err
		}
		s.segments = s.segments[:n-1]
	}

	name := segmentName(s.next)
	f, err := s.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if s.active != nil {
		err = errors.Join(s.active.Sync(), s.active.Close())
	}
	s.active = f
	s.segments = append(s.segments, segment{name: name, first: s.next})
	return err
}

// Append adds entries and returns the number of the last one. Of more than the spool may hold
// the first ones are dropped at once, and counted. After an error none of them is there. The error
// wraps winperf.ErrState after Close.
func (s *Spool) Append(data ...[]byte) (last uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fmt.Errorf("%w: append to a closed spool", winperf.ErrState)
	}
	if err := s.failed; err != nil {
		s.failed = nil
		return 0, err
	}

	now, beyond := s.opt.Now(), beyondRoom(data, s.opt.Bytes)
	if n := len(data); n > 0 && beyond == n {
		const form = "%s: an entry of %d bytes, want at most the %d of the whole spool"
		return 0, fmt.Errorf(form, s.path, headSize+len(data[n-1]), s.opt.Bytes)
	}
	s.buf = s.buf[:0]
	for i := beyond; i < len(data); i++ {
		s.buf = appendEntry(s.buf, Entry{s.next + uint64(i), now, data[i]})
	}

	err = s.store(now)
	if err != nil && s.reuse() {
		err = s.store(now)
	}
	if err != nil {
		return 0, err
	}
	s.next += uint64(len(data))
	s.segments[len(s.segments)-1].newest = now
	if beyond > 0 {
		s.cursors.Dropped += uint64(beyond)
		s.unsaved = true
	}
	return s.next - 1, nil
}

// store writes buf to the last segment, or to a new one.
func (s *Spool) store(now time.Time) error {
	at := &s.segments[len(s.segments)-1]
	if at.size > 0 && at.size+int64(len(s.buf)) > s.opt.Segment {
		if err := s.begin(); err != nil {
			return err
		}
	}

	// Room comes first: what fails behind the write could not be told as an entry that is not there.
	if err := s.limit(now, int64(len(s.buf))); err != nil {
		return err
	}
	return s.write()
}

// reuse makes room on a full disk: if no reader needs an entry of the last segment, it is emptied and
// replaced by a new one. It reports whether there may be room now.
func (s *Spool) reuse() bool {
	at := &s.segments[len(s.segments)-1]
	if at.size == 0 || s.cursors.least() < s.next-1 || s.active.Truncate(0) != nil {
		return false
	}

	// Offsets of readers are not valid any more. They belong to a segment with the old number.
	s.total -= at.size
	at.size, at.first = 0, s.next
	if s.begin() == nil { // else the emptied segment is written
		_, _ = s.removeForgotten() // what cannot be removed holds no bytes
	}
	return true
}

// write writes buf at the end of the last segment.
func (s *Spool) write() error {
	at := &s.segments[len(s.segments)-1]
	if _, err := s.active.WriteAt(s.buf, at.size); err != nil {
		return errors.Join(err, s.active.Truncate(at.size))
	}
	at.size += int64(len(s.buf))
	s.total += int64(len(s.buf))
	if cap(s.buf) > maxBuffer {
		s.buf = nil
	}

	if s.opt.Sync < 0 {
		return s.active.Sync()
	}
	select {
	case s.changed <- struct{}{}:
	default: // it will be synced anyhow
	}
	return nil
}

// maxBuffer is how much memory is kept for the next Append.
const maxBuffer = 1 << 20

// syncLate brings to disk what was appended, as late as the options allow.
func (s *Spool) syncLate() {
	defer close(s.stopped)
	for range s.changed {
		late := time.NewTimer(max(s.opt.Sync, 0))
		select {
		case <-late.C:
		case <-s.closing: // Close syncs itself
			late.Stop()
			return
		}

		s.mu.Lock()
		f := s.active
		s.mu.Unlock()

		// A file that was closed meanwhile was synced before that.
		if err := f.Sync(); err != nil && !errors.Is(err, fs.ErrClosed) {
			s.mu.Lock()
			s.failed = err
			s.mu.Unlock()
		}
	}
}

// limit drops the oldest segments until the spool with so many bytes more is within its bounds.
// The one that is written stays.
func (s *Spool) limit(now time.Time, more int64) error {
	for len(s.segments) > 1 {
		oldest := s.segments[0]
		old := s.opt.Age > 0 && now.Sub(oldest.newest) > s.opt.Age
		if s.total+more <= s.opt.Bytes && !old {
			break
		}
		if err := s.remove(); err != nil {
			return err
		}
		begin, end := max(oldest.first, s.cursors.least()+1), s.segments[0].first
		if begin < end {
			s.cursors.Dropped += end - begin
		}
		s.unsaved = true
	}

	if !s.unsaved {
		return nil
	}
	return s.save()
}

// save brings to disk how far the readers are.
func (s *Spool) save() error {
	err := s.cursors.save(s.dir, s.opt.Sync < 0)
	s.unsaved = err != nil
	return err
}

// remove removes the oldest segment.
func (s *Spool) remove() error {
	if err := s.dir.Remove(s.segments[0].name); err != nil {
		return err
	}
	s.total -= s.segments[0].size
	s.segments = s.segments[1:]
	return nil
}

// State is what can be said about a spool.
type State struct {
	// Last is the number of the last entry, 0 where there never was one. Waiting is how
	// many entries some reader has not forgotten.
	Last, Waiting uint64
	// Bytes are on disk.
	Bytes int64
	// Dropped is how many entries that some reader had not forgotten were dropped because
	// of the bounds, in all runs.
	Dropped uint64
	// Cut is how many bytes of a half entry were cut off when the spool was opened.
	Cut int64
	// Damage is what was wrong with the file of readers; "" is nothing.
	Damage string
}

// State returns the state.
func (s *Spool) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := max(s.cursors.least(), s.segments[0].first-1)
	last := s.next - 1
	return State{
		Last: last, Waiting: last - min(done, last), Bytes: s.total,
		Dropped: s.cursors.Dropped, Cut: s.cut, Damage: s.cursors.damage,
	}
}

// Close brings everything to disk and closes the spool. Closing again does nothing.
func (s *Spool) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.changed)
	close(s.closing)
	err := errors.Join(s.failed, s.active.Sync(), s.active.Close())
	s.mu.Unlock()

	<-s.stopped
	return errors.Join(err, s.lock.Close(), s.dir.Close())
}

// Remove closes the spool and removes its directory.
func (s *Spool) Remove() error { return errors.Join(s.Close(), os.RemoveAll(s.path)) }
