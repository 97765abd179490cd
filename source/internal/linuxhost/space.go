package linuxhost

import (
	"context"
	"time"

	"github.com/winperf/winperf/internal/call"
)

// spaceRequest is a call of statfs(2). It may block forever, so it has its own goroutine and is not
// repeated until it returns.
type spaceRequest struct {
	line  *call.Line
	run   func(context.Context)
	fresh bool // answered in this query

	// Results of the call:
	space Space
	err   error
}

func newSpaceRequest(root Root, path string) *spaceRequest {
	q := &spaceRequest{line: call.NewLine()}
	q.run = func(context.Context) { q.space, q.err = root.Statfs(path) }
	return q
}

// spaceTimeout applies to all file systems together. A working disk answers in microseconds.
const spaceTimeout = 200 * time.Millisecond

// spaceWait returns spaceTimeout, or less to leave half of the query's time.
func spaceWait(ctx context.Context) time.Duration { return call.Share(ctx, spaceTimeout, 1./2) }

// requestSpace calls statfs for all mounts and waits. It ignores late answers.
func requestSpace(ctx context.Context, round *call.Round, mounts []*mount) {
	late := round.Begin(ctx, spaceWait(ctx)) != nil
	if !late {
		for _, m := range mounts {
			if !m.request.line.Busy() {
				round.Start(m.request.line, m.request.run)
			}
		}
		round.Wait(nil, 0)
	}

	for _, m := range mounts {
		m.request.fresh = !late && m.request.line.Outcome() == call.Returned
	}
}

// set sets the fields of an answer or marks them as failed. It returns the answer's error.
func (q *spaceRequest) set(v *values) error {
	if !q.fresh {
		v.failed |= diskFromStatfs
		return nil
	}

	sp := &q.space
	v.markMissing(diskFromStatfs, q.err)
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
