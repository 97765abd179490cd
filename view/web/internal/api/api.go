// Package api answers the requests of docs/view.md about a [view.View], for the handler of view/web and for
// the page that needs no server.
package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/view"
)

// Names returns the names of all requests, which are the last parts of their paths.
func Names() []string { return slices.Sorted(maps.Keys(answers())) }

// Answer answers a request from its parameters. The answer is a value for package encoding/json.
func Answer(ctx context.Context, v *view.View, name string, q url.Values) (any, error) {
	answer, ok := answers()[name]
	if !ok {
		return nil, ErrUnknown
	}
	request, err := Request(q)
	if err != nil {
		return nil, err
	}
	return answer(ctx, v, request, q)
}

// ErrUnknown means that there is no request of a name.
var ErrUnknown = errors.New("no such request; docs/view.md lists them")

// answerer answers a request from its parameters.
type answerer func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error)

func answers() map[string]answerer {
	return map[string]answerer{
		"sources": func(ctx context.Context, v *view.View, _ view.Request, _ url.Values) (any, error) {
			return v.Sources(ctx)
		},
		"objects": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Objects(ctx, r)
		},
		"instances": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			return v.Instances(ctx, r, q.Get("object"))
		},

		"range": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			steps, err := stepsOf(q)
			if err != nil {
				return nil, err
			}
			return v.Range(ctx, r, steps)
		},

		"statistics": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Statistics(ctx, r)
		},
		"events": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Events(ctx, r)
		},
		"values": func(ctx context.Context, v *view.View, r view.Request, _ url.Values) (any, error) {
			return v.Values(ctx, r)
		},
		"changed": func(ctx context.Context, v *view.View, r view.Request, q url.Values) (any, error) {
			return v.Changed(ctx, r, q.Get("with"))
		},
	}
}

func stepsOf(q url.Values) (s view.Steps, err error) {
	if text := q.Get("step"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds < math.MaxInt64/1e9) {
			return s, fmt.Errorf("%w: step=%.50q, expected seconds", view.ErrRequest, text)
		}
		s.Step = time.Duration(seconds * float64(time.Second))
		if s.Step > 0 && s.Step < time.Millisecond {
			s.Step = time.Millisecond
		}
	}
	for name, to := range map[string]*int{"points": &s.Points, "top": &s.Top} {
		if text := q.Get(name); text != "" {
			if *to, err = strconv.Atoi(text); err != nil || *to < 1 {
				return s, fmt.Errorf("%w: %s=%.50q, expected a number from 1", view.ErrRequest, name, text)
			}
		}
	}
	return s, nil
}

// Request returns the parameters that all requests share.
func Request(q url.Values) (r view.Request, err error) {
	r.Source, r.Paths = q.Get("source"), q["path"]
	for name, to := range map[string]*time.Time{"begin": &r.Begin, "end": &r.End} {
		if text := q.Get(name); text != "" {
			if *to, err = parseTime(text); err != nil {
				const form = "%w: %s=%.50q, expected RFC 3339 or milliseconds since 1970"
				return r, fmt.Errorf(form, view.ErrRequest, name, text)
			}
		}
	}
	return r, nil
}

// parseTime parses RFC 3339 or milliseconds, within the years that RFC 3339 can express.
func parseTime(text string) (time.Time, error) {
	const last = 253402300799999 // the end of the year 9999
	t, err := time.Parse(time.RFC3339Nano, text)
	if n, is := strconv.ParseFloat(text, 64); is == nil && math.Abs(n) <= last {
		t, err = time.UnixMilli(int64(n)), nil
	}
	if t = t.UTC(); err == nil && (t.Year() < 0 || t.Year() > 9999) {
		err = strconv.ErrRange
	}
	return t, err
}

// Status returns the HTTP status for an error of a request.
func Status(err error) int {
	is := func(one error) bool { return errors.Is(err, one) }
	switch {
	case is(view.ErrRequest), is(winperf.ErrPath), is(winperf.ErrNoMachine), is(winperf.ErrNotSupported):
		return 400
	case is(view.ErrNoSource), is(ErrUnknown):
		return 404
	case is(view.ErrRemoved):
		return 410
	}
	return 500
}
