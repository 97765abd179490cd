package foreign

import (
	"context"
	"time"
)

// limit makes the contexts of operations that follow one another. The zero limit is ready for use.
//
// To set a timer for each operation would wake threads, which takes longer than most operations. So a
// context serves for those that begin in the first tenth of its time: an operation lasts no longer
// than it may, and is not ended before nine tenths of that.
type limit struct {
	ctx    context.Context // nil: none was made
	cancel context.CancelFunc
	most   time.Duration // how long an operation may last
	renew  time.Time     // when the next operation needs another context
}

// next returns the context of the next operation: one that ends with life, and when the operation has
// lasted for the most that it may.
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
