package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/winperf/winperf"
)

// Reader takes the entries of a spool in their order. It belongs to one goroutine.
type Reader struct {
	spool *Spool
	name  string
	after uint64 // the number of the last entry that was read
	// Where the next entry stands, as far as that is known: the segment and the offset.
	segment uint64
	offset  int64
}

// Reader returns the reader of a name of Options.Readers. It begins behind what was
// forgotten under that name, in this run or an earlier one.
func (s *Spool) Reader(name string) *Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Reader{spool: s, name: name, after: s.cursors.Readers[name]}
}

// Read returns the next entries, at most so many and, but for the first, of so many
// bytes; none where there are none yet. lost is how many are missing among them or in
// front of them: they were dropped or damaged.
func (r *Reader) Read(most int, bytes int64) (entries []Entry, lost uint64, err error) {
	s := r.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, 0, fmt.Errorf("%w: read from a closed spool", winperf.ErrState)
	}

	before := r.after
	for i := range s.segments {
		g := &s.segments[i]
		end := s.next
		if i+1 < len(s.segments) {
			end = s.segments[i+1].first
		}
		if r.after+1 >= end {
			continue // it was read whole
		}
		if err := r.readSegment(g, most, bytes, &entries); err != nil {
			return nil, 0, err
		}
		if len(entries) > 0 {
			break
		}
		r.after = end - 1 // nothing of it is left
	}

	return entries, r.after - before - uint64(len(entries)), nil
}

// readSegment reads entries of one segment.
func (r *Reader) readSegment(g *segment, most int, bytes int64, entries *[]Entry) error {
	f, err := r.spool.dir.OpenFile(g.name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody has removed it: what it held is lost
	}
	if err != nil {
		return err
	}
	defer f.Close()

	offset := int64(0)
	if r.segment == g.first {
		offset = r.offset
	}
	return scan(f, offset, g.size, func(e Entry, end int64) bool {
		if e.Number <= r.after {
			return true
		}
		if bytes -= int64(len(e.Data)); bytes < 0 && len(*entries) > 0 {
			return false
		}

		e.Data = slices.Clone(e.Data)
		*entries = append(*entries, e)
		r.after, r.segment, r.offset = e.Number, g.first, end
		return len(*entries) < most
	})
}

// Forget tells that the reader needs no entry up to a number any more, in no run of the
// program.
func (r *Reader) Forget(through uint64) error {
	s := r.spool
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("%w: a closed spool", winperf.ErrState)
	}
	through = min(through, s.next-1)
	if through <= s.cursors.Readers[r.name] && !s.unsaved {
		return nil
	}

	s.cursors.Readers[r.name] = max(through, s.cursors.Readers[r.name])
	r.after = max(r.after, through)
	saved := s.save()
	removed, err := s.removeForgotten()
	if saved != nil && removed {
		saved = s.save() // on a full disk there is room now
	}
	return errors.Join(saved, err)
}

// removeForgotten removes the segments that no reader needs. It reports whether there were any.
func (s *Spool) removeForgotten() (some bool, err error) {
	for len(s.segments) > 1 && s.segments[1].first-1 <= s.cursors.least() {
		if err := s.remove(); err != nil {
			return some, err
		}
		some = true
	}
	return some, nil
}

// Rewind makes the next Read begin behind what was forgotten.
func (r *Reader) Rewind() {
	r.spool.mu.Lock()
	defer r.spool.mu.Unlock()
	r.after = r.spool.cursors.Readers[r.name]
	r.segment, r.offset = 0, 0
}

// AddReader adds a reader. It begins with what is appended next, or as the only one with
// what is there.
func (s *Spool) AddReader(name string) *Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Reader{spool: s, name: name, after: s.cursors.add(name, s.next-1)}
}

// RemoveReader removes a reader. Where it was the only one, what is there stays for the next.
func (s *Spool) RemoveReader(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursors.remove(name)
}
