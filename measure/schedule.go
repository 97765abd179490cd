package measure

import (
	"context"
	"time"
)

// schedule says when samples of live sources are due: at whole multiples of the
// interval since the first.
type schedule struct {
	interval time.Duration
	start    time.Time // of the first sample
	ticks    int64     // intervals since then
}

// begin notes when the first sample is taken, once.
func (s *schedule) begin() {
	if s.start.IsZero() {
		s.start = time.Now()
	}
}

// wait waits until the next sample is due. It tells how many became impossible,
// and how late the next one is.
func (s *schedule) wait(ctx context.Context) (missed int, late time.Duration, err error) {
	s.ticks++
	late = time.Since(s.start) - time.Duration(s.ticks)*s.interval
	if late >= s.interval {
		n := late / s.interval
		missed, late = int(n), late-n*s.interval
		s.ticks += int64(n)
	}
	return missed, max(0, late), sleep(ctx, -late)
}

// sleep waits for a time or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}
