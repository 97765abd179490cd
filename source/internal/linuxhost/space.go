package linuxhost

import (
	"context"
	"time"

	"github.com/winperf/winperf/internal/call"
)

// spaceQuestion asks for the space of one file system. A file system may not
// answer for ever, so it is asked on a line of its own, and not again until it
// has answered.
type spaceQuestion struct {
	line  *call.Line
	run   func(context.Context) // asks
	fresh bool                  // answered in this query

	// Of the call on the line:
	space Space
	err   error
}

func newSpaceQuestion(root Root, path string) *spaceQuestion {
	q := &spaceQuestion{line: call.NewLine()}
	q.run = func(context.Context) { q.space, q.err = root.Statfs(path) }
	return q
}

// spacePatience is how long a query waits for all file systems together. One
// on a disk that works answers in microseconds.
const spacePatience = 200 * time.Millisecond

// patience returns how long to wait: no longer than half of the time that the
// query has left.
func patience(ctx context.Context) time.Duration { return call.Share(ctx, spacePatience, 1./2) }

// askForSpace asks for the space of all mounts and waits for all together. An
// answer that comes too late is dropped.
func askForSpace(ctx context.Context, round *call.Round, mounts []*mount) {
	late := round.Begin(ctx, patience(ctx)) != nil
	if !late {
		for _, m := range mounts {
			if !m.question.line.Busy() {
				round.Ask(m.question.line, m.question.run)
			}
		}
		round.Wait(nil, 0)
	}

	for _, m := range mounts {
		m.question.fresh = !late && m.question.line.Outcome() == call.Returned
	}
}

// set takes the figures of an answer, or notes that there is none. It returns the
// error of the answer.
func (q *spaceQuestion) set(v *values) error {
	if !q.fresh {
		v.failed |= diskFromStatfs
		return nil
	}

	sp := &q.space
	v.lack(diskFromStatfs, q.err)
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
