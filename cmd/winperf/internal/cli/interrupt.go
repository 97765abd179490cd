package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/winperf/winperf/internal/call"
)

// untilSignal returns a context that ends with the first signal that asks the
// program to end. After it a second Ctrl-C or SIGTERM ends the program at once.
//
// A terminal that goes away sends SIGHUP, often twice: the shell sends one before
// it ends, and the system one when it has. So a second one changes nothing. A
// program that was started to ignore it (nohup) goes on.
func untilSignal(ctx context.Context) context.Context {
	// Windows' events of the console, the session and the system arrive as SIGTERM.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGHUP)
	}
	context.AfterFunc(ctx, stop)
	return ctx
}

// interruptible reads from r until ctx ends, whose error it then returns, also
// while r has nothing and does not return.
type interruptible struct {
	ctx    context.Context
	r      io.Reader
	buf    []byte // of the read under way; it is abandoned together with it
	unread []byte
	err    error // what follows unread
}

// readSize is how much is asked for at once.
const readSize = 64 << 10

// Read is that of io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	if len(i.unread) == 0 && i.err == nil {
		i.fill()
	}
	if len(i.unread) == 0 {
		return 0, i.err
	}
	n := copy(p, i.unread)
	i.unread = i.unread[n:]
	return n, nil
}

func (i *interruptible) fill() {
	if i.err = i.ctx.Err(); i.err != nil {
		return
	}
	if i.buf == nil {
		i.buf = make([]byte, readSize)
	}
	n, err := call.Once(i.ctx, func() (int, error) { return i.r.Read(i.buf) })
	i.unread, i.err = i.buf[:n], err
}
