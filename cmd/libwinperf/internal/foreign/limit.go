package foreign

import (
	"context"
	"time"
)

// limit makes the contexts of consecutive operations. The zero limit is ready for use.
//
// A timer for each operation would wake threads, which takes longer than most operations. A context is
// therefore reused for operations that begin in the first tenth of its time: an operation ends at the
// latest after the limit, and not before nine tenths of it.
type limit struct {
	ctx    context.Context
	cancel context.CancelFunc
	most   time.Duration
	renew  time.Time
}

// next returns the context of the next operation. It ends with life, or when the operation takes too
// long.
func (l *limit) next(life context.Context, most time.Duration) context.Context {
	now := time.Now()
	if l.ctx != nil {
		if l.most == most && now.Before(l.renew) {
			return l.ctx
		}
		l.cancel()
	}

	l.ctx, l.cancel = context.WithTimeout(life, most)
	l.most, l.renew = most, now.Add(most/10)
	return l.ctx
}
