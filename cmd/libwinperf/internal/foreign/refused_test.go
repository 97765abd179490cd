package foreign_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// An array that is too small stays as it is, and its caller learns what is needed.
func TestTooSmall(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	h := snapshot(t, l, src, foreign.Custom, foreign.Request{Object: 230})
	must(t, l, h, cycle(t, l, h))
	all := make([]foreign.Item, 8)
	for room := range len(all) {
		out := slices.Repeat([]foreign.Item{{Object: 7}}, room)
		n, code := l.Items(h, foreign.Plain, out)
		if code != foreign.TooSmall || n != 8 || room > 0 && out[0].Object != 7 {
			t.Errorf("room for %d: %d, code %d, %v", room, n, code, out)
		}
	}
	n, code := l.Items(h, foreign.Plain, append(all, foreign.Item{Object: 7}))
	if n != 8 || code != foreign.OK {
		t.Errorf("room for one more: %d, code %d", n, code)
	}

	size, _ := l.InstancesSize(h, foreign.Plain, 230)
	text, rest := make([]byte, size), make([]foreign.Instance, 2)
	for _, tt := range []struct{ text, rest int }{{size - 1, 2}, {size, 1}, {0, 0}} {
		bytes, n, code := l.Instances(h, foreign.Plain, 230, text[:tt.text], rest[:tt.rest])
		if bytes != size || n != 2 || code != foreign.TooSmall || text[0] != 0 || rest[0] != (foreign.Instance{}) {
			t.Errorf("room for %v: %d bytes, %d, code %d, %q %v", tt, bytes, n, code, text, rest)
		}
	}
}

// The text of a failure is there for who asks the handle of the call, and where that is closed for who asks
// the library.
func TestErrorTexts(t *testing.T) {
	l, src := opened(t, &fake{script: steady, stuck: errors.New("the file is stuck")})
	if _, code := l.FindObject(src, "Proces"); code != foreign.NotFound {
		t.Fatalf("code %d", code)
	}
	if code := l.Fail(src, "name is NULL"); code != foreign.BadArgument {
		t.Errorf("code %d", code)
	}
	for _, h := range []foreign.Handle{src, 0} {
		if got := errorText(l, h); got != "name is NULL: bad argument" {
			t.Errorf("handle %d has the text %q", h, got)
		}
	}
	if code := l.FailTooMany(src, 3, 2, "names"); code != foreign.TooMany {
		t.Errorf("code %d", code)
	}
	if got := errorText(l, src); got != "3 names, of at most 2: too many" {
		t.Errorf("too many: %q", got)
	}

	if code := l.CloseSource(src); code != foreign.Failed {
		t.Errorf("code %d", code)
	}
	if got := errorText(l, 0); got != "the file is stuck" {
		t.Errorf("close: %q", got)
	}
}

// The settings and codes of what cannot be meant.
func TestBadArguments(t *testing.T) {
	l, src := opened(t, &fake{script: steady})
	h := snapshot(t, l, src, foreign.Global)
	create := func(k foreign.Kind, requests ...foreign.Request) foreign.Code {
		_, code := l.Create(src, k, requests, 0)
		return code
	}
	for name, tt := range map[string]struct{ got, want foreign.Code }{
		"no kind":             {create(0), foreign.BadArgument},
		"another kind":        {create(4), foreign.BadArgument},
		"no requests":         {create(foreign.Custom), foreign.BadArgument},
		"an unknown object":   {create(foreign.Custom, foreign.Request{Object: 9}), foreign.NotFound},
		"no object":           {create(foreign.Custom, foreign.Request{}), foreign.NotFound},
		"an unknown counter":  {create(foreign.Custom, foreign.Request{Object: 2, Counter: 6}), foreign.NotFound},
		"one request twice":   {create(foreign.Custom, foreign.Request{Object: 2}, foreign.Request{Object: 2}), foreign.BadArgument},
		"no setting":          {l.Set(h, 0, 1), foreign.BadArgument},
		"a negative timeout":  {l.Set(h, foreign.TimeoutMS, -1), foreign.BadArgument},
		"too many retries":    {l.Set(src, foreign.Retries, 101), foreign.BadArgument},
		"a source's snapshot": {l.Prepare(src, foreign.Plain), foreign.WrongKind},
		"a snapshot's names":  {l.Refresh(h), foreign.WrongKind},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: code %d, want %d", name, tt.got, tt.want)
		}
	}
}
