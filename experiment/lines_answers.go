package experiment

import (
	"context"
	"io"
	"net"
	"time"
)

// Bounds of answers to lines. A client that sends many lines before it reads finds as many answers as
// there are places, and those that its socket holds.
const (
	maxAnswers  = 1024
	answersWait = time.Second // for a client that does not read
)

// answers are those to the lines of a client. They are written beside the reading of lines, so that a
// client that does not read is held up once, for a moment, and its events are measured all the same.
type answers struct {
	waiting chan string
	over    chan struct{} // is closed when there are no more
	written chan struct{} // is closed when none is written any more
	deaf    bool          // the client has not read for so long that none waits for it
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

// WriteString leaves an answer to the goroutine that writes them. One that finds no place is dropped.
func (a *answers) WriteString(line string) (int, error) {
	select {
	case a.waiting <- line:
		a.deaf = false
		return len(line), nil
	default:
	}
	if a.deaf {
		return len(line), nil
	}

	timer := time.NewTimer(answersWait)
	defer timer.Stop()
	select {
	case a.waiting <- line:
	case <-timer.C:
		a.deaf = true
	case <-a.over:
		return 0, net.ErrClosed
	case <-a.written:
		return 0, net.ErrClosed
	}
	return len(line), nil
}

// run writes answers until there are no more, or the connection is closed.
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

// end waits for a moment until the client has the answers that wait.
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
