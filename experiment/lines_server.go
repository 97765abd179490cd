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

// LineServer accepts connections and reads lines from each of them like [Lines], with answers. The
// listener controls who may connect. It is closed at the end of the experiment, or after a permanent
// error. If a client does not read answers for a second, at most 1,024 of them are kept and the others
// dropped; events are never dropped.
type LineServer struct {
	Name     string
	Listener net.Listener
	// Connections is the largest number of open connections; further ones are closed. 0 means 64.
	Connections int
	// Max is the longest line in bytes; 0 means 65,536.
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
	closeListener := sync.OnceFunc(func() { _ = l.Listener.Close() })
	stop := context.AfterFunc(ctx, closeListener)
	defer stop()
	var serving sync.WaitGroup
	defer serving.Wait()
	defer closeListener() // ctx may have ended before Accept noticed

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
				_ = c.Close() // nothing was read from it
			}
			return nil
		case err != nil:
			if failures++; failures == maxFailures || !isTemporary(err) {
				return err
			}
			_ = schedule.Sleep(ctx, out.Clock(), acceptPause)
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
			_ = c.SetDeadline(time.Now().Add(acceptPause)) // do not wait for a client that does not read
			_, _ = io.WriteString(c, "error too many connections\n")
			_ = c.Close()
		}
	}
}

// acceptPause is the pause after an error of the listener.
const acceptPause = 100 * time.Millisecond

func isTemporary(err error) bool {
	var temporary interface{ Temporary() bool }
	return errors.As(err, &temporary) && temporary.Temporary()
}

func (l LineServer) serve(ctx context.Context, c net.Conn, out *Emitter) {
	defer c.Close()
	a := newAnswers(c)
	lines := Lines{Name: l.Name, Reader: c, Ack: a, Max: l.Max}
	_ = lines.Run(ctx, out) // a broken connection ends like a closed one
	a.end(ctx)
}
