package foreign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Events are the functions for experiments. If one is nil, its operation returns NotSupported.
type Events struct {
	// Emit emits an event, and returns when it was measured or ctx has ended.
	Emit func(ctx context.Context, name string, attrs ...slog.Attr)
	// Begin begins a region, and returns the context for events in it and a function that ends it.
	Begin func(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(...slog.Attr))
	// Declare adds names of events before they are emitted.
	Declare func(names ...string)
	// Listen lets others attach experiments to the program.
	Listen func(ctx context.Context, name string) (io.Closer, error)
}

const eventTimeout = 30 * time.Second

type region struct {
	failure
	ctx context.Context
	end func(...slog.Attr)
}

func (*region) kind() string { return "region" }

type listener struct {
	failure
	io.Closer
}

func (*listener) kind() string { return "listener" }

// Event emits an event in an open region, or without one for handle 0. It returns when the event's
// samples have begun, or immediately if no experiment is bound to it.
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

// maxEventName is the longest name of a declared event, in bytes.
const maxEventName = 1024

// Declare adds the name of an event before it is emitted.
func (l *Library) Declare(name string) Code {
	switch {
	case l.Events.Declare == nil:
		err := fmt.Errorf("this library does not support experiments: %w", NotSupported)
		l.setError(err)
		return codeOf(err)
	case name == "":
		return l.Fail(0, "the name of the event is empty")
	case len(name) > maxEventName:
		return l.FailTooMany(0, len(name), maxEventName, "bytes in the name of an event")
	}
	l.Events.Declare(name)
	return OK
}

func (l *Library) inside(within Handle, can bool) (context.Context, error) {
	if !can {
		return nil, fmt.Errorf("this library does not support experiments: %w", NotSupported)
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

// BeginRegion begins a region in another one, or without one for handle 0. It returns when the samples of
// its begin are complete, so that the region does not measure itself.
func (l *Library) BeginRegion(within Handle, name string, attrs []slog.Attr) (Handle, Code) {
	ctx, err := l.inside(within, l.Events.Begin != nil)
	if err != nil {
		l.setError(err)
		return 0, codeOf(err)
	}
	// The timeout applies to the begin only, not to the region's context.
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

// EndRegion ends a region and invalidates its handle.
func (l *Library) EndRegion(h Handle, attrs []slog.Attr) Code {
	return on(l, h, func(r *region) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		r.end(attrs...)
		return nil
	})
}

// Listen lets other programs of the same user attach experiments to the program, under a name.
func (l *Library) Listen(name string) (Handle, Code) {
	err := fmt.Errorf("the name of the program is empty: %w", BadArgument)
	switch {
	case l.Events.Listen == nil:
		err = fmt.Errorf("this library does not support experiments: %w", NotSupported)
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

// EndListen ends Listen and the experiments that were attached.
func (l *Library) EndListen(h Handle) Code {
	return on(l, h, func(from *listener) error {
		if !l.handles.remove(h) {
			return UnknownHandle
		}
		return from.Close()
	})
}
