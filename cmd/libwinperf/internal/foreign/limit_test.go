package foreign_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// However operations follow one another, each has the time that it was given, or up to a tenth less.
func TestTimeOfOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left time.Duration // when the sample began
		var hang, told bool
		f := &fake{script: steady, onSample: func(ctx context.Context, _ int) error {
			end, _ := ctx.Deadline()
			left = time.Until(end)
			if !hang {
				return ctx.Err()
			}
			<-ctx.Done()
			told = errors.Is(ctx.Err(), context.DeadlineExceeded)
			return ctx.Err()
		}}
		l, src := opened(t, f)
		h := snapshot(t, l, src, foreign.Global)

		for i, most := range []int32{1000, 1000, 1000, 1000, 50, 50, 20_000, 20_000, 1} {
			must(t, l, h, l.Set(h, foreign.TimeoutMS, most))
			must(t, l, h, cycle(t, l, h))
			if limit := time.Duration(most) * time.Millisecond; left > limit || left < limit*9/10 {
				t.Errorf("cycle %d: a sample has %v of %v", i, left, limit)
			}
			time.Sleep(time.Duration(i*60) * time.Millisecond)
		}

		// After an operation that took too long the next one has its time again.
		must(t, l, h, l.Set(h, foreign.TimeoutMS, 1000))
		for range 3 {
			hang = true
			must(t, l, h, l.Prepare(h, foreign.Plain))
			if code := l.Sample(h, foreign.Plain); code != foreign.Timeout || !told {
				t.Errorf("code %d: %s", code, errorText(l, h))
			}
			hang, told = false, false
			must(t, l, h, cycle(t, l, h))
		}
		must(t, l, h, l.Destroy(h, foreign.Plain))
	})
}
