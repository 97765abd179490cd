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

// UntilSignal returns a context that ends with the first signal to end the program. Then a second Ctrl-C
// or SIGTERM ends the program at once.
//
// A closed terminal often sends SIGHUP twice, so a second SIGHUP has no effect. A program started with
// SIGHUP ignored (nohup) continues.
func UntilSignal(ctx context.Context) context.Context {
	// Windows' console, session and system events are delivered as SIGTERM.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		ctx = untilHangup(ctx)
	}
	context.AfterFunc(ctx, stop)
	return ctx
}

// UntilSecond returns a context that ends with the second Ctrl-C or SIGTERM from now on, instead of ending
// the program. Commands use it to wait for child processes.
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

type hangups struct {
	end context.CancelFunc

	mu    sync.Mutex
	taken chan struct{} // nil: SIGHUP ends the program
}

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
	default: // one is already pending
	}
}

// TakeHangups returns a channel that receives for each SIGHUP, which then does not end the program. It is
// nil if SIGHUP is ignored.
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

// Interruptible reads from its stream until its context ends, even while a Read of the stream blocks. It
// then returns the error of the context.
type Interruptible struct {
	Context context.Context
	Stream  io.Reader
	buf     []byte // of the current read; abandoned together with it
	unread  []byte
	err     error // returned after unread
}

const readSize = 64 << 10

// Read implements io.Reader.
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
