package delivery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/internal/queue"
)

// Spill stores records of one session on disk that memory has no space for. It implements
// experiment.Spool, for bindings with the policy Spill. Records survive the end of the program, even by
// kill -9; Recover finds them in the next run.
type Spill struct {
	queue  *queue.Queue[[]byte]
	reader *queue.Reader[[]byte]
	above  uint64
	read   []spillMark
}

type spillMark struct{ record, entry uint64 }

const spillReader = "delivery"

// NewSpill makes a spill in a new directory below d.Dir.
func NewSpill(d Disk) (*Spill, error) {
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(d.Dir, time.Now().UTC().Format("spill-20060102T150405.000000000-*"))
	if err != nil {
		return nil, err
	}
	return openSpill(dir, d)
}

func openSpill(dir string, d Disk) (*Spill, error) {
	q, err := d.open(dir, spillReader)
	if err != nil {
		return nil, err
	}
	return &Spill{queue: q, reader: q.Reader(spillReader)}, nil
}

// Append implements experiment.Spool.
func (s *Spill) Append(records []*experiment.Record) error {
	lines := make([]*[]byte, len(records))
	for i, r := range records {
		line := appendRecord(r)
		lines[i] = &line
	}
	return s.queue.Append(lines...)
}

// Read implements experiment.Spool. Damaged records are skipped.
func (s *Spill) Read(above uint64, most int) (records []*experiment.Record, err error) {
	if above < s.above {
		s.reader.Rewind()
		s.read = nil
	}

	s.above = above
	for bytes := 4 << 20; len(records) < most && bytes > 0; {
		var data []byte
		number, err := s.reader.Next(context.Background(), &data)
		if errors.Is(err, io.EOF) || err != nil && len(records) > 0 {
			return records, nil
		}
		if err != nil {
			return nil, err
		}

		rec, err := experiment.ParseRecord(data)
		if err != nil {
			continue
		}
		s.read = append(s.read, spillMark{rec.Number, number})
		if rec.Number > above {
			records = append(records, &rec)
			bytes -= len(data)
			s.above = rec.Number
		}
	}
	return records, nil
}

// Forget implements experiment.Spool.
func (s *Spill) Forget(through uint64) error {
	entry := uint64(0)
	for len(s.read) > 0 && s.read[0].record <= through {
		entry = s.read[0].entry
		s.read = s.read[1:]
	}
	return s.reader.Done(entry)
}

// Dropped returns the number of records dropped at the limits of Disk.
func (s *Spill) Dropped() uint64 {
	st := s.queue.Stats()
	return st.DroppedBefore + st.Dropped
}

// Close closes the spill, and removes it if everything was delivered.
func (s *Spill) Close() error {
	if s.queue.Stats().Items == 0 {
		return s.queue.Remove()
	}
	return s.queue.Close()
}

// Recover passes the records that killed programs left in spills below d.Dir to put, such as
// Delivery.Put, session by session, and removes the spills. Spills in use by other programs are skipped.
// If put fails, the remaining records stay, and the last ones that it took may be repeated.
func Recover(
	ctx context.Context, d Disk,
	put func(ctx context.Context, records ...*experiment.Record) (taken int, err error),
) error {
	dirs, err := filepath.Glob(filepath.Join(d.Dir, "spill-*"))
	if err != nil {
		return err
	}

	for _, dir := range dirs {
		s, err := openSpill(dir, d)
		if errors.Is(err, queue.ErrInUse) {
			continue
		}
		if err != nil {
			return err
		}

		if err := errors.Join(s.recover(ctx, put), s.Close()); err != nil {
			return fmt.Errorf("records in %s: %w", dir, err)
		}
	}
	return nil
}

func (s *Spill) recover(
	ctx context.Context, put func(context.Context, ...*experiment.Record) (int, error),
) error {
	const batch = 100
	for above := uint64(0); ; {
		records, err := s.Read(above, batch)
		if err != nil || len(records) == 0 {
			return err
		}
		n, err := put(ctx, records...)
		if n > 0 {
			above = records[n-1].Number
			err = errors.Join(err, s.Forget(above))
		}
		if err != nil {
			return err
		}
	}
}
