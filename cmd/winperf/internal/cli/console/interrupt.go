package console

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/winperf/winperf/internal/call"
)

// UntilSignal returns a context that ends with the first signal that asks the
// program to end. After it a second Ctrl-C or SIGTERM ends the program at once.
//
// A terminal that goes away sends SIGHUP, often twice: the shell sends one before
// it ends, and the system one when it has. So a second one changes nothing. A
// program that was started to ignore it (nohup) goes on.
func UntilSignal(ctx context.Context) context.Context {
	// Windows' events of the console, the session and the system arrive as SIGTERM.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		ctx = untilHangup(ctx)
	}
	context.AfterFunc(ctx, stop)
	return ctx
}

// UntilSecond returns a context that ends with the second Ctrl-C or SIGTERM from now on, which then does
// not end the program at once. It is for a command that is asked to end and waits for others.
func UntilSecond() (second context.Context, stop func()) {
	second, cancel := context.WithCancel(context.Background())
	arrived := make(chan os.Signal, 2)
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(arrived)
		for range 2 {
			select {
			case <-arrived:
			case <-second.Done():
				return
			}
		}
		cancel()
	}()
	return second, cancel
}

// hangups are the signals that a terminal has gone away, or that a server is to read its
// configuration again.
type hangups struct {
	end context.CancelFunc

	mu    sync.Mutex
	taken chan struct{} // nil: they end the program
}

// hangupsKey is where a context has its hangups.
type hangupsKey struct{}

// untilHangup returns a context that ends with SIGHUP, unless TakeHangups was called.
func untilHangup(ctx context.Context) context.Context {
	ctx, end := context.WithCancel(ctx)
	h := &hangups{end: end}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			h.arrived()
		}
	}()
	return context.WithValue(ctx, hangupsKey{}, h)
}

func (h *hangups) arrived() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken == nil {
		h.end()
		return
	}
	select {
	case h.taken <- struct{}{}:
	default: // one is waiting, which stands for this one too
	}
}

// TakeHangups returns what is received from for each SIGHUP, which does not end the program
// any more. It is nil where the program was told to ignore it.
func TakeHangups(ctx context.Context) <-chan struct{} {
	h, ok := ctx.Value(hangupsKey{}).(*hangups)
	if !ok {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = make(chan struct{}, 1)
	return h.taken
}

// Interruptible reads from its stream until its context ends, whose error it then
// returns, also while the stream has nothing and its Read does not return.
type Interruptible struct {
	Context context.Context
	Stream  io.Reader
	buf     []byte // of the read under way; it is abandoned together with it
	unread  []byte
	err     error // what follows unread
}

// readSize is how much is asked for at once.
const readSize = 64 << 10

// Read is that of io.Reader.
func (i *Interruptible) Read(p []byte) (int, error) {
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

func (i *Interruptible) fill() {
	if i.err = i.Context.Err(); i.err != nil {
		return
	}
	if i.buf == nil {
		i.buf = make([]byte, readSize)
	}
	n, err := call.Once(i.Context, func() (int, error) { return i.Stream.Read(i.buf) })
	i.unread, i.err = i.buf[:n], err
}
