package measure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/measure"
)

// machine is a scripted source with a name of its own.
type machine struct {
	*scripted
	name string
}

func (m machine) Describe() winperf.Description { return winperf.Description{Machine: m.name} }

func on(name string, src *scripted) machine { return machine{src, name} }

// named are samples of a machine without end: a system and one process.
func named(name string) *scripted {
	return &scripted{schema: englishSchema, script: func(n int) sample {
		s := count(n)
		s.machine = name
		return s
	}}
}

func join(t *testing.T, opt measure.Options, sel winperf.Selection, origins ...sensor.Origin) *sensor.Joint {
	t.Helper()
	j, err := sensor.Join(t.Context(), origins, sel, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

func round(t *testing.T, j *sensor.Joint) []sensor.MemberCycle {
	t.Helper()
	c, err := j.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// members is each member's readings, or its error.
func members(cycles []sensor.MemberCycle) (text []string) {
	for _, m := range cycles {
		s := m.Origin
		if m.Cycle != nil {
			s += ": " + strings.Join(lines(m.Cycle.Readings()), ", ")
		}
		if m.Err != nil {
			s += " !" + m.Err.Error()
		}
		text = append(text, s)
	}
	return text
}

func TestJointAssignsPaths(t *testing.T) {
	other := named("B")
	other.schema = schema(map[uint32]string{2: "System", 248: "Processes", 900: "Only Here", 902: "Things"})
	origins := []sensor.Origin{{Name: "one", Source: on("A", named("A"))}, {Name: "two", Source: on("B", other)}}
	tests := []struct {
		name     string
		sel      winperf.Selection
		one, two string // what each source is asked for
		err      error
	}{
		{"of any machine", selection(t, `\System\Processes`), `\System\Processes`, `\System\Processes`, nil},
		{"of one machine", selection(t, `\\b\System\Processes`), ``, `\\b\System\Processes`, nil},
		{"an object that one source has", selection(t, `\Only Here\Things`, `\Processor(*)\*`), `\Processor(*)\*`, `\Only Here\Things`, nil},
		{"an object that none has", selection(t, `\Nowhere\Things`), `\Nowhere\Things`, `\Nowhere\Things`, nil},
		{"wildcards", selection(t, `\Only*\*`), `\Only*\*`, `\Only*\*`, nil},
		{"of no machine", selection(t, `\\C\System\Processes`), "", "", winperf.ErrNoMachine},
		{"everything", winperf.Selection{Global: true}, "global", "global", nil},
	}
	asked := func(s *scripted) string {
		var text []string
		for _, p := range s.asked.Paths {
			text = append(text, p.String())
		}
		if s.asked.Global {
			text = append(text, "global")
		}
		return strings.Join(text, " ")
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one, two := origins[0].Source.(machine).scripted, origins[1].Source.(machine).scripted
			one.asked, two.asked = winperf.Selection{}, winperf.Selection{}
			j, err := sensor.Join(t.Context(), origins, tt.sel, measure.Options{})
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			defer j.Close()
			if err := j.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
			if asked(one) != tt.one || asked(two) != tt.two {
				t.Errorf("asked for %q and %q, want %q and %q", asked(one), asked(two), tt.one, tt.two)
			}
		})
	}
}

func TestJointRefusesOrigins(t *testing.T) {
	src := on("A", named("A"))
	for name, origins := range map[string][]sensor.Origin{
		"none": nil, "two of one name": {{Name: "x", Source: src}, {Name: "X", Source: src}},
	} {
		if _, err := sensor.Join(t.Context(), origins, winperf.Selection{Global: true}, measure.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestJoinSensors(t *testing.T) {
	origins := []sensor.Origin{{Name: "one", Source: on("A", named("A"))}, {Name: "two", Source: on("B", named("B"))}}
	name := sensor.Name{Source: "TWO", Group: "System", Sensor: "Processes"}
	assigned, err := sensor.Assign(origins, []sensor.Name{name})
	if err != nil {
		t.Fatal(err)
	}
	j, err := sensor.Join(t.Context(), assigned, winperf.Selection{}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if diff := cmp.Diff([]string{`two: \\B\System\Processes 0`}, members(round(t, j))); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	name.Source = "three"
	if _, err := sensor.Assign(origins, []sensor.Name{name}); !errors.Is(err, winperf.ErrNoMachine) {
		t.Errorf("error %v", err)
	}
}

// Paths and sensors are measured together, a sensor in its source only.
func TestJoinPathsOfOrigin(t *testing.T) {
	origins := []sensor.Origin{{Name: "one", Source: on("A", named("A"))}, {Name: "two", Source: on("B", named("B"))}}
	path, err := winperf.ParsePath(`\\A\System\Processes`)
	if err != nil {
		t.Fatal(err)
	}
	name := sensor.Name{Source: "two", Group: "System", Sensor: "Processes"}
	origins[1].Paths = []winperf.Path{name.Path()}
	j, err := sensor.Join(t.Context(), origins, winperf.Selection{Paths: []winperf.Path{path}}, measure.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	want := []string{`one: \\A\System\Processes 0`, `two: \\B\System\Processes 0`}
	if diff := cmp.Diff(want, members(round(t, j))); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// Sources are sampled at the same moment, and the spread is told.
func TestJointSpread(t *testing.T) {
	slow := func(name string, d time.Duration) *scripted {
		s := named(name)
		inner := s.script
		s.script = func(n int) sample {
			x := inner(n)
			x.delay = d
			return x
		}
		return s
	}
	synctest.Test(t, func(t *testing.T) {
		j, err := sensor.Join(t.Context(), []sensor.Origin{
			{Name: "a", Source: on("A", slow("A", 30*ms))}, {Name: "b", Source: on("B", slow("B", 50*ms))}, {Name: "c", Source: on("C", slow("C", 20*ms))},
		}, selection(t, switches), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := j.Cycle(t.Context()); err != nil {
			t.Fatal(err)
		}
		c, err := j.Cycle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if j.Spread() != 50*ms || time.Since(begin) != 100*ms {
			t.Errorf("spread %v, two rounds in %v", j.Spread(), time.Since(begin))
		}
		want := []string{`a: \\A` + switches + ` 100`, `b: \\B` + switches + ` 100`, `c: \\C` + switches + ` 100`}
		if diff := cmp.Diff(want, members(c)); diff != "" {
			t.Errorf("members (-want +got):\n%s", diff)
		}
		var all []winperf.Reading
		for _, m := range c {
			all = append(all, m.Cycle.Readings()...)
		}
		if len(all) != 3 {
			t.Errorf("readings %q", lines(all))
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A source that fails costs only itself, and comes back.
func TestJointSourceFails(t *testing.T) {
	bad := named("A")
	good := bad.script
	bad.script = func(n int) sample {
		s := good(n)
		switch n {
		case 1:
			s.err = errTest
		case 2:
			s.change = func(b []byte) []byte { return b[:40] }
		}
		return s
	}
	fails := 1
	bad.compile = func() error {
		if fails--; fails >= 0 {
			return errTest
		}
		return nil
	}
	j := join(t, measure.Options{}, selection(t, `\System\Processes`),
		sensor.Origin{Name: "bad", Source: on("A", bad)}, sensor.Origin{Name: "good", Source: on("B", named("B"))})
	want := [][]string{
		{"bad !scripted", `good: \\B\System\Processes 0`}, // it does not compile
		{`bad: \\A\System\Processes 0`, `good: \\B\System\Processes 1`},
		{"bad !scripted", `good: \\B\System\Processes 2`}, // it gives no sample
		{"bad !", `good: \\B\System\Processes 3`},         // nothing can be read
		{`bad: \\A\System\Processes 3`, `good: \\B\System\Processes 4`},
	}
	for n, want := range want {
		c := round(t, j)
		got := members(c)
		if want[0] == "bad !" && strings.HasPrefix(got[0], "bad !sample 2: ") {
			got[0] = "bad !"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", n, diff)
		}
		failed := c[0].Err != nil
		if failed != (len(c[0].Anomalies) == 1 && c[0].Anomalies[0].Kind == winperf.SourceFailed) {
			t.Errorf("round %d: anomalies %v", n, c[0].Anomalies)
		}
	}
}

// A source that does not even return when it is told to is left behind and holds up
// nobody; it serves again when it has returned, and Close does not wait for ever.
func TestJointSourceHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck, hang := named("A"), make(chan struct{})
		stuck.onSample = func() { <-hang }
		j, err := sensor.Join(t.Context(), []sensor.Origin{
			{Name: "stuck", Source: on("A", stuck)}, {Name: "good", Source: on("B", named("B"))},
		}, selection(t, `\System\Processes`), measure.Options{})
		if err != nil {
			t.Fatal(err)
		}

		const busy = "stuck !no answer in time: provider has not returned"
		for n, want := range []string{busy, "stuck !provider has not returned"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			c, err := j.Cycle(ctx)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{want, fmt.Sprintf(`good: \\B\System\Processes %d`, n)}, members(c)); diff != "" {
				t.Errorf("round %d (-want +got):\n%s", n, diff)
			}
		}
		close(hang)
		synctest.Wait()
		if c := round(t, j); c[0].Err != nil {
			t.Errorf("when it has returned: %v", c[0].Err)
		}

		hang = make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := j.Cycle(ctx); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		err = j.Close()
		if took := time.Since(begin); !errors.Is(err, call.ErrBusy) || took > 5*time.Second {
			t.Errorf("close: %v after %v", err, took)
		}
		close(hang)
		synctest.Wait()
		if stuck.open != 0 {
			t.Errorf("%d queries are open", stuck.open)
		}
	})
}

// When no source is left the stage fails, and can be tried again.
func TestJointFails(t *testing.T) {
	src := script(count(0), sample{err: errTest}, count(2))
	j := join(t, measure.Options{}, selection(t, switches), sensor.Origin{Name: "a", Source: on("HOST", src)})
	round(t, j)
	if _, err := j.Cycle(t.Context()); !errors.Is(err, errTest) || !strings.Contains(err.Error(), "source a") {
		t.Errorf("error %v", err)
	}
	if err := j.Sample(t.Context()); !errors.Is(err, winperf.ErrState) || !strings.Contains(err.Error(), "initialized") {
		t.Errorf("sample after a failed round: %v", err)
	}
	round(t, j)
	if _, err := j.Cycle(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// Sources are prepared at the same time: it takes as long as the slowest one.
func TestJointPrepare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(name string) sensor.Origin {
			s := named(name)
			s.compile = func() error { time.Sleep(50 * ms); return nil }
			return sensor.Origin{Name: name, Source: on(name, s)}
		}
		j := join(t, measure.Options{}, selection(t, switches), slow("a"), slow("b"), slow("c"))
		begin := time.Now()
		if err := j.Prepare(t.Context()); err != nil || time.Since(begin) != 50*ms {
			t.Errorf("prepared in %v, error %v", time.Since(begin), err)
		}
	})
}

// What a round gave stays as it is while the next one is prepared and sampled.
func TestJointCycleIsValid(t *testing.T) {
	j := join(t, measure.Options{}, selection(t, switches), sensor.Origin{Name: "a", Source: on("A", named("a"))}, sensor.Origin{Name: "b", Source: on("B", named("b"))})
	defer j.Close()
	if _, err := j.Cycle(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := j.Cycle(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := members(c)
	if err := errors.Join(j.Prepare(t.Context()), j.Sample(t.Context())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, members(c)); diff != "" || len(want) != 2 {
		t.Errorf("(-decoded +sampled again):\n%s", diff)
	}
}

// The states are those of a Measurement.
func TestJointOrder(t *testing.T) {
	j := join(t, measure.Options{}, selection(t, switches), sensor.Origin{Name: "a", Source: counting()})
	_, err := j.Decode()
	for name, err := range map[string]error{"decode": err, "sample": j.Sample(t.Context())} {
		if !errors.Is(err, winperf.ErrState) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "initialized") {
			t.Errorf("%s of a new one: %v", name, err)
		}
	}
	for range 2 {
		if err := j.Prepare(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := j.Sample(t.Context()); err != nil {
		t.Error(err)
	}
	if err := j.Sample(t.Context()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("sampled twice: %v", err)
	}
	if _, err := j.Decode(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := j.Prepare(t.Context()); !errors.Is(err, winperf.ErrState) {
		t.Errorf("prepare after close: %v", err)
	}
}

func TestJointSampleAllocatesNothing(t *testing.T) {
	sources := []sensor.Origin{{Name: "a", Source: newSmallRing()}, {Name: "b", Source: newSmallRing()}}
	j := join(t, measure.Options{}, winperf.Selection{Global: true}, sources...)
	for range 5 {
		round(t, j)
	}
	least := sampleAllocs(t, j)
	for range 9 {
		least = min(least, sampleAllocs(t, j))
	}
	if least > 0 {
		t.Errorf("at least %d allocations in 20 samples", least)
	}
}

// sampleAllocs returns how often the program allocated while 20 samples were taken.
// The runtime does so now and then: 7 times for a new thread, up to 3 times behind a
// garbage collection, which drops what goroutines wait with.
func sampleAllocs(t *testing.T, j *sensor.Joint) (allocs uint64) {
	t.Helper()
	var m runtime.MemStats
	for range 20 {
		if err := j.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&m)
		was := m.Mallocs
		if err := j.Sample(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&m)
		allocs += m.Mallocs - was
		if _, err := j.Decode(); err != nil {
			t.Fatal(err)
		}
	}
	return allocs
}
