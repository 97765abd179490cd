package queue

import (
	"context"
	"errors"
	"os"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// reader is where the queue is read. It keeps its file open, and follows it while that is
// written.
type reader struct {
	at     Place    // what was read last
	file   *os.File // nil where it is memory that is read
	held   *capture.File
	cursor *capture.Cursor
	read   int // samples that the cursor has read
}

// next reads the next sample of a file, io.EOF where there is none. Another error is that
// of the file.
func (r *reader) next(ctx context.Context, q *Queue, seg *segment, s *winperf.Sample) (Place, error) {
	if r.at.Segment != seg.number {
		r.leave(Place{Segment: seg.number})
	}
	if r.cursor == nil {
		if err := r.open(q, seg); err != nil {
			return Place{}, err
		}
	}
	r.held.Grow(seg.size)

	for {
		if err := r.cursor.Next(ctx, s); err != nil {
			return Place{}, err
		}
		s.Damage = append(s.Damage, r.cursor.Damage()...)
		if r.read++; r.read > r.at.Sample {
			r.at.Sample = r.read
			return r.at, nil
		}
	}
}

func (r *reader) open(q *Queue, seg *segment) (err error) {
	r.read = 0
	if seg.memory != nil {
		r.held, err = capture.Open(seg.memory, seg.size)
		if err == nil {
			r.cursor = r.held.Cursor()
		}
		return err
	}

	f, err := q.files.OpenFile(seg.name(), os.O_RDONLY)
	if err != nil {
		return err
	}
	held, err := capture.Open(f, seg.size)
	if err != nil {
		return errors.Join(err, f.Close())
	}

	r.file, r.held, r.cursor = f, held, held.Cursor()
	return nil
}

// leave closes the file and goes to a place.
func (r *reader) leave(to Place) {
	if r.file != nil {
		_ = r.file.Close() // it was read
	}
	*r = reader{at: to}
}
