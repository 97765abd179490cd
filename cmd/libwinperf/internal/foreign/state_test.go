package foreign_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/libwinperf/internal/foreign"
)

// stateTable is the state machine: what an operation makes of each state, "-" where it is
// refused. A snapshot that is being made has no handle yet.
const stateTable = `
              prepare   sample   decode       browse       read         destroy
initializing  unknown   unknown  unknown      unknown      unknown      unknown
initialized   prepared  -        -            initialized  initialized  gone
preparing     -         -        -            -            -            -
prepared      prepared  sampled  -            -            -            gone
sampling      -         -        -            -            -            -
sampled       prepared  -        initialized  -            -            gone
decoding      -         -        -            -            -            -
`

// operations are those of the table, in the form that does not wait.
var operations = map[string]func(*foreign.Library, foreign.Handle, foreign.Access) foreign.Code{
	"prepare": (*foreign.Library).Prepare, "sample": (*foreign.Library).Sample,
	"decode": (*foreign.Library).Decode, "destroy": (*foreign.Library).Destroy,
	"browse": func(l *foreign.Library, h foreign.Handle, a foreign.Access) foreign.Code {
		_, code := l.ObjectsCount(h, a)
		return code
	},
	"read": func(l *foreign.Library, h foreign.Handle, a foreign.Access) foreign.Code {
		_, code := l.ItemsCount(h, a)
		return code
	},
}

// paused is a source that calls a function in the middle of a stage. A snapshot that decodes
// is caught in the preparation that its caller does not see, preparing in the definitions.
type paused struct {
	*fake
	during map[string]func()
}

func (p *paused) call(state string) {
	if f := p.during[state]; f != nil {
		delete(p.during, state)
		f()
	}
}

// bring brings a snapshot into a state and does something there. It reports whether the
// snapshot was in that state as long as that lasted.
func bring(t *testing.T, state string, do func(*foreign.Library, foreign.Handle)) bool {
	t.Helper()
	p := &paused{fake: &fake{}, during: map[string]func(){}}
	newcomer := false // a process that comes makes decode sample again
	p.script = func(n int) []proc {
		if newcomer {
			return append(steady(n), proc{"new", 14, 0, 0, 1})
		}
		return steady(n)
	}
	l, src := opened(t, p.fake)
	must(t, l, src, l.Set(src, foreign.Rest, 1))
	h := foreign.Handle(0)
	stage := "initializing"
	p.onSample = func(context.Context, int) error { p.call(stage); return nil }
	done := false
	during := func() { do(l, h); done = true }

	if state == "initializing" {
		h = src + 1 // the handle that it is going to have
		p.during[state] = during
	}
	h = snapshot(t, l, src, foreign.Global)
	must(t, l, h, operations["browse"](l, h, foreign.Plain)) // so that there is a structure it could tell
	steps := func(names ...string) {
		for _, name := range names {
			must(t, l, h, operations[name](l, h, foreign.Plain))
		}
	}
	switch state {
	case "initialized":
		steps("prepare", "sample", "decode")
	case "prepared":
		steps("prepare")
	case "sampled":
		steps("prepare", "sample")
	case "preparing":
		return preparing(t, l, h, during)
	case "sampling":
		stage = state
		p.during[state] = during
		steps("prepare", "sample")
	case "decoding":
		newcomer = true
		steps("prepare", "sample")
		stage = state
		p.during[state] = during
		steps("decode")
	}
	if !done {
		during()
	}
	return true
}

// preparing calls a function while a snapshot prepares: it rests for up to 10 ms. It reports
// whether the snapshot was preparing all the time.
func preparing(t *testing.T, l *foreign.Library, h foreign.Handle, do func()) bool {
	must(t, l, h, cycle(t, l, h))
	prepared := make(chan foreign.Code)
	go func() { prepared <- l.Prepare(h, foreign.Plain) }()
	state := foreign.Initialized
	for state == foreign.Initialized {
		state, _ = l.State(h)
	}
	do()
	state, _ = l.State(h)
	if code := <-prepared; code != foreign.OK {
		t.Errorf("prepare: code %d", code)
	}
	return state == foreign.Preparing
}

// Every cell: the operation does what the table says, or is refused and changes nothing.
func TestStates(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(stateTable), "\n")
	heads := strings.Fields(rows[0])
	if len(heads) != len(operations) || len(rows)-1 != int(foreign.Decoding) {
		t.Fatalf("the table has %d operations and %d states", len(heads), len(rows)-1)
	}
	for _, row := range rows[1:] {
		cells := strings.Fields(row)
		for i, want := range cells[1:] {
			t.Run(cells[0]+"/"+heads[i], func(t *testing.T) { testCell(t, cells[0], heads[i], want) })
		}
	}
}

func testCell(t *testing.T, state, op, want string) {
	var before, after, text string
	var code foreign.Code
	for try := 0; !bring(t, state, func(l *foreign.Library, h foreign.Handle) {
		before = stateOf(l, h)
		code = operations[op](l, h, foreign.Plain)
		text, after = errorText(l, h), stateOf(l, h)
	}); try++ {
		if try == 100 {
			t.Fatalf("it was never %s for as long as that takes", state)
		}
	}

	switch {
	case want == "unknown":
		if code != foreign.UnknownHandle || before != "gone" {
			t.Errorf("code %d, %q, before that %s", code, text, before)
		}
	case before != state:
		t.Fatalf("the state was %s", before)
	case want != "-":
		if code != foreign.OK || after != want {
			t.Errorf("code %d, %q, and the state is %s, not %s", code, text, after, want)
		}
	case code != foreign.WrongState || !strings.Contains(text, op) || !strings.Contains(text, state):
		t.Errorf("code %d, %q; want a refusal that names %s and %s", code, text, op, state)
	case after != state:
		t.Errorf("refused, but the state is %s now", after)
	}
}

func stateOf(l *foreign.Library, h foreign.Handle) string {
	state, code := l.State(h)
	if code == foreign.UnknownHandle {
		return "gone"
	}
	return state.String()
}

// A step that fails leaves the snapshot initialized, and can be tried again.
func TestFailedStep(t *testing.T) {
	for _, step := range []string{"sample", "decode"} {
		fail := false
		f := &fake{script: steady}
		f.onSample = func(context.Context, int) error {
			if fail {
				return fmt.Errorf("the disk is gone")
			}
			return nil
		}
		l, src := opened(t, f)
		h := snapshot(t, l, src, foreign.Global)
		must(t, l, h, l.Prepare(h, foreign.Plain))
		if step == "decode" { // it samples again, and that fails
			f.script = func(n int) []proc { return append(steady(n), proc{"new", 14, 0, 0, 1}) }
			must(t, l, h, l.Sample(h, foreign.Plain))
		}
		fail = true
		if code := operations[step](l, h, foreign.Plain); code != foreign.Failed || !strings.Contains(errorText(l, h), "the disk is gone") {
			t.Errorf("%s: code %d, %s", step, code, errorText(l, h))
		}
		if state := stateOf(l, h); state != "initialized" {
			t.Errorf("%s: the state is %s", step, state)
		}
		if _, code := l.ItemsCount(h, foreign.Plain); code != foreign.WrongState {
			t.Errorf("%s: values of no cycle: code %d", step, code)
		}
		if _, code := l.ObjectsCount(h, foreign.Plain); code != foreign.OK {
			t.Errorf("%s: the structure: code %d", step, code)
		}
		fail = false
		must(t, l, h, cycle(t, l, h))
		if step == "decode" {
			checkFailedDecode(t, l, h, f, &fail)
		}
	}
}

// checkFailedDecode checks that a decode that fails leaves no values of the cycle before either.
func checkFailedDecode(t *testing.T, l *foreign.Library, h foreign.Handle, f *fake, fail *bool) {
	t.Helper()
	f.script = steady
	must(t, l, h, l.Prepare(h, foreign.Plain))
	must(t, l, h, l.Sample(h, foreign.Plain))
	*fail = true
	if code := l.Decode(h, foreign.Plain); code != foreign.Failed {
		t.Errorf("decode: code %d", code)
	}
	if n, code := l.ItemsCount(h, foreign.Plain); code != foreign.WrongState {
		t.Errorf("%d values after a decode that failed: code %d", n, code)
	}
}

// The form that waits has its turn when the operation that is under way has ended.
func TestSafeWaits(t *testing.T) {
	var l *foreign.Library
	var h foreign.Handle
	decoded := make(chan foreign.Code, 1)
	f := &fake{script: steady, onSample: func(_ context.Context, n int) error {
		if n == 1 {
			if code := l.Decode(h, foreign.Plain); code != foreign.WrongState {
				t.Errorf("the form that does not wait: code %d", code)
			}
			go func() {
				code := l.Decode(h, foreign.Safe)
				for code == foreign.WrongState { // the lock was free once more before the sample was there
					code = l.Decode(h, foreign.Safe)
				}
				decoded <- code
			}()
		}
		return nil
	}}
	l, src := opened(t, f)
	h = snapshot(t, l, src, foreign.Global)
	must(t, l, h, l.Prepare(h, foreign.Safe))
	must(t, l, h, l.Sample(h, foreign.Safe))
	must(t, l, h, <-decoded)
}

// Destroying a snapshot stops what is under way.
func TestDestroyStops(t *testing.T) {
	var l *foreign.Library
	var h foreign.Handle
	destroyed := make(chan foreign.Code, 1)
	f := &fake{script: steady, onSample: func(ctx context.Context, n int) error {
		if n == 1 {
			go func() { destroyed <- l.Destroy(h, foreign.Safe) }()
			<-ctx.Done()
		}
		return ctx.Err()
	}}
	l, src := opened(t, f)
	h = snapshot(t, l, src, foreign.Global)
	must(t, l, h, l.Prepare(h, foreign.Safe))
	if code := l.Sample(h, foreign.Safe); code != foreign.UnknownHandle {
		t.Errorf("the sample: code %d, %s", code, errorText(l, h))
	}
	want := fmt.Sprintf("handle %d was closed during the call: no such handle, or it was closed", h)
	if got := errorText(l, 0); got != want {
		t.Errorf("the text %q, want %q", got, want)
	}
	must(t, l, 0, <-destroyed)
	if code := l.Decode(h, foreign.Safe); code != foreign.UnknownHandle {
		t.Errorf("after that: code %d", code)
	}
}

// Whoever ends a snapshot in the plain form, or takes the source's handle out of use, does not wait for one who
// reads the names of the source.
func TestDestroyDoesNotWaitForNames(t *testing.T) {
	reading, read := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(read) })
	defer goOn()
	f := &fake{script: steady}
	l, src := opened(t, f)
	h := snapshot(t, l, src, foreign.Global)
	f.onSchema = func() {
		close(reading)
		<-read
	}
	must(t, l, src, l.Refresh(src))
	named := make(chan foreign.Code, 1)
	go func() {
		_, code := l.NamesCount(src)
		named <- code
	}()
	<-reading

	ended := make(chan foreign.Code, 2)
	go func() {
		ended <- l.Destroy(h, foreign.Plain)
		ended <- l.CloseSource(src)
	}()
	for range 2 {
		select {
		case code := <-ended:
			must(t, l, 0, code)
		case <-time.After(2 * time.Minute):
			t.Fatal("it waits")
		}
	}
	goOn()
	if code := <-named; code != foreign.OK {
		t.Errorf("the names of a source that is closed meanwhile: code %d", code)
	}
}
