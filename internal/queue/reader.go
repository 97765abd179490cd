package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// reader is where the queue is read. It keeps its file open, and follows it while that is
// written.
type reader struct {
	at     Place // what was read last
	file   *os.File
	held   *capture.File
	cursor *capture.Cursor
	read   int // samples that the cursor has read
}

// next reads the next sample of a file, io.EOF where there is none.
func (r *reader) next(ctx context.Context, q *Queue, seg *segment, s *winperf.Sample) (Place, error) {
	if r.at.Segment != seg.number {
		r.leave(Place{Segment: seg.number})
	}
	if r.cursor == nil {
		err := r.open(q.name(seg), seg)
		if errors.Is(err, winperf.ErrBadData) || errors.Is(err, fs.ErrNotExist) {
			q.opt.Tell(fmt.Errorf("queue: %d samples are lost: %w", seg.left(q.done), err))
			err = io.EOF
		}
		if err != nil {
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

func (r *reader) open(name string, seg *segment) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	held, err := capture.Open(f, seg.size)
	if err != nil {
		return errors.Join(err, f.Close())
	}

	r.file, r.held, r.cursor, r.read = f, held, held.Cursor(), 0
	return nil
}

// leave closes the file and goes to a place.
func (r *reader) leave(to Place) {
	if r.file != nil {
		_ = r.file.Close() // it was read
	}
	*r = reader{at: to}
}
