package experiment

import (
	"context"
	"io"
	"sync"
)

// store keeps records in memory, in the order of their numbers, until Next returns them. The policies of
// their bindings decide at the limit. Records in the spool are older than all records in memory.
type store struct {
	limit   int
	onLimit func(int)

	mu             sync.Mutex
	oldest, last   *entry
	waiting        int // records in memory, including those being spilled
	number         uint64
	dropped        uint64 // records dropped since the last stored one
	handed         uint64 // number of the last record returned by Next
	spooled        uint64 // number of the last record in the spool
	droppedInAll   uint64
	reported       bool // OnLimit was called
	closed         bool // nothing more is stored
	noWait         bool // put no longer waits
	spillErr       error
	spilling       bool
	removed        sync.Cond     // signals that records were removed
	added, toSpill chan struct{} // hold one value each: records were added; a spill is due

	taking   chan struct{} // holds a value while a caller takes records
	spooling sync.Mutex    // held during calls of the spool
	spool    Spool
}

type quota struct {
	policy              Policy
	capacity, maxValues int
	waiting, values     int
	dropped             uint64
	oldest, last        *entry
}

// full reports whether another record of the given size exceeds the quota. An empty quota is never full.
func (q *quota) full(values int) bool {
	return q.waiting >= q.capacity || q.waiting > 0 && q.values+values > q.maxValues
}

// waits reports whether put waits when the quota is full. It then waits only until there is any space, so
// that hasSpace can predict it before the sample.
func (q *quota) waits() bool { return q.policy == Wait || q.policy == Spill }

// halfFull reports whether it is time to spill.
func (q *quota) halfFull() bool { return 2*q.waiting >= q.capacity || 2*q.values >= q.maxValues }

func (q *quota) count(e *entry, by int) {
	q.waiting += by
	q.values += by * e.size
}

const bytesOfValue = 200

func sizeOf(r *Record) int {
	bytes := len(r.Event.Name)
	for i := range r.Event.Attrs {
		a := &r.Event.Attrs[i]
		text, _ := a.Value.(string)
		bytes += len(a.Key) + len(text)
	}
	return len(r.Values) + len(r.Anomalies) + bytes/bytesOfValue
}

// entry is a record in memory. It is in two lists: of all records, and of its binding.
type entry struct {
	record     *Record
	size       int // in values
	quota      *quota
	prev, next *entry
	sibling    *entry
}

func newStore(opt *Options, capacity int) *store {
	s := &store{limit: opt.Limit, onLimit: opt.OnLimit, spool: opt.Spool}
	if s.limit <= 0 {
		s.limit = max(1, capacity/2)
	}
	s.removed.L = &s.mu
	s.added, s.toSpill, s.taking = make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)
	return s
}

// put stores a record by the policy and sets its number. It reports whether the record was stored.
func (s *store) put(q *quota, r *Record) bool {
	size := sizeOf(r)
	s.mu.Lock()
	if !s.makeSpace(q, size) {
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

	tooMany := s.waiting >= s.limit && !s.reported
	s.reported = s.reported || tooMany
	waiting, spill := s.waiting, q.policy == Spill && q.halfFull()
	s.mu.Unlock()

	nudge(s.added)
	if spill {
		nudge(s.toSpill)
	}
	if tooMany && s.onLimit != nil {
		s.onLimit(waiting)
	}
	return true
}

func (s *store) lose(q *quota) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(q, 1)
	s.dropped++
}

func (s *store) hasSpace(q *quota) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !q.waits() || !q.full(1)
}

// makeSpace makes space for a record of the given size, or returns false if the policy does not allow
// that.
func (s *store) makeSpace(q *quota, values int) bool {
	if q.waits() {
		values = min(values, 1)
	}

	for !s.closed && q.full(values) {
		switch {
		case q.policy == DropOldest && q.oldest != nil:
			s.dropEntry(q.oldest)
		case q.policy == DropOldest: // all of them are being spilled
			return true
		case q.policy == Wait && !s.noWait, q.policy == Spill && s.spillErr == nil && !s.noWait:
			s.removed.Wait()
		default:
			if q.policy == Spill {
				nudge(s.toSpill) // retries the spool
			}
			return false
		}
	}

	return !s.closed
}

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
		q.last.sibling = e
	}
	q.last = e
}

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
	if q.oldest = e.sibling; q.oldest == nil {
		q.last = nil
	}
}

// pop removes up to n of the oldest entries from the lists. They still count as waiting.
func (s *store) pop(n int) []*entry {
	var taken []*entry
	for len(taken) < n && s.oldest != nil {
		taken = append(taken, s.oldest)
		s.remove(s.oldest)
	}
	return taken
}

func (s *store) release(entries []*entry) {
	for _, e := range entries {
		e.quota.count(e, -1)
	}
	s.waiting -= len(entries)
	if s.waiting <= s.limit/2 {
		s.reported = false
	}
	s.removed.Broadcast()
}

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
			nudge(s.added) // for other waiting callers
			return nil, io.EOF
		}

		select {
		case <-s.added:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns available records. over reports that there will be no more.
func (s *store) take(n int) (records []*Record, over bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.spooled > s.handed {
		return s.takeSpooled(n)
	}
	if s.spilling {
		return nil, false, nil // older records than those in the list are being spilled
	}

	entries := s.pop(n)
	for _, e := range entries {
		records = append(records, e.record)
		s.handed = e.record.Number
	}
	s.release(entries)
	return records, s.closed && len(records) == 0, nil
}

func (s *store) stopWaiting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noWait = true
	s.removed.Broadcast()
}

func (s *store) close() {
	s.mu.Lock()
	s.closed = true
	s.removed.Broadcast()
	s.mu.Unlock()
	nudge(s.added)
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
