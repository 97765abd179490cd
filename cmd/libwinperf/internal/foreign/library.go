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

// Library is all that one program has open. The zero Library is ready for use, by any number
// of threads.
type Library struct {
	// Open opens a source by URL; nil is source.Open.
	Open func(ctx context.Context, url string) (winperf.Source, error)
	// Events are those of the program; the zero Events have none.
	Events Events

	handles table
	failure // of operations without an object
}

// on does something with the object of a handle. What fails is told as a code; the object
// keeps the text, and the Library where there is no such object.
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
		err = fmt.Errorf("handle %d was closed meanwhile: %w", h, code)
	}
	o.setError(err)
	if _, gone := l.handles.get(h); gone != nil || code == UnknownHandle {
		l.setError(err) // nobody can ask the object any more, or soon
	}
	return code
}

// Fail notes an argument that could not be read, and returns its code. The text is that of the Library, and
// of the object of the handle where there is one: who called does not know which it is about.
func (l *Library) Fail(h Handle, format string, args ...any) Code {
	return l.fail(h, fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), BadArgument))
}

// FailTooMany is Fail for an argument that has more elements than there may be.
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

// ErrorSize is how many bytes Error takes.
func (l *Library) ErrorSize(h Handle) (int, Code) {
	text, code := l.lastError(h)
	if code != OK {
		return 0, code
	}
	n, err := textSize(text)
	return n, codeOf(err)
}

// Error writes the text of the last failure of an object, and for handle 0 of operations that
// had no object, of any thread. It is empty where there was none. Errors of Error itself leave no text.
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

// Describe writes what a code means.
func (l *Library) Describe(c Code, out []byte) (int, Code) {
	n, err := copyText(out, c.Error())
	return n, codeOf(err)
}

// settings are what Set changes.
type settings struct {
	timeoutMS, retries, rest atomic.Int32
}

// begin gives settings the values of others.
func (s *settings) begin(timeoutMS, retries, rest int32) {
	s.timeoutMS.Store(timeoutMS)
	s.retries.Store(retries)
	s.rest.Store(rest)
}

func (s *settings) timeout() time.Duration {
	return time.Duration(s.timeoutMS.Load()) * time.Millisecond
}

// set changes a setting, if the value is one that it can have.
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
		return fmt.Errorf("there is no setting %d: %w", what, BadArgument)
	case v < x.least || v > x.most:
		return fmt.Errorf("%s %d: it is from %d to %d: %w", x.name, v, x.least, x.most, BadArgument)
	}
	x.value.Store(v)
	return nil
}

// configurable is an object with settings.
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

// openSource opens a source as Library.Open or source.Open does.
func (l *Library) openSource(ctx context.Context, url string) (winperf.Source, error) {
	if l.Open != nil {
		return l.Open(ctx, url)
	}
	return source.Open(ctx, url)
}
