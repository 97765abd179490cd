package measure_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// count is a script without end: its only counter has counted 100 a second.
func count(n int) sample {
	return sample{at: int64(n), objects: []object{{Object: system, instances: []instance{{raw: []uint64{uint64(n), uint64(n) * 100}}}}}}
}

func counting() *scripted { return &scripted{schema: englishSchema, script: count} }

const switches = `\System\Context Switches/sec`

var errTest = errors.New("scripted")

func prepare(t *testing.T, c *measure.Measurement) error { return c.Prepare(t.Context()) }
func take(t *testing.T, c *measure.Measurement) error    { return c.Sample(t.Context()) }
func closing(_ *testing.T, c *measure.Measurement) error { return c.Close() }
func decode(_ *testing.T, c *measure.Measurement) error {
	_, err := c.Decode()
	return err
}

type step func(*testing.T, *measure.Measurement) error

func TestOrder(t *testing.T) {
	operations := map[string]step{"prepare": prepare, "sample": take, "decode": decode}
	tests := []struct {
		name    string
		before  []step // the last one may fail
		state   string
		allowed string
	}{
		{"new", nil, "initialized", "prepare"},
		{"prepared", []step{prepare}, "prepared", "prepare sample"},
		{"prepared twice", []step{prepare, prepare}, "prepared", "prepare sample"},
		{"sampled", []step{prepare, take}, "sampled", "prepare decode"},
		{"prepared instead of decoded", []step{prepare, take, prepare}, "prepared", "prepare sample"},
		{"decoded", []step{prepare, take, decode}, "initialized", "prepare"},
		{"closed", []step{closing}, "closed", ""},
		{"closed while sampled", []step{prepare, take, closing}, "closed", ""},
		{"sampled out of order", []step{take}, "initialized", "prepare"},
		{"sampled twice", []step{prepare, take, take}, "sampled", "prepare decode"},
		{"decoded twice", []step{prepare, take, decode, decode}, "initialized", "prepare"},
	}
	for _, tt := range tests {
		for name, operation := range operations {
			t.Run(tt.name+", then "+name, func(t *testing.T) {
				src := counting()
				c := measure.New(src, selection(t, switches), measure.Options{})
				for _, do := range tt.before {
					_ = do(t, c)
				}
				err := operation(t, c)
				if strings.Contains(tt.allowed, name) {
					if err != nil {
						t.Fatal(err)
					}
				} else if !errors.Is(err, winperf.ErrState) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), tt.state) {
					t.Fatalf("error %v, want one that wraps ErrState and names %q and %q", err, name, tt.state)
				}
				if tt.state == "closed" {
					return
				}
				cycle(t, c)
				cycle(t, c)
				if src.compiled != 1 {
					t.Errorf("compiled %d times", src.compiled)
				}
			})
		}
	}
}

// A refused operation leaves what was begun as it is.
func TestRefusedChangesNothing(t *testing.T) {
	src := counting()
	c := measure.New(src, selection(t, switches), measure.Options{})
	cycle(t, c)
	for _, do := range []step{take, decode, prepare, decode, take, take} {
		_ = do(t, c)
	}
	cy, err := c.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines(cy.Readings()), []string{`\\HOST` + switches + ` 100`}; !cmp.Equal(got, want) || src.taken != 2 {
		t.Errorf("readings %q after %d samples, want %q after 2", got, src.taken, want)
	}
}

// A sample that is not decoded is as if it had never been taken.
func TestDroppedSample(t *testing.T) {
	src := counting()
	c := measure.New(src, selection(t, switches), measure.Options{})
	cycle(t, c)
	for _, do := range []step{prepare, take} {
		if err := do(t, c); err != nil {
			t.Fatal(err)
		}
	}
	cy := cycle(t, c)
	if got, want := lines(cy.Readings()), []string{`\\HOST` + switches + ` 100`}; !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
	if want := winperf.FromFiletime(epoch + 2*second); cy.Time != want {
		t.Errorf("time %v, want %v", cy.Time, want)
	}
}

func TestCompileFails(t *testing.T) {
	src := counting()
	fail := errTest
	src.compile = func() error { return fail }
	c := measure.New(src, selection(t, switches), measure.Options{})
	if err := prepare(t, c); !errors.Is(err, errTest) {
		t.Fatalf("error %v", err)
	}
	if err := take(t, c); !errors.Is(err, winperf.ErrState) {
		t.Errorf("sample without a query: %v", err)
	}
	fail = nil
	cycle(t, c)
	if err := c.Close(); err != nil || src.open != 0 {
		t.Errorf("close: %v, %d queries open", err, src.open)
	}
}

func TestSampleFails(t *testing.T) {
	src := script(count(0), sample{err: errTest}, count(2))
	c := measure.New(src, selection(t, switches), measure.Options{})
	first := cycle(t, c)
	if _, err := c.Cycle(t.Context()); !errors.Is(err, errTest) {
		t.Fatalf("error %v", err)
	}
	if got, want := lines(first.Readings()), []string{`\\HOST` + switches + ` no_previous`}; !cmp.Equal(got, want) {
		t.Errorf("the cycle before the failure has become %q", got)
	}
	if got, want := lines(cycle(t, c).Readings()), []string{`\\HOST` + switches + ` 100`}; !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
	for range 2 {
		if _, err := c.Cycle(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
	}
}

// A sample of which nothing can be read costs only itself.
func TestDamagedWhole(t *testing.T) {
	bad := count(1)
	bad.change = func(b []byte) []byte { return b[:40] }
	c := measure.New(script(count(0), bad, count(2)), selection(t, switches), measure.Options{})
	cycle(t, c)
	_, err := c.Cycle(t.Context())
	if !errors.Is(err, winperf.ErrBadData) || !strings.HasPrefix(err.Error(), "sample 2: ") {
		t.Fatalf("error %v, want one of sample 2 that wraps ErrBadData", err)
	}
	cy := cycle(t, c)
	if got, want := lines(cy.Readings()), []string{`\\HOST` + switches + ` 100`}; !cmp.Equal(got, want) || len(cy.Damage) != 0 {
		t.Errorf("readings %q and damage %v, want %q", got, cy.Damage, want)
	}
}

// Of a sample that is cut short the objects before the cut are there.
func TestDamagedPartly(t *testing.T) {
	samples := append(two(), two()[1])
	samples[1].change, samples[2].at = cut(1), 20
	c := measure.New(script(samples...), selection(t, switches, `\Processor(0)\Interrupts/sec`), measure.Options{})
	cycle(t, c)
	cy := cycle(t, c)
	want := []string{`\\HOST\System\Context Switches/sec 500`, `\\HOST\Processor(0)\Interrupts/sec no_object`}
	if diff := cmp.Diff(want, lines(cy.Readings())); diff != "" {
		t.Errorf("readings of the damaged sample (-want +got):\n%s", diff)
	}
	if len(cy.Damage) == 0 || !errors.Is(errors.Join(cy.Damage...), winperf.ErrBadData) {
		t.Errorf("damage %v, want some that wraps ErrBadData", cy.Damage)
	}
	cy = cycle(t, c)
	want = []string{`\\HOST\System\Context Switches/sec 0`, `\\HOST\Processor(0)\Interrupts/sec no_previous`}
	if diff := cmp.Diff(want, lines(cy.Readings())); diff != "" {
		t.Errorf("readings of the next sample (-want +got):\n%s", diff)
	}
	if len(cy.Damage) != 0 {
		t.Errorf("damage %v of a sample without any", cy.Damage)
	}
}

// A counter that cannot be read costs only itself.
func TestDamagedCounter(t *testing.T) {
	s := two()[0]
	s.change = patch(t, 248, atCounterSize, 3)
	c := measure.New(script(s), selection(t, `\System\*`), measure.Options{})
	cy := cycle(t, c)
	want := []string{`\\HOST\System\Processes unsupported`, `\\HOST\System\Context Switches/sec no_previous`}
	if diff := cmp.Diff(want, lines(cy.Readings())); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
	if len(cy.Damage) == 0 {
		t.Error("no damage is told")
	}
}

// What is wrong with the name tables is told once per schema.
func TestSchemaDamage(t *testing.T) {
	damaged := schema(english())
	damaged.Damage = []error{errTest}
	damaged.Names[0].Counter = append(damaged.Names[0].Counter, 'x') // half a character behind the end
	second := count(2)
	second.schema = &winperf.Schema{Names: damaged.Names}
	src := script(count(0), count(1), second)
	src.schema = damaged
	c := measure.New(src, selection(t, switches), measure.Options{})
	for i, want := range []int{2, 0, 1} {
		cy := cycle(t, c)
		if len(cy.Damage) != want {
			t.Errorf("sample %d: damage %v, want %d", i, cy.Damage, want)
		}
		if i == 0 && (!errors.Is(cy.Damage[0], errTest) || !errors.Is(cy.Damage[1], winperf.ErrBadData)) {
			t.Errorf("damage %v", cy.Damage)
		}
	}
}

// A cycle's frame and sample are valid until two more were decoded, and for good once they were
// kept.
func TestFramesAreValid(t *testing.T) {
	src := counting()
	c := measure.New(src, selection(t, switches), measure.Options{})
	first := cycle(t, c)
	frame, sample := first.Frame, first.Sample
	kept := cycle(t, c).Frame
	if err := kept.Keep(); err != nil {
		t.Fatal(err)
	}
	if v, ok := frame.Object(0).Raw(0, 0); !ok || v != 0 || len(sample.Parts) != 1 {
		t.Errorf("the frame before has the value %d, %v, and %d parts", v, ok, len(sample.Parts))
	}
	for range 5 {
		cycle(t, c)
	}
	if err := frame.Keep(); !errors.Is(err, winperf.ErrState) {
		t.Errorf("the first frame is still valid: %v", err)
	}
	if v, ok := kept.Object(0).Raw(0, 0); !ok || v != 1 {
		t.Errorf("the frame that was kept has the value %d", v)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if src.open != 0 {
		t.Errorf("%d queries are open", src.open)
	}
}

func TestContextEnds(t *testing.T) {
	c := measure.New(counting(), selection(t, switches), measure.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Cycle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	cycle(t, c)
}
