package experiment

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/winperf/winperf/internal/schedule"
)

// LineServer takes connections, and lines from each of them as [Lines] does, with answers. It is
// for programs that come and go. The listener says who may connect; it is closed at the end of the
// experiment, or when it fails for good. Of the answers to one who does not read them for a second, those
// beyond 1,024 are dropped; events never are.
type LineServer struct {
	Name     string
	Listener net.Listener
	// Connections is how many there may be at once; further ones are closed. 0 means 64.
	Connections int
	// Max is how long a line may be, in bytes; 0 means 65,536.
	Max int
}

// Describe implements [EventSource].
func (l LineServer) Describe() EventSourceInfo {
	info := EventSourceInfo{Name: l.Name, Kind: "lines"}
	if l.Listener != nil {
		info.Detail = l.Listener.Addr().String()
	}
	return info
}

func (l LineServer) check() error {
	if l.Listener == nil {
		return errors.New("expected a listener")
	}
	return nil
}

// Run implements [EventSource].
func (l LineServer) Run(ctx context.Context, out *Emitter) error {
	closeListener := sync.OnceFunc(func() { _ = l.Listener.Close() }) // Accept says so
	stop := context.AfterFunc(ctx, closeListener)
	defer stop()
	var serving sync.WaitGroup
	defer serving.Wait()
	defer closeListener() // the end of ctx may be seen here first, and nobody accepts any more

	most := l.Connections
	if most <= 0 {
		most = 64
	}
	places := make(chan struct{}, most)
	for failures := 0; ; {
		c, err := l.Listener.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close() // nothing of it was read
			}
			return nil
		case err != nil:
			if failures++; failures == maxFailures || !passes(err) {
				return err
			}
			_ = schedule.Sleep(ctx, out.Clock(), acceptPause) // Accept says that ctx ended
			continue
		}
		failures = 0

		select {
		case places <- struct{}{}:
			serving.Go(func() {
				defer func() { <-places }()
				l.serve(ctx, c, out)
			})
		default:
			_ = c.SetDeadline(time.Now().Add(acceptPause)) // one who does not read is not waited for
			_, _ = io.WriteString(c, "error there are as many connections as there can be\n")
			_ = c.Close() // nothing of it was read
		}
	}
}

// acceptPause is how long a listener is left alone that has failed.
const acceptPause = 100 * time.Millisecond

// passes reports whether an error of a listener is one that passes, such as too many open files.
func passes(err error) bool {
	var temporary interface{ Temporary() bool }
	return errors.As(err, &temporary) && temporary.Temporary()
}

// serve takes the lines of a connection.
func (l LineServer) serve(ctx context.Context, c net.Conn, out *Emitter) {
	defer c.Close()
	a := newAnswers(c)
	lines := Lines{Name: l.Name, Reader: c, Ack: a, Max: l.Max}
	_ = lines.Run(ctx, out) // a connection that breaks ends as one that is closed
	a.end(ctx)
}
