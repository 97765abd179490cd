package foreign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Events are how a program takes part in experiments. Where a function is nil the operation
// answers NotSupported.
type Events struct {
	// Emit says that something happened, and returns when that was measured or ctx has ended.
	Emit func(ctx context.Context, name string, attrs ...slog.Attr)
	// Begin begins a region, and returns what ends it and the context for what happens within.
	Begin func(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(...slog.Attr))
	// Declare makes the name of an event known before the event is emitted.
	Declare func(names ...string)
	// Listen lets experiments be attached to the program from outside.
	Listen func(ctx context.Context, name string) (io.Closer, error)
}

// eventTimeout is how long an event may hold up the program that emits it.
const eventTimeout = 30 * time.Second

// region is a part of the program that is measured as a whole.
type region struct {
	failure
	ctx context.Context
	end func(...slog.Attr)
}

func (*region) kind() string { return "region" }

// listener lets experiments be attached.
type listener struct {
	failure
	io.Closer
}

func (*listener) kind() string { return "listener" }

// Event emits an event within an open region, or for handle 0 within none. It returns when its
// samples are begun; at once where no experiment is bound to it.
func (l *Library) Event(within Handle, name string, attrs []slog.Attr) Code {
	ctx, err := l.inside(within, l.Events.Emit != nil)
	if err != nil {
		l.setError(err)
		return codeOf(err)
	}
	ctx, cancel := context.WithTimeout(ctx, eventTimeout)
	defer cancel()
	l.Events.Emit(ctx, name, attrs...)
	return OK
}

// maxEventName is the longest name of an event that a program keeps, in bytes.
const maxEventName = 1024

// Declare makes the name of an event known before the event is emitted for the first time.
func (l *Library) Declare(name string) Code {
	switch {
	case l.Events.Declare == nil:
		err := fmt.Errorf("this library has no experiments: %w", NotSupported)
		l.setError(err)
		return codeOf(err)
	case name == "":
		return l.Fail(0, "an event that is declared needs a name")
	case len(name) > maxEventName:
		return l.FailTooMany(0, len(name), maxEventName, "bytes in the name of an event")
	}
	l.Events.Declare(name)
	return OK
}

// inside returns the context of an open region, and for handle 0 that of none.
func (l *Library) inside(within Handle, can bool) (context.Context, error) {
	if !can {
		return nil, fmt.Errorf("this library has no experiments: %w", NotSupported)
	}
	if within == 0 {
		return context.Background(), nil
	}
	r, err := find[*region](&l.handles, within)
	if err != nil {
		return nil, err
	}
	return r.ctx, nil
}

// BeginRegion begins a region within another one, or for handle 0 within none. It returns when the
// samples of its begin are complete, so that it does not measure itself.
func (l *Library) BeginRegion(within Handle, name string, attrs []slog.Attr) (Handle, Code) {
	ctx, err := l.inside(within, l.Events.Begin != nil)
	if err != nil {
		l.setError(err)
		return 0, codeOf(err)
	}
	// What happens within may last longer than its begin may take.
	limited, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(eventTimeout, cancel)
	inner, end := l.Events.Begin(limited, name, attrs...)
	timer.Stop()

	r := &region{ctx: context.WithoutCancel(inner), end: func(attrs ...slog.Attr) {
		end(attrs...)
		cancel()
	}}
	h, err := l.handles.add(r)
	if err != nil {
		r.end()
		l.setError(err)
	}
	return h, codeOf(err)
}

// EndRegion ends a region, whose handle is no longer of use.
func (l *Library) EndRegion(h Handle, attrs []slog.Attr) Code {
	return on(l, h, func(r *region) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		r.end(attrs...)
		return nil
	})
}

// Listen lets experiments be attached to the program under a name, by other programs of the same user.
func (l *Library) Listen(name string) (Handle, Code) {
	err := fmt.Errorf("a program that listens needs a name: %w", BadArgument)
	switch {
	case l.Events.Listen == nil:
		err = fmt.Errorf("this library has no experiments: %w", NotSupported)
	case name != "":
		var c io.Closer
		if c, err = l.Events.Listen(context.Background(), name); err != nil {
			break
		}
		var h Handle
		if h, err = l.handles.add(&listener{Closer: c}); err == nil {
			return h, OK
		}
		err = errors.Join(err, c.Close())
	}
	l.setError(err)
	return 0, codeOf(err)
}

// EndListen ends that, and the experiments that were attached.
func (l *Library) EndListen(h Handle) Code {
	return on(l, h, func(from *listener) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		return from.Close()
	})
}
