package measure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/measure"
)

// stateTable is the state machine: what an operation makes of each state, "-"
// where it is refused.
const stateTable = `
              prepare   sample   decode       close
initialized   prepared  -        -            closed
preparing     -         -        -            -
prepared      prepared  sampled  -            closed
sampling      -         -        -            -
sampled       prepared  -        initialized  closed
decoding      -         -        -            -
closed        -         -        -            closed
`

// hooked is a source that calls a function in the middle of each stage.
type hooked struct {
	*scripted
	during map[string]func()
}

func newHooked() *hooked { return &hooked{scripted: counting(), during: map[string]func(){}} }

func (h *hooked) call(state string) {
	if f := h.during[state]; f != nil {
		delete(h.during, state)
		f()
	}
}

// options let a name rule, which Decode asks, call the function for decoding.
func (h *hooked) options() measure.Options {
	return measure.Options{Names: []measure.NameRule{{Name: func(frame.Object, int) (string, bool) {
		h.call("decoding")
		return "", false
	}}}}
}

// bring brings a Measurement into a state and does something there.
func (h *hooked) bring(t *testing.T, c *measure.Measurement, state string, do func()) {
	t.Helper()
	must := func(steps ...step) {
		for _, s := range steps {
			if err := s(t, c); err != nil {
				t.Fatalf("on the way to %s: %v", state, err)
			}
		}
	}
	done := false
	during := func() { do(); done = true }
	switch state {
	case "initialized":
		must(prepare, take, decode)
	case "prepared":
		must(prepare)
	case "sampled":
		must(prepare, take)
	case "closed":
		must(closing)
	case "preparing":
		h.compile = func() error { h.call(state); return nil }
		h.during[state] = during
		must(prepare)
	case "sampling":
		h.onSample = func() { h.call(state) }
		h.during[state] = during
		must(prepare, take)
	case "decoding":
		h.during[state] = during
		must(prepare, take, decode)
	}
	if !done {
		if h.during[state] != nil {
			t.Fatalf("the Measurement was never %s", state)
		}
		do()
	}
}

var stateOperations = map[string]step{
	"prepare": prepare, "sample": take, "decode": decode, "close": closing,
}

// Every cell: the operation does what the table says, or is refused with an
// error that names state and operation, and changes nothing.
func TestStates(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(stateTable), "\n")
	heads := strings.Fields(rows[0])
	if len(heads) != len(stateOperations) {
		t.Fatalf("the table has %d operations", len(heads))
	}
	for _, row := range rows[1:] {
		cells := strings.Fields(row)
		state := cells[0]
		for i, want := range cells[1:] {
			op := heads[i]
			t.Run(state+"/"+op, func(t *testing.T) { testCell(t, state, op, want) })
		}
	}
}

func testCell(t *testing.T, state, op, want string) {
	h := newHooked()
	h.script = func(n int) sample { return processes(int64(n), proc("a", 4, 9, uint64(n))) }
	c := measure.New(h, selection(t, `\Process(*)\% Processor Time`), h.options())
	h.bring(t, c, state, func() {
		if c.State() != state {
			t.Fatalf("the state is %s", c.State())
		}
		err := stateOperations[op](t, c)
		switch {
		case want == "-":
			if !errors.Is(err, winperf.ErrState) || !strings.Contains(err.Error(), op) || !strings.Contains(err.Error(), state) {
				t.Errorf("error %v, want one that wraps ErrState and names %s and %s", err, op, state)
			}
			if c.State() != state {
				t.Errorf("refused, but the state is %s now", c.State())
			}
		case err != nil:
			t.Error(err)
		case c.State() != want:
			t.Errorf("the state is %s now, want %s", c.State(), want)
		}
	})
	if want == "-" && state != "initializing" && state != "closed" {
		cycle(t, c) // a refusal costs nothing
	}
}

// A stage that fails leaves the Measurement where Prepare is possible.
func TestFailedStage(t *testing.T) {
	bad := count(1)
	bad.change = func(b []byte) []byte { return b[:40] }
	tests := []struct {
		name string
		src  *scripted
		fail []step // the last one fails
	}{
		{"prepare", &scripted{schema: englishSchema, script: count, compile: failOnce()}, []step{prepare}},
		{"sample", script(sample{err: errTest}, count(1), count(2)), []step{prepare, take}},
		{"decode", script(bad, count(1), count(2)), []step{prepare, take, decode}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := measure.New(tt.src, selection(t, switches), measure.Options{})
			for i, do := range tt.fail {
				if err := do(t, c); (err != nil) != (i == len(tt.fail)-1) {
					t.Fatalf("step %d: %v", i, err)
				}
			}
			if c.State() != "initialized" {
				t.Errorf("the state is %s", c.State())
			}
			cycle(t, c)
		})
	}
}

// A stage that panics leaves a Measurement that can be closed.
func TestPanicInStage(t *testing.T) {
	for _, state := range []string{"preparing", "sampling", "decoding"} {
		t.Run(state, func(t *testing.T) {
			h := newHooked()
			h.script = func(n int) sample { return processes(int64(n), proc("a", 4, 9, uint64(n))) }
			c := measure.New(h, selection(t, `\Process(*)\% Processor Time`), h.options())
			func() {
				defer func() {
					if got, _ := recover().(error); !errors.Is(got, errTest) {
						t.Errorf("recovered %v", got)
					}
				}()
				h.bring(t, c, state, func() { panic(errTest) })
			}()

			if c.State() != "initialized" {
				t.Errorf("the state is %s", c.State())
			}
			if err := c.Close(); err != nil || h.open != 0 {
				t.Errorf("close: %v, %d queries open", err, h.open)
			}
		})
	}
}

func failOnce() func() error {
	failed := false
	return func() error {
		if failed {
			return nil
		}
		failed = true
		return errTest
	}
}

// A Measurement whose first cycle failed can be closed, and leaves no query open.
func TestFirstCycleFails(t *testing.T) {
	bad := count(0)
	bad.change = func(b []byte) []byte { return b[:40] }
	for name, src := range map[string]*scripted{
		"compile": {schema: englishSchema, script: count, compile: failOnce()},
		"sample":  script(sample{err: errTest}),
		"decode":  script(bad),
	} {
		c := measure.New(src, selection(t, switches), measure.Options{})
		if _, err := c.Cycle(t.Context()); err == nil {
			t.Errorf("%s: the first cycle did not fail", name)
		}
		if err := c.Close(); err != nil || src.open != 0 {
			t.Errorf("%s: close: %v, %d queries open", name, err, src.open)
		}
	}
}
