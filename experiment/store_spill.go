package experiment

import (
	"context"
	"time"

	"github.com/winperf/winperf/internal/retry"
)

// takeSpooled returns records of the spool. It is called with s.mu held and releases it during the read.
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
		nudge(s.added)
		return nil, false, nil
	}
	s.handed = records[len(records)-1].Number
	return records, false, nil
}

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

// spillBatch is the number of records per spill, spillPause the pause after an error of the spool.
const (
	spillBatch = 1000
	spillPause = time.Second
)

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
	nudge(s.added)
	switch {
	case err != nil:
		s.putBack(entries)
		s.removed.Broadcast() // callers of put stop waiting for the spool
		return false
	case len(records) > 0:
		s.spooled = records[len(records)-1].Number
		s.release(entries)
	}
	return len(records) == spillBatch
}

func (s *store) putBack(entries []*entry) {
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		e.prev, e.next, e.sibling = nil, s.oldest, e.quota.oldest
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
