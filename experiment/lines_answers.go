package experiment

import (
	"context"
	"io"
	"net"
	"time"
)

// Limits of answers to lines. Together with the socket's buffer, they bound the answers that a client may
// leave unread.
const (
	maxAnswers  = 1024
	answersWait = time.Second // for a client that does not read
)

// answers writes the answers to a client's lines in a separate goroutine, so that a client that does not
// read delays its events only once, for a second.
type answers struct {
	waiting chan string
	over    chan struct{}
	written chan struct{}
	stalled bool // the client has not read for answersWait: answers no longer wait for it
}

func newAnswers(c net.Conn) *answers {
	a := &answers{
		waiting: make(chan string, maxAnswers), over: make(chan struct{}), written: make(chan struct{}),
	}
	go func() {
		defer close(a.written)
		a.run(c)
	}()
	return a
}

// Write implements [io.Writer].
func (a *answers) Write(line []byte) (int, error) { return a.WriteString(string(line)) }

// WriteString queues an answer. It drops the answer if the queue stays full.
func (a *answers) WriteString(line string) (int, error) {
	select {
	case a.waiting <- line:
		a.stalled = false
		return len(line), nil
	default:
	}
	if a.stalled {
		return len(line), nil
	}

	timer := time.NewTimer(answersWait)
	defer timer.Stop()
	select {
	case a.waiting <- line:
	case <-timer.C:
		a.stalled = true
	case <-a.over:
		return 0, net.ErrClosed
	case <-a.written:
		return 0, net.ErrClosed
	}
	return len(line), nil
}

func (a *answers) run(c net.Conn) {
	for {
		var line string
		select {
		case line = <-a.waiting:
		default:
			select {
			case line = <-a.waiting:
			case <-a.over:
				return
			}
		}
		if _, err := io.WriteString(c, line); err != nil {
			return
		}
	}
}

// end waits, at most answersWait, until the queued answers are written.
func (a *answers) end(ctx context.Context) {
	close(a.over)
	timer := time.NewTimer(answersWait)
	defer timer.Stop()
	select {
	case <-a.written:
	case <-timer.C:
	case <-ctx.Done():
	}
}
