package foreign_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// heard are events as text, with what is around them.
type heard struct{ all []string }

type aroundKey struct{}

func (h *heard) add(ctx context.Context, what, name string, attrs []slog.Attr) {
	around, _ := ctx.Value(aroundKey{}).(string)
	h.all = append(h.all, fmt.Sprint(what, " ", around, "/", name, attrs))
}

func (h *heard) library(listen error) *foreign.Library {
	return &foreign.Library{Events: foreign.Events{
		Emit: func(ctx context.Context, name string, attrs ...slog.Attr) { h.add(ctx, "event", name, attrs) },
		Begin: func(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, func(...slog.Attr)) {
			h.add(ctx, "begin", name, attrs)
			return context.WithValue(ctx, aroundKey{}, name), func(attrs ...slog.Attr) { h.add(ctx, "end", name, attrs) }
		},
		Declare: func(names ...string) { h.all = append(h.all, fmt.Sprint("declare ", names)) },
		Listen:  func(context.Context, string) (io.Closer, error) { return h, listen },
	}}
}

func (h *heard) Close() error {
	h.all = append(h.all, "closed")
	return nil
}

func TestEvents(t *testing.T) {
	var h heard
	l := h.library(nil)
	must(t, l, 0, l.Event(0, "alone", []slog.Attr{slog.Int("n", 1)}))
	must(t, l, 0, l.Declare("job"))
	job, code := l.BeginRegion(0, "job", nil)
	must(t, l, 0, code)
	step, code := l.BeginRegion(job, "step", nil)
	must(t, l, 0, code)
	must(t, l, 0, l.Event(step, "within", nil))
	must(t, l, 0, l.EndRegion(job, nil))
	must(t, l, 0, l.Event(step, "after", nil)) // regions may overlap
	must(t, l, 0, l.EndRegion(step, []slog.Attr{slog.String("result", "ok")}))

	want := []string{
		"event /alone[n=1]", "declare [job]", "begin /job[]", "begin job/step[]", "event step/within[]", "end /job[]",
		"event step/after[]", "end job/step[result=ok]",
	}
	if !slices.Equal(h.all, want) {
		t.Errorf("%q, want %q", h.all, want)
	}
}

// What cannot be is refused, and nothing is emitted.
func TestEventsRefused(t *testing.T) {
	var h heard
	l := h.library(nil)
	job, code := l.BeginRegion(0, "job", nil)
	must(t, l, 0, code)
	must(t, l, 0, l.EndRegion(job, nil))
	listener, code := l.Listen("program")
	must(t, l, 0, code)
	before := len(h.all)
	_, inClosed := l.BeginRegion(job, "step", nil)
	_, noName := l.Listen("")
	for name, tt := range map[string]struct{ got, want foreign.Code }{
		"end again":              {l.EndRegion(job, nil), foreign.UnknownHandle},
		"an event in a closed":   {l.Event(job, "event", nil), foreign.UnknownHandle},
		"a region in a closed":   {inClosed, foreign.UnknownHandle},
		"an event in a listener": {l.Event(listener, "event", nil), foreign.WrongKind},
		"a listener's settings":  {l.Set(listener, foreign.Retries, 1), foreign.WrongKind},
		"a listener's sample":    {l.Sample(listener, foreign.Safe), foreign.WrongKind},
		"no name":                {noName, foreign.BadArgument},
		"declare no name":        {l.Declare(""), foreign.BadArgument},
		"declare a long name":    {l.Declare(strings.Repeat("x", 1025)), foreign.TooMany},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: code %d, want %d", name, tt.got, tt.want)
		}
	}
	if len(h.all) != before {
		t.Errorf("%q", h.all[before:])
	}

	must(t, l, 0, l.EndListen(listener))
	if code := l.EndListen(listener); code != foreign.UnknownHandle || h.all[len(h.all)-1] != "closed" {
		t.Errorf("end listening again: code %d, %q", code, h.all)
	}
	if _, code := h.library(errors.New("no directory")).Listen("program"); code != foreign.Failed {
		t.Errorf("listening fails: code %d", code)
	}

	var none foreign.Library
	_, region := none.BeginRegion(0, "job", nil)
	_, listen := none.Listen("program")
	if code := none.Declare("event"); code != foreign.NotSupported {
		t.Errorf("declare without experiments: code %d", code)
	}
	if event := none.Event(0, "event", nil); event != foreign.NotSupported || region != event || listen != event {
		t.Errorf("without experiments: codes %d, %d, %d", event, region, listen)
	}
}
