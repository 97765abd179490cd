package queue

import (
	"errors"
	"fmt"
	"io"
)

// NewMemory returns a queue of byte slices in memory. Unlike a queue on disk it drops the
// oldest items only if a reader has acknowledged all items: otherwise Append returns
// ErrFull. Items are not copied and must not change.
func NewMemory(opt Options) *Queue[[]byte] {
	opt.setDefaults()
	q := &Queue[[]byte]{format: &entries, opt: opt}
	q.positions.Readers = map[string]uint64{}
	for _, name := range opt.Readers {
		q.positions.Readers[name] = 0
	}
	return q
}

// keep appends items to a queue in memory. Each is a segment.
func (q *Queue[T]) keep(items []*T) error {
	now := q.opt.Clock.Elapsed()
	for _, item := range items {
		size := q.format.size(item)
		for q.isFull(size) {
			if q.positions.most() < q.last {
				return ErrFull
			}
			q.dropped++
			q.remove(0)
		}
		q.last++
		q.kept += size
		s := &segment[T]{first: q.last, items: 1, size: size, began: now, last: now, item: item}
		q.segments = append(q.segments, s)
	}
	return nil
}

// isFull reports whether a queue in memory has no space for so many bytes. A single item
// always fits.
func (q *Queue[T]) isFull(size int64) bool {
	return len(q.segments) > 0 && (len(q.segments) >= q.opt.MaxItems || q.kept+size > q.opt.MaxBytes)
}

// memory holds the bytes of a segment that the disk did not accept.
type memory struct{ b []byte }

// Write implements io.Writer.
func (m *memory) Write(b []byte) (int, error) {
	m.b = append(m.b, b...)
	return len(b), nil
}

// ReadAt implements io.ReaderAt.
func (m *memory) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at >= int64(len(m.b)) {
		return 0, io.EOF
	}
	n := copy(b, m.b[at:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// unwritten counts items that the disk did not accept.
type unwritten struct {
	failing bool   // the disk accepts nothing
	items   uint64 // since the queue was opened
	since   uint64 // since the disk accepts nothing
	lost    uint64 // of those
}

// toMemory keeps items in memory after an error of the disk. If memory does not accept them
// either, the error is about the items.
func (q *Queue[T]) toMemory(items []*T, why error) error {
	now := q.opt.Clock.Elapsed()
	if q.w != nil && (q.w.size() >= q.opt.Memory/parts || q.full(q.latest(), now)) {
		q.fail(q.end())
	}
	if q.w == nil {
		s := q.next(now)
		s.memory = &memory{}
		q.w = q.format.write(s.memory, s.first)
		q.segments = append(q.segments, s)
	}
	if err := q.write(items, now); err != nil {
		_ = q.end()
		q.removeEmpty()
		return err
	}

	if m := &q.unwritten; !m.failing {
		*m = unwritten{failing: true, items: m.items}
		q.report(fmt.Errorf("samples are kept in memory only: %w", why))
	}
	q.unwritten.items += uint64(len(items))
	q.unwritten.since += uint64(len(items))
	return nil
}

// writeMemory writes the segments in memory to files, up to an error. It drops acknowledged
// ones.
func (q *Queue[T]) writeMemory() error {
	if q.w != nil && q.file == nil && q.onlyInMemory() == 0 {
		_ = q.end() // it has no file
		q.removeAcknowledged()
	}
	for _, s := range q.segments {
		if s.memory == nil {
			continue
		}
		if err := q.writeSegment(s); err != nil {
			return err
		}

		s.memory = nil
		if s == q.latest() {
			_ = q.end() // it had no file
		}
	}
	return nil
}

// recovered reports that the disk accepts items again.
func (q *Queue[T]) recovered() {
	m := &q.unwritten
	if m.failing {
		const form = "samples are written to disk again; %d were in memory only, and %d of them are lost"
		q.report(fmt.Errorf(form, m.since, m.lost))
	}
	m.failing = false
}

// writeSegment writes a segment in memory to a file. An incomplete file is removed.
func (q *Queue[T]) writeSegment(s *segment[T]) error {
	f, err := q.create(s)
	if err != nil {
		return err
	}
	_, err = f.Write(s.memory.b[:s.size])
	if err == nil {
		err = f.Sync()
	}

	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, q.files.Remove(q.name(s)))
	}
	return nil
}

// boundMemory drops the oldest segments in memory while they have too many bytes.
func (q *Queue[T]) boundMemory() {
	total := int64(0)
	for _, s := range q.segments {
		if s.memory != nil {
			total += s.size
		}
	}

	done := q.positions.least()
	for i := 0; total > q.opt.Memory && i < len(q.segments)-1; {
		s := q.segments[i]
		if s.memory == nil {
			i++
			continue
		}
		lost := uint64(s.left(done))
		q.dropped += lost
		q.unwritten.lost += lost
		total -= s.size
		q.remove(i)
	}
}

// onlyInMemory returns the number of unacknowledged items that are only in memory.
func (q *Queue[T]) onlyInMemory() (items int) {
	done := q.positions.least()
	for _, s := range q.segments {
		if s.memory != nil {
			items += s.left(done)
		}
	}
	return items
}
