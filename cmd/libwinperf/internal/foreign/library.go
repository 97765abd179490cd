package foreign

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source"
)

// Library has all open objects of a program. The zero Library is ready for use, by any number of threads.
type Library struct {
	// Open opens a source by URL; nil is source.Open.
	Open func(ctx context.Context, url string) (winperf.Source, error)
	// Events are the program's functions for experiments; the zero value has none.
	Events Events

	handles table
	failure // of operations without an object
}

// on calls do with the object of a handle. It returns errors as codes; the object stores the text, or the
// Library if there is no object.
func on[T object](l *Library, h Handle, do func(T) error) Code {
	o, err := find[T](&l.handles, h)
	if err != nil {
		l.setError(err)
		return codeOf(err)
	}
	err = do(o)
	if err == nil {
		return OK
	}

	code := codeOf(err)
	if code == UnknownHandle && errors.Is(err, context.Canceled) {
		err = fmt.Errorf("handle %d was closed during the call: %w", h, code)
	}
	o.setError(err)
	if _, gone := l.handles.get(h); gone != nil || code == UnknownHandle {
		l.setError(err)
	}
	return code
}

// Fail records an unreadable argument and returns its code. Both the Library and the object of the
// handle, if any, store the text, because the caller cannot know which one has it.
func (l *Library) Fail(h Handle, format string, args ...any) Code {
	return l.fail(h, fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), BadArgument))
}

// FailTooMany is Fail for an argument with too many elements.
func (l *Library) FailTooMany(h Handle, n, most int, what string) Code {
	return l.fail(h, tooMany(n, most, what))
}

func (l *Library) fail(h Handle, err error) Code {
	l.setError(err)
	if o, missing := l.handles.get(h); missing == nil {
		o.setError(err)
	}
	return codeOf(err)
}

// ErrorSize returns the number of bytes that Error writes.
func (l *Library) ErrorSize(h Handle) (int, Code) {
	text, code := l.lastError(h)
	if code != OK {
		return 0, code
	}
	n, err := textSize(text)
	return n, codeOf(err)
}

// Error writes the text of the last error of an object, or for handle 0 of operations without an object
// in any thread. The text is empty if there was no error. Errors of Error itself are not stored.
func (l *Library) Error(h Handle, out []byte) (int, Code) {
	text, code := l.lastError(h)
	if code != OK {
		return 0, code
	}
	n, err := copyText(out, text)
	return n, codeOf(err)
}

func (l *Library) lastError(h Handle) (string, Code) {
	if h == 0 {
		return l.errorText(), OK
	}
	o, err := l.handles.get(h)
	if err != nil {
		return "", codeOf(err)
	}
	return o.errorText(), OK
}

// Describe writes the meaning of a code.
func (l *Library) Describe(c Code, out []byte) (int, Code) {
	n, err := copyText(out, c.Error())
	return n, codeOf(err)
}

type settings struct {
	timeoutMS, retries, rest atomic.Int32
}

func (s *settings) begin(timeoutMS, retries, rest int32) {
	s.timeoutMS.Store(timeoutMS)
	s.retries.Store(retries)
	s.rest.Store(rest)
}

func (s *settings) timeout() time.Duration {
	return time.Duration(s.timeoutMS.Load()) * time.Millisecond
}

func (s *settings) set(what Setting, v int32) error {
	all := map[Setting]struct {
		name        string
		value       *atomic.Int32
		least, most int32
	}{
		TimeoutMS: {"timeout", &s.timeoutMS, 1, 24 * 60 * 60 * 1000},
		Retries:   {"number of retries", &s.retries, 0, 100},
		Rest:      {"rest", &s.rest, 0, 1},
	}

	x, known := all[what]
	switch {
	case !known:
		return fmt.Errorf("unknown setting %d: %w", what, BadArgument)
	case v < x.least || v > x.most:
		return fmt.Errorf("%s %d, expected %d to %d: %w", x.name, v, x.least, x.most, BadArgument)
	}
	x.value.Store(v)
	return nil
}

type configurable interface {
	object
	set(what Setting, v int32) error
}

// Set changes a setting of a source or a snapshot.
func (l *Library) Set(h Handle, what Setting, v int32) Code {
	o, err := l.handles.get(h)
	if err != nil {
		l.setError(err)
		return codeOf(err)
	}
	c, can := o.(configurable)
	if !can {
		err = fmt.Errorf("handle %d is a %s, which has no settings: %w", h, o.kind(), WrongKind)
		l.setError(err)
		return codeOf(err)
	}
	if err := c.set(what, v); err != nil {
		o.setError(err)
		return codeOf(err)
	}
	return OK
}

func (l *Library) openSource(ctx context.Context, url string) (winperf.Source, error) {
	if l.Open != nil {
		return l.Open(ctx, url)
	}
	return source.Open(ctx, url)
}
