package queue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
)

// OpenSamples opens the queue of samples in a directory, which is created if it does not
// exist. Its segments are captures, which all commands can read. Zero options mean 48 hours
// for MaxAge, a minute for Sync and 4 MiB for Memory. An error wraps ErrInUse,
// queuedir.ErrUnsafe, or is the system's.
func OpenSamples(dir string, opt Options) (*Queue[winperf.Sample], error) {
	const day = 24 * time.Hour
	if opt.MaxAge <= 0 {
		opt.MaxAge = 2 * day
	}
	if opt.Sync == 0 {
		opt.Sync = time.Minute
	}
	if opt.Memory <= 0 {
		opt.Memory = 4 << 20
	}
	return open(dir, &samples, opt)
}

var samples = format[winperf.Sample]{
	extension: ".capture", digits: 12, shift: 24,
	maxItems: 1024, // limits the samples read again after a restart

	write: func(w io.Writer, _ uint64) writer[winperf.Sample] {
		return &sampleWriter{capture.NewWriter(w, capture.Options{})}
	},
	read: func(r io.ReaderAt, size int64, first uint64) (cursor[winperf.Sample], error) {
		f, err := capture.Open(r, size)
		if err != nil {
			return nil, err
		}
		return &sampleCursor{file: f, cursor: f.Cursor(), number: first}, nil
	},
	look: lookAtCapture,
}

// lookAtCapture is format.look. Readers skip damage, so all bytes are kept.
func lookAtCapture(r io.ReaderAt, size int64, _, _ uint64) (items int, whole int64, err error) {
	f, err := capture.Open(r, size)
	if err != nil && !errors.Is(err, winperf.ErrNotSupported) {
		err = fmt.Errorf("%w: %w", winperf.ErrBadData, err) // other files can still be sent
	}
	if err != nil {
		return 0, 0, err
	}
	return min(f.Samples(), 1<<24), size, nil
}

type sampleWriter struct{ capture *capture.Writer }

func (w *sampleWriter) write(items []*winperf.Sample) error {
	for _, s := range items {
		if err := w.capture.Write(s); err != nil {
			return err
		}
	}
	return nil
}

func (w *sampleWriter) items() int  { return w.capture.Samples() }
func (w *sampleWriter) size() int64 { return w.capture.Size() }

type sampleCursor struct {
	file   *capture.File
	cursor *capture.Cursor
	number uint64 // of the next sample
}

func (c *sampleCursor) next(ctx context.Context, size int64, s *winperf.Sample) (uint64, error) {
	c.file.Grow(size)
	if err := c.cursor.Next(ctx, s); err != nil {
		return 0, err
	}
	s.Damage = append(s.Damage, c.cursor.Damage()...)
	c.number++
	return c.number - 1, nil
}
