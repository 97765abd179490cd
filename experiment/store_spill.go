package experiment

import (
	"context"
	"time"

	"github.com/winperf/winperf/internal/retry"
)

// takeSpooled returns records of the spool. The lock is held, but not while the spool is read.
func (s *store) takeSpooled(n int) (records []*Record, over bool, err error) {
	handed, spooled := s.handed, s.spooled
	s.mu.Unlock()
	s.spooling.Lock()
	records, err = s.spool.Read(handed, n)
	s.spooling.Unlock()
	s.mu.Lock()

	if err != nil {
		return nil, false, err
	}
	if len(records) == 0 {
		s.handed = spooled // the spool dropped them
		nudge(s.news)
		return nil, false, nil
	}
	s.handed = records[len(records)-1].Number
	return records, false, nil
}

// forget tells the spool that records up to a number were delivered.
func (s *store) forget(through uint64) error {
	s.mu.Lock()
	spooled := s.spooled
	s.mu.Unlock()
	if spooled == 0 {
		return nil
	}
	s.spooling.Lock()
	defer s.spooling.Unlock()
	return s.spool.Forget(min(through, spooled))
}

// spillBatch is how many records are spilled at a time, spillPause how long the spool is left
// alone after it failed.
const (
	spillBatch = 1000
	spillPause = time.Second
)

// spillLoop moves records to the spool, beside those that store them, until ctx ends.
func (s *store) spillLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.toSpill:
		}

		for s.spillSome() {
		}
		if s.failure() != nil {
			retry.Sleep(ctx, spillPause)
		}
	}
}

func (s *store) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spillErr
}

// spillSome moves the oldest records to the spool. It reports whether there may be more.
func (s *store) spillSome() bool {
	s.mu.Lock()
	s.spilling = true
	entries := s.pop(spillBatch)
	s.mu.Unlock()

	records := make([]*Record, len(entries))
	for i, e := range entries {
		records[i] = e.record
	}
	var err error
	if len(records) > 0 {
		s.spooling.Lock()
		err = s.spool.Append(records)
		s.spooling.Unlock()
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.spilling, s.spillErr = false, err
	nudge(s.news)
	switch {
	case err != nil:
		s.putBack(entries)
		s.room.Broadcast() // whoever waits for the spool waits no longer
		return false
	case len(records) > 0:
		s.spooled = records[len(records)-1].Number
		s.leave(entries)
	}
	return len(records) == spillBatch
}

// putBack puts entries back in front of all others.
func (s *store) putBack(entries []*entry) {
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		e.prev, e.next, e.mate = nil, s.oldest, e.quota.oldest
		if s.oldest != nil {
			s.oldest.prev = e
		} else {
			s.last = e
		}
		s.oldest = e

		if e.quota.oldest == nil {
			e.quota.last = e
		}
		e.quota.oldest = e
	}
}
