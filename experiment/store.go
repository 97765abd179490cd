package experiment

import (
	"context"
	"io"
	"sync"
)

// store keeps records in memory, in the order of their numbers, until delivery takes them, and
// beyond that what the policy of their bindings says. What it gave to the spool is older than
// all that it has.
type store struct {
	limit   int
	onLimit func(int)

	mu            sync.Mutex
	oldest, last  *entry
	waiting       int    // records in memory, those that are being spilled too
	number        uint64 // of the last record
	dropped       uint64 // records since the last one
	handed        uint64 // number of the last record that delivery got
	spooled       uint64 // number of the last record that the spool has
	droppedInAll  uint64
	told          bool // that there are too many
	closed        bool // nothing more is stored
	givenUp       bool // nobody waits any more
	spillErr      error
	spilling      bool
	room          sync.Cond     // is told when records are gone
	news, toSpill chan struct{} // hold one each: there are records; there are too many

	taking   chan struct{} // holds a value while somebody takes records
	spooling sync.Mutex    // held by whoever uses the spool
	spool    Spool
}

// quota is what one binding has in the store.
type quota struct {
	policy          Policy
	capacity, room  int // most records, and most values of them together
	waiting, values int // records in memory, and their size in values
	dropped         uint64
	oldest, last    *entry
}

// full reports whether there is no room for a record of so many values. One record there is always
// room for.
func (q *quota) full(values int) bool {
	return q.waiting >= q.capacity || q.waiting > 0 && q.values+values > q.room
}

// waits reports whether a record for which there is no room waits. One is stored as soon as there is any
// room, so that it is known before its sample whether it will wait.
func (q *quota) waits() bool { return q.policy == Wait || q.policy == Spill }

// halfFull reports whether it is time to spill.
func (q *quota) halfFull() bool { return 2*q.waiting >= q.capacity || 2*q.values >= q.room }

// count counts a record that came, or with -1 one that is gone.
func (q *quota) count(e *entry, by int) {
	q.waiting += by
	q.values += by * e.size
}

// bytesOfValue is about what a value takes of memory.
const bytesOfValue = 200

// sizeOf is what a record takes of memory, in values. Text takes some, too.
func sizeOf(r *Record) int {
	bytes := len(r.Event.Name)
	for i := range r.Event.Attrs {
		a := &r.Event.Attrs[i]
		text, _ := a.Value.(string)
		bytes += len(a.Key) + len(text)
	}
	return len(r.Values) + len(r.Anomalies) + bytes/bytesOfValue
}

// entry is a record in memory. It stands in two lists: of all, and of its binding.
type entry struct {
	record     *Record
	size       int // in values
	quota      *quota
	prev, next *entry
	mate       *entry // the next one of the binding
}

func newStore(opt *Options, capacity int) *store {
	s := &store{limit: opt.Limit, onLimit: opt.OnLimit, spool: opt.Spool}
	if s.limit <= 0 {
		s.limit = max(1, capacity/2)
	}
	s.room.L = &s.mu
	s.news, s.toSpill, s.taking = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	return s
}

// put stores a record as the policy says, and gives it its number. It reports whether it was
// stored.
func (s *store) put(q *quota, r *Record) bool {
	size := sizeOf(r)
	s.mu.Lock()
	if !s.makeRoom(q, size) {
		s.drop(q, 1)
		s.dropped++
		s.mu.Unlock()
		return false
	}

	s.number++
	r.Number, r.Dropped = s.number, s.dropped
	s.dropped = 0
	e := &entry{record: r, size: size, quota: q}
	s.push(e)
	s.waiting++
	q.count(e, 1)

	tooMany := s.waiting >= s.limit && !s.told
	s.told = s.told || tooMany
	waiting, spill := s.waiting, q.policy == Spill && q.halfFull()
	s.mu.Unlock()

	nudge(s.news)
	if spill {
		nudge(s.toSpill)
	}
	if tooMany && s.onLimit != nil {
		s.onLimit(waiting)
	}
	return true
}

// lose counts an event that gives no record.
func (s *store) lose(q *quota) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(q, 1)
	s.dropped++
}

// hasRoom reports whether storing a record would not wait.
func (s *store) hasRoom(q *quota) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !q.waits() || !q.full(1)
}

// makeRoom makes room for a record of so many values, if the policy can do that.
func (s *store) makeRoom(q *quota, values int) bool {
	if q.waits() {
		values = min(values, 1)
	}
	for !s.closed && q.full(values) {
		switch {
		case q.policy == DropOldest && q.oldest != nil:
			s.dropEntry(q.oldest)
		case q.policy == DropOldest: // all of them are being spilled
			return true
		case q.policy == Wait && !s.givenUp, q.policy == Spill && s.spillErr == nil && !s.givenUp:
			s.room.Wait()
		default:
			if q.policy == Spill {
				nudge(s.toSpill) // the spool is tried again
			}
			return false
		}
	}
	return !s.closed
}

// dropEntry drops a record that nobody took. The next one tells it.
func (s *store) dropEntry(e *entry) {
	n := 1 + e.record.Dropped
	if e.next != nil {
		e.next.record.Dropped += n
	} else {
		s.dropped += n
	}
	s.drop(e.quota, 1)
	s.remove(e)
	s.waiting--
	e.quota.count(e, -1)
}

func (s *store) drop(q *quota, n uint64) {
	q.dropped += n
	s.droppedInAll += n
}

// push adds an entry at the end of both lists.
func (s *store) push(e *entry) {
	e.prev = s.last
	if s.last == nil {
		s.oldest = e
	} else {
		s.last.next = e
	}
	s.last = e

	q := e.quota
	if q.last == nil {
		q.oldest = e
	} else {
		q.last.mate = e
	}
	q.last = e
}

// remove takes an entry, the oldest one of its binding, out of both lists.
func (s *store) remove(e *entry) {
	if e.prev == nil {
		s.oldest = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		s.last = e.prev
	} else {
		e.next.prev = e.prev
	}

	q := e.quota
	if q.oldest = e.mate; q.oldest == nil {
		q.last = nil
	}
}

// pop takes up to n entries, the oldest of all, out of the lists. They count as waiting.
func (s *store) pop(n int) []*entry {
	var taken []*entry
	for len(taken) < n && s.oldest != nil {
		taken = append(taken, s.oldest)
		s.remove(s.oldest)
	}
	return taken
}

// leave counts entries as gone.
func (s *store) leave(entries []*entry) {
	for _, e := range entries {
		e.quota.count(e, -1)
	}
	s.waiting -= len(entries)
	if s.waiting <= s.limit/2 {
		s.told = false
	}
	s.room.Broadcast()
}

// next returns up to n records, the oldest ones that were not returned yet, and waits until there
// is one. At the end it returns io.EOF.
func (s *store) next(ctx context.Context, n int) ([]*Record, error) {
	select {
	case s.taking <- struct{}{}:
		defer func() { <-s.taking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}

	n = max(1, n)
	for {
		records, over, err := s.take(n)
		if err != nil || len(records) > 0 {
			return records, err
		}
		if over {
			nudge(s.news) // for others that wait
			return nil, io.EOF
		}

		select {
		case <-s.news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns records that are there. over tells that there will be none any more.
func (s *store) take(n int) (records []*Record, over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spooled > s.handed {
		return s.takeSpooled(n)
	}
	if s.spilling {
		return nil, false, nil // what is older than the list is on its way
	}

	entries := s.pop(n)
	for _, e := range entries {
		records = append(records, e.record)
		s.handed = e.record.Number
	}
	s.leave(entries)
	return records, s.closed && len(records) == 0, nil
}

// giveUp ends all waiting for room: what has none is dropped.
func (s *store) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.givenUp = true
	s.room.Broadcast()
}

// close ends storing. What was stored can be taken.
func (s *store) close() {
	s.mu.Lock()
	s.closed = true
	s.room.Broadcast()
	s.mu.Unlock()
	nudge(s.news)
}

// nudge puts a value into a channel for one, unless there is one.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
