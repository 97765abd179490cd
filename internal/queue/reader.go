package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/winperf/winperf"
)

// Reader reads the items of a queue in order. It must be used by one goroutine.
type Reader[T any] struct {
	queue *Queue[T]
	name  string
	after uint64 // the number of the last item read

	segment *segment[T] // of cursor
	file    *os.File    // nil for a segment in memory
	cursor  cursor[T]
}

type cursor[T any] interface {
	// next reads the next item of a segment with currently so many bytes, and returns its
	// number. It returns io.EOF at the current end.
	next(ctx context.Context, size int64, item *T) (number uint64, err error)
}

// Reader returns the reader with a name of Options.Readers. It begins behind the items
// acknowledged under that name, in this run or an earlier one.
func (q *Queue[T]) Reader(name string) *Reader[T] {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := &Reader[T]{queue: q, name: name, after: q.positions.Readers[name]}
	q.readers = append(q.readers, r)
	return r
}

// AddReader adds a reader. It begins with the next item appended or, as the only reader,
// with the existing items.
func (q *Queue[T]) AddReader(name string) *Reader[T] {
	q.mu.Lock()
	begin := q.last
	if len(q.positions.Readers) == 0 {
		begin = q.positions.last
	}
	q.positions.Readers[name] = begin
	q.mu.Unlock()
	return q.Reader(name)
}

// RemoveReader removes a reader. If it was the only one, the items stay for the next one.
func (q *Queue[T]) RemoveReader(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.positions.Readers) == 1 {
		q.positions.last = q.positions.Readers[name]
	}
	delete(q.positions.Readers, name)
	for i, r := range q.readers {
		if r.name == name {
			r.leave()
			q.readers = append(q.readers[:i:i], q.readers[i+1:]...)
			break
		}
	}
	q.removeAcknowledged()
}

// Next reads the next item and returns its number, or io.EOF at the current end. Numbers of
// dropped or damaged items are missing.
func (r *Reader[T]) Next(ctx context.Context, item *T) (number uint64, err error) {
	q := r.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, errClosed
	}

	for {
		s := q.segmentAfter(r.after)
		if s == nil {
			return 0, io.EOF
		}
		number, err := r.next(ctx, s, item)
		switch {
		case errors.Is(err, winperf.ErrBadData) || errors.Is(err, fs.ErrNotExist):
			q.lose(s, err)
		case !errors.Is(err, io.EOF):
			return number, err
		case s == q.latest():
			return 0, io.EOF // more may be appended
		default:
			r.after = s.end()
			r.leave()
		}
	}
}

// After returns the number of the last item read or, before the first Next, acknowledged.
func (r *Reader[T]) After() uint64 {
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	return r.after
}

// next reads the first item of a segment behind r.after. A segment of a queue in memory has one item.
func (r *Reader[T]) next(ctx context.Context, s *segment[T], item *T) (number uint64, err error) {
	if s.item != nil {
		*item, r.after = *s.item, s.first
		return s.first, nil
	}
	if r.segment != s {
		if err := r.open(s); err != nil {
			return 0, err
		}
	}

	for number <= r.after {
		if number, err = r.cursor.next(ctx, s.size, item); err != nil {
			return 0, err
		}
	}
	r.after = number
	return number, nil
}

func (r *Reader[T]) open(s *segment[T]) (err error) {
	r.leave()
	q := r.queue
	if s.memory != nil {
		r.cursor, err = q.format.read(s.memory, s.size, s.first)
	} else if r.file, err = q.files.OpenFile(q.name(s), os.O_RDONLY); err == nil {
		r.cursor, err = q.format.read(r.file, s.size, s.first)
	}

	if err != nil {
		r.leave()
		return err
	}
	r.segment = s
	return nil
}

func (r *Reader[T]) leave() {
	if r.file != nil {
		_ = r.file.Close() // opened for reading
	}
	r.segment, r.file, r.cursor = nil, nil, nil
}

// Rewind makes Next begin behind the acknowledged items.
func (r *Reader[T]) Rewind() {
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	r.after = r.queue.positions.Readers[r.name]
	r.leave()
}

// Done acknowledges all items up to a number, and removes segments that no reader needs.
// After an error they may be read again, but only after a restart.
func (r *Reader[T]) Done(number uint64) error {
	q := r.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	number = min(number, q.last)
	if number <= q.positions.Readers[r.name] && !q.unsaved {
		return nil
	}

	q.positions.Readers[r.name] = max(number, q.positions.Readers[r.name])
	r.after = max(r.after, number)
	err := q.writePositions() // before the removal: otherwise items would be missing after a kill
	q.removeAcknowledged()
	if err == nil && !q.unsaved {
		return nil
	}
	if err := q.save(); err != nil { // a full disk may have room now
		return fmt.Errorf("queue %s: %w", q.dir, err)
	}
	return nil
}
