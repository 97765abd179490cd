package measure_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/measure"
)

// apartSource delays samples of costly objects by a second.
func apartSource() *split {
	threads := func(n int) sample {
		return sample{at: int64(n), delay: time.Second, objects: []object{
			{Object: process, instances: []instance{proc("a", 4, 9, 0)}},
			{Object: thread, instances: []instance{{name: "0", parent: 1, raw: []uint64{100 * uint64(n)}}}},
		}}
	}
	return &split{scripted: counting(), costly: &scripted{schema: englishSchema, script: threads}}
}

// split serves costly objects by another script.
type split struct {
	*scripted
	costly *scripted
}

func (s *split) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	costly := sel.Costly
	for _, p := range sel.Paths {
		costly = costly || p.Object == "Thread"
	}
	if costly {
		return s.costly.Compile(ctx, sel)
	}
	return s.scripted.Compile(ctx, sel)
}

func (s *split) isOpen() int { return s.open + s.costly.open }

const threadSwitches = `\Thread(*)\Context Switches/sec`

// rounds takes cycles with a pause after each.
func rounds(t *testing.T, src *split, sel winperf.Selection, opt measure.Options, n int, pause time.Duration, each func(since time.Duration, c *measure.Cycle)) {
	t.Helper()
	if opt.Interval == 0 {
		opt.Interval = 2 * time.Second // which is waited for the first sample
	}
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(src, sel, opt)
		begin := time.Now()
		for range n {
			c := cycle(t, m)
			each(time.Since(begin), c)
			time.Sleep(pause)
			synctest.Wait()
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if src.isOpen() != 0 {
			t.Errorf("%d queries are open", src.isOpen())
		}
	})
}

// Costly objects delay nothing but the first sample, and say how old they are.
func TestCostlyApart(t *testing.T) {
	var got []string
	var last *winperf.Block
	rounds(t, apartSource(), selection(t, switches, threadSwitches), measure.Options{}, 8, 400*ms, func(since time.Duration, c *measure.Cycle) {
		r := c.Readings()[c.Parts[0]:]
		fresh := ""
		if b := c.Sample.Parts[1].Block; b != last {
			fresh, last = " fresh", b
		}
		got = append(got, fmt.Sprintf("%v %s at %v%s", since, lines(r)[0], r[0].Time.Sub(winperf.FromFiletime(epoch)), fresh))
		if len(r) != 1 || c.Cost.Sample != 0 || c.Frame.NumObjects() != 2 || len(anomalies(c)) > 0 {
			t.Errorf("%d readings, sampled for %v, %v", len(r), c.Cost.Sample, anomalies(c))
		}
	})
	const reading = ` \\HOST\Thread(a/0)\Context Switches/sec `
	want := []string{
		"1s" + reading + "no_previous at 0s fresh", "1.4s" + reading + "no_previous at 0s", "1.8s" + reading + "no_previous at 0s",
		"2.2s" + reading + "100 at 1s fresh", "2.6s" + reading + "100 at 1s", "3s" + reading + "100 at 1s",
		"3.4s" + reading + "100 at 2s fresh", "3.8s" + reading + "100 at 2s",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
}

// Damage that was found on the way to costly objects reaches a cycle, once, also when
// their sample fails.
func TestCostlyApartDamage(t *testing.T) {
	src := apartSource()
	script, lost := src.costly.script, errors.New("a record is lost")
	src.costly.script = func(n int) sample {
		s := script(n)
		if n == 1 {
			s.err, s.damage = errors.New("broken"), []error{lost}
		}
		return s
	}
	var told []error
	rounds(t, src, selection(t, switches, threadSwitches), measure.Options{}, 8, 400*ms, func(_ time.Duration, c *measure.Cycle) {
		told = append(told, c.Damage...)
	})
	if len(told) != 1 || !errors.Is(told[0], lost) {
		t.Errorf("damage %v", told)
	}
}

// The first sample is waited for an interval and no longer.
func TestCostlyApartSlow(t *testing.T) {
	var got []string
	rounds(t, apartSource(), selection(t, threadSwitches, `\System\Processes`), measure.Options{Interval: 300 * ms}, 4, 400*ms, func(since time.Duration, c *measure.Cycle) {
		got = append(got, fmt.Sprintf("%v %v", since, lines(c.Readings()[:c.Parts[0]])))
		if c.Parts[1]-c.Parts[0] != 1 || (c.Parts[0] == 0) == c.Frame.Complete() || len(anomalies(c)) > 0 {
			t.Errorf("parts %v of %d objects, %v", c.Parts, c.Frame.NumObjects(), anomalies(c))
		}
	})
	const reading = `[\\HOST\Thread(a/0)\Context Switches/sec no_previous]`
	if diff := cmp.Diff([]string{"300ms []", "700ms []", "1.1s " + reading, "1.5s " + reading}, got); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
}

// Readings and columns are in the order of the selection, whatever is
// sampled apart.
func TestCostlyApartOrder(t *testing.T) {
	sel := selection(t, `\Thread(a*)\*`, `\System\Processes`, `\Thread(*)\Nothing`, switches)
	sel.Global, sel.Costly = true, true // which have nothing that is not taken
	want := []string{
		`0: \\HOST\Thread(a/0)\Context Switches/sec no_previous`, `1: \\HOST\System\Processes 0`,
		`2: \\HOST\Thread(*)\Nothing no_counter`, `3: \\HOST\System\Context Switches/sec no_previous`,
	}
	var got []string
	rounds(t, apartSource(), sel, measure.Options{}, 3, time.Second, func(_ time.Duration, c *measure.Cycle) {
		compareForms(t, c)
		if got != nil {
			return
		}
		at := 0
		for part, end := range c.Parts {
			for _, line := range lines(c.Readings()[at:end]) {
				got = append(got, fmt.Sprintf("%d: %s", part, line))
			}
			at = end
		}
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

// What is sampled together: what the options say, frames, records, and costly
// objects alone.
func TestCostlyTogether(t *testing.T) {
	both := selection(t, switches, threadSwitches)
	tests := []struct {
		name  string
		sel   winperf.Selection
		opt   measure.Options
		apart bool
	}{
		{"both", both, measure.Options{}, true},
		{"as the options say", both, measure.Options{CostlyTogether: true}, false},
		{"frames", both, measure.Options{FramesOnly: true}, false},
		{"raw samples", both, measure.Options{RawOnly: true}, false},
		{"costly objects alone", selection(t, threadSwitches), measure.Options{}, false},
		{"two of them", selection(t, threadSwitches, `\Thread(a/0)\*`), measure.Options{}, false},
		{"with the measurement itself", selection(t, threadSwitches, `\winperf\*`), measure.Options{}, false},
		{"none", selection(t, switches, `\System\Processes`), measure.Options{}, false},
		{"costly and whole objects", winperf.Selection{Objects: []winperf.ObjectID{{Index: 2}, {Index: 232}}}, measure.Options{}, true},
		{"all classes", winperf.Selection{Global: true, Costly: true}, measure.Options{}, true},
		{"one class", winperf.Selection{Costly: true}, measure.Options{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rounds(t, apartSource(), tt.sel, tt.opt, 1, 0, func(_ time.Duration, c *measure.Cycle) {
				parts := c.Sample.Parts
				if len(parts) == 2 != tt.apart || parts[0].Independent || tt.apart && !parts[1].Independent {
					t.Errorf("parts %+v", parts)
				}
			})
		})
	}
	t.Run("a record", func(t *testing.T) {
		m := measure.New(recording{counting(), 3}, both, measure.Options{})
		defer m.Close()
		if c := cycle(t, m); len(c.Sample.Parts) != 1 {
			t.Errorf("%d parts", len(c.Sample.Parts))
		}
	})
}

// An interval keeps costly objects from being sampled more often.
func TestCostlyInterval(t *testing.T) {
	src := apartSource()
	rounds(t, src, selection(t, switches, threadSwitches), measure.Options{CostlyInterval: 5 * time.Second}, 11, time.Second, func(time.Duration, *measure.Cycle) {})
	if src.costly.taken != 3 {
		t.Errorf("%d samples of costly objects in 11 s, want 3", src.costly.taken)
	}
}

// A sample of costly objects that fails costs only itself, is told once, and the
// next one is tried.
func TestCostlyApartFails(t *testing.T) {
	src := apartSource()
	threads := src.costly.script
	src.costly.script = func(n int) sample {
		s := threads(n)
		if n == 0 || n == 2 {
			s.err = errTest
		}
		return s
	}
	var got []string
	rounds(t, src, selection(t, `\System\Processes`, threadSwitches, `\winperf\Readings`, `\winperf\Anomalies`), measure.Options{}, 6, 600*ms, func(_ time.Duration, c *measure.Cycle) {
		var told []string
		for _, a := range c.Anomalies {
			told = append(told, a.Kind.String())
		}
		n := len(c.Readings())
		got = append(got, fmt.Sprintf("%v of costly objects, told %v, counted %v", c.Parts[1]-c.Parts[0], told, lines(c.Readings()[n-2:])))

		// As long as there is nothing of them the part says why.
		lacking := c.Sample.Parts[1].Block == nil
		if is := errors.Is(c.Sample.Parts[1].Err, errTest); is != lacking || lacking != (len(c.Damage) == 1 && errors.Is(c.Damage[0], errTest)) {
			t.Errorf("sample %d: error %v, damage %v", len(got), c.Sample.Parts[1].Err, c.Damage)
		}
	})
	self := func(readings, anomalies int) string {
		return fmt.Sprintf(`[\\HOST\winperf\Readings %d \\HOST\winperf\Anomalies %d]`, readings, anomalies)
	}
	want := []string{
		"0 of costly objects, told [source_failed], counted " + self(3, 1),
		"0 of costly objects, told [], counted " + self(3, 0),
		"1 of costly objects, told [], counted " + self(4, 0),
		"1 of costly objects, told [], counted " + self(4, 0),
		"1 of costly objects, told [source_failed], counted " + self(4, 1),
		"1 of costly objects, told [], counted " + self(4, 0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rounds (-want +got):\n%s", diff)
	}
}

// What the source tells of is told once.
func TestCostlyApartTrouble(t *testing.T) {
	src := &troubled{Source: apartSource()}
	var told []string
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(src, selection(t, switches, threadSwitches), measure.Options{Interval: 2 * time.Second})
		for range 4 {
			c := cycle(t, m)
			for _, a := range c.Anomalies {
				told = append(told, a.Detail)
			}
			src.list = append(src.list, winperf.Anomaly{Kind: winperf.ProviderFailed, Detail: fmt.Sprint("trouble ", len(src.list))})
			time.Sleep(time.Second)
			synctest.Wait()
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	if diff := cmp.Diff([]string{"trouble 0", "trouble 1", "trouble 2"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Others see costly objects too, among what there is and among the values.
func TestCostlyApartStructure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(apartSource(), selection(t, switches, threadSwitches), measure.Options{Interval: 2 * time.Second})
		last := cycle(t, m)
		readings := last.Readings()
		there := sensor.Describe(last.Frame, last.Names, "")
		if _, err := there.Group("Thread"); err != nil {
			t.Error(err)
		}
		if len(readings) != 2 {
			t.Errorf("readings %v", lines(readings))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// The first sample of costly objects is waited for no longer than the caller
// wants, and Close ends one that is under way; nothing is left running.
func TestCostlyApartLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			src := apartSource()
			m := measure.New(src, selection(t, switches, threadSwitches), measure.Options{})
			if first {
				ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
				defer cancel()
				if err := m.Prepare(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("prepare: %v", err)
				}
			} else {
				cycle(t, m)
			}
			begin := time.Now()
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d != 0 || src.isOpen() != 0 {
				t.Errorf("Close waited %v, %d queries are open", d, src.isOpen())
			}
		})
	}
	noMoreGoroutines(t, before)
}

// Close does not wait for ever for a source of costly objects that does not return;
// what was measured there is closed when it does.
func TestCostlyApartHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, hang := apartSource(), make(chan struct{})
		src.costly.onSample = func() { <-hang }
		m := measure.New(src, selection(t, switches, threadSwitches), measure.Options{})
		cycle(t, m)
		begin := time.Now()
		err := m.Close()
		if took := time.Since(begin); !errors.Is(err, call.ErrBusy) || took > 5*time.Second || src.open != 0 {
			t.Errorf("close: %v after %v, %d queries are open", err, took, src.open)
		}
		close(hang)
		synctest.Wait()
		if src.isOpen() != 0 {
			t.Errorf("%d queries are open", src.isOpen())
		}
	})
}

// A prepare that was given up can be repeated: the first sample of costly objects
// is still waited for.
func TestCostlyApartPreparedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := apartSource()
		m := measure.New(src, selection(t, switches, threadSwitches), measure.Options{Interval: 2 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		begin := time.Now()
		if err := m.Prepare(ctx); err == nil {
			t.Error("prepare did not fail")
		}
		c := cycle(t, m)
		if d := time.Since(begin); d != time.Second || len(c.Readings()) != 2 { // had it been begun anew it would have taken longer
			t.Errorf("after %v: %v", d, lines(c.Readings()))
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A sample that cannot be decoded leaves the last cycle as it was to those who
// read it, though costly objects have a newer sample by then.
func TestCostlyApartDecodeFails(t *testing.T) {
	src := apartSource()
	inner := src.script
	src.script = func(n int) sample {
		s := inner(n)
		if n == 2 {
			s.change = func(b []byte) []byte { return b[:40] }
		}
		return s
	}
	threads := src.costly.script
	src.costly.script = func(n int) sample {
		s := threads(n)
		s.objects[1].instances[0].raw[0] *= uint64(n) // 0, 100, 400
		return s
	}
	synctest.Test(t, func(t *testing.T) {
		m := measure.New(src, selection(t, threadSwitches, switches), measure.Options{Interval: 2 * time.Second})
		var cy *measure.Cycle
		read := func() string {
			t.Helper()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			return fmt.Sprint(cy.Readings()[0].Value)
		}
		cy = cycle(t, m)
		read()
		cy = cycle(t, m)
		last := cy.Sample.Parts[1].Block
		if got := read(); got != "100" {
			t.Errorf("%s switches, want 100", got)
		}
		if _, err := m.Cycle(t.Context()); !errors.Is(err, winperf.ErrBadData) {
			t.Errorf("error %v", err)
		}
		if got := read(); got != "100" {
			t.Errorf("after a failure %s switches, want 100", got)
		}
		cy = cycle(t, m)
		if p := cy.Sample.Parts[1]; p.Block == last || p.Err != nil {
			t.Errorf("what was sampled apart is not fresh: %+v", p)
		}
		if got := read(); got != "300" {
			t.Errorf("%s switches, want 300", got)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
}
