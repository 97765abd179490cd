package linuxhost

import (
	"context"
	"time"
)

// spaceQuestion asks for the space of one file system. A file system may not
// answer for ever, so it is asked on a goroutine of its own, and not again
// until it has answered.
type spaceQuestion struct {
	run   func() // asks; made once, so that starting it allocates nothing
	done  chan struct{}
	asked bool // and not answered
	fresh bool // answered in this query

	// Of the goroutine until it is done.
	space Space
	err   error
}

func newSpaceQuestion(root Root, path string) *spaceQuestion {
	q := &spaceQuestion{done: make(chan struct{}, 1)}
	q.run = func() {
		q.space, q.err = root.Statfs(path)
		q.done <- struct{}{}
	}
	return q
}

// begin asks, unless the answer to an earlier question is still to come. One
// that came too late is dropped.
func (q *spaceQuestion) begin() (begun bool) {
	begun = !q.asked || q.answered()
	q.fresh = false
	if begun {
		q.asked = true
		go q.run()
	}
	return begun
}

// answered takes the answer if it is there.
func (q *spaceQuestion) answered() bool {
	select {
	case <-q.done:
		q.take()
		return true
	default:
		return false
	}
}

// take notes that the answer has come.
func (q *spaceQuestion) take() { q.asked, q.fresh = false, true }

// spacePatience is how long a query waits for all file systems together. One
// on a disk that works answers in microseconds.
const spacePatience = 200 * time.Millisecond

// spaceAsker asks several questions at once.
type spaceAsker struct {
	timer *time.Timer
	begun []*spaceQuestion
}

// ask asks for the space of all mounts and waits, for all together, no longer
// than spacePatience and half of the time that the query has left.
func (a *spaceAsker) ask(ctx context.Context, mounts []*mount) {
	a.begun = a.begun[:0]
	for _, m := range mounts {
		if m.question.begin() {
			a.begun = append(a.begun, m.question)
		}
	}
	if wait := patience(ctx); a.timer == nil {
		a.timer = time.NewTimer(wait)
	} else {
		a.timer.Reset(wait)
	}
	defer a.timer.Stop()
	for i, q := range a.begun {
		select {
		case <-q.done:
			q.take()
			continue
		case <-a.timer.C:
		case <-ctx.Done():
		}
		for _, late := range a.begun[i:] {
			late.answered()
		}
		return
	}
}

// patience returns how long to wait.
func patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(spacePatience, time.Until(end)/2)
	}
	return spacePatience
}

// set takes the figures of an answer, or notes that there is none. It returns the
// error of the answer.
func (q *spaceQuestion) set(v *values) error {
	if !q.fresh {
		v.failed |= diskFromStatfs
		return nil
	}
	sp := &q.space
	if hides(q.err) {
		v.failed |= diskFromStatfs
	}
	if q.err != nil || sp.Free > sp.Blocks {
		return q.err
	}
	const megabyte = 1 << 20
	whole, okWhole := scaled(sp.Blocks-sp.Free+sp.Available, sp.BlockSize, kib)
	free, okFree := scaled(sp.Available, sp.BlockSize, kib)
	if okWhole && okFree && whole > 0 {
		v.set(diskSpace, whole)
		v.set(diskFree, free)
		v.set(diskFreeMegabytes, free/(megabyte/kib))
	}
	if sp.Inodes > 0 && sp.FreeInodes <= sp.Inodes {
		v.set(diskInodes, sp.Inodes)
		v.set(diskFreeInodes, sp.FreeInodes)
	}
	return nil
}
