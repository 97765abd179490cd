package queue

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

const (
	// mostMemory bounds what the disk did not take. The latest segment stays, however large.
	mostMemory = 4 << 20
	// memoryPart is so much of that as is dropped at once.
	memoryPart = mostMemory / 8
)

// memory is a segment that the disk did not take: what would be in its file.
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

// unwritten is what became of samples that the disk did not take.
type unwritten struct {
	failing bool   // the disk takes nothing
	samples uint64 // since the queue was opened
	since   uint64 // since the disk takes nothing
	lost    uint64 // of those
}

// toMemory keeps a sample in memory, as the disk did not take it. A sample that memory does not
// take is wrong itself: the error says how, and nothing is wrong with the disk.
func (q *Queue) toMemory(s *winperf.Sample, why error) error {
	now := q.opt.Clock.Elapsed()
	if at := q.w; at != nil && (at.Size() >= memoryPart || at.Samples() >= most) {
		q.end()
	}
	if q.w == nil {
		q.beginMemory(now)
	}
	if err := q.write(s, now); err != nil {
		q.end()
		q.removeEmpty()
		return err
	}

	if m := &q.memory; !m.failing {
		*m = unwritten{failing: true, samples: m.samples}
		q.opt.Tell(fmt.Errorf("queue %s: samples are kept in memory only: %w", q.dir, why))
	}
	q.memory.samples++
	q.memory.since++
	return nil
}

// beginMemory begins a segment in memory.
func (q *Queue) beginMemory(now time.Duration) {
	s := q.next(now)
	s.memory = &memory{}
	q.w = capture.NewWriter(s.memory, q.opt.Capture)
	q.segments = append(q.segments, s)
}

// writeMemory writes what is in memory to files, as far as that succeeds. What was acknowledged
// is given up.
func (q *Queue) writeMemory() error {
	if q.w != nil && q.file == nil && q.memoryLeft() == 0 {
		q.end()
		q.removeOver()
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
			q.end()
		}
	}
	return nil
}

// recovered tells that the disk took a sample, if that is news.
func (q *Queue) recovered() {
	m := &q.memory
	if m.failing {
		const form = "queue %s: samples are written to disk again; %d were in memory only, and %d of them are lost"
		q.opt.Tell(fmt.Errorf(form, q.dir, m.since, m.lost))
	}
	m.failing = false
}

// writeSegment makes the file of a segment that is in memory. Nothing is left of one that does
// not become whole.
func (q *Queue) writeSegment(s *segment) error {
	f, err := q.create(s)
	if err != nil {
		return err
	}
	_, err = f.Write(s.memory.b[:s.size])
	if err == nil && q.opt.SyncEvery >= 0 {
		err = f.Sync()
	}

	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, q.files.Remove(s.name()))
	}
	return nil
}

// boundMemory drops the oldest of what is in memory while there is too much.
func (q *Queue) boundMemory() {
	total := int64(0)
	for _, s := range q.segments {
		if s.memory != nil {
			total += s.size
		}
	}

	for i := 0; total > mostMemory && i < len(q.segments)-1; {
		s := q.segments[i]
		if s.memory == nil {
			i++
			continue
		}
		lost := uint64(s.left(q.done))
		q.dropped += lost
		q.memory.lost += lost
		total -= s.size
		q.remove(i)
	}
}

// memoryLeft is how many samples only memory has that are not acknowledged.
func (q *Queue) memoryLeft() (samples int) {
	for _, s := range q.segments {
		if s.memory != nil {
			samples += s.left(q.done)
		}
	}
	return samples
}
