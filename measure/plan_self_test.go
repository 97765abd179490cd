package measure_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/usage"
	"github.com/winperf/winperf/measure"
)

// The measurement measures itself: stages, bytes, what was read and missed.
func TestOwnReadings(t *testing.T) {
	src := &scripted{schema: englishSchema, script: func(n int) sample {
		s := count(n)
		s.delay = 20 * ms
		return s
	}}
	sel := selection(t, `\winperf\Sample Time`, `\System\*`, `\winperf\Missed Samples`, `\WINPERF\Sample*`, `\winperf\Readings`, `\winperf\Anomalies`)
	var got []string
	var parts []int
	var series []*winperf.Series
	synctest.Test(t, func(t *testing.T) {
		for cy, err := range measure.Watch(t.Context(), src, sel, measure.Options{Count: 2, KeepFirst: true}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, lines(cy.Readings())...)
			parts = slices.Clone(cy.Parts)
			series = append(series, cy.Readings()[0].Series)
			time.Sleep(2500 * ms)
		}
	})
	first := count(0)
	bytes := fmt.Sprintf(`\\HOST\winperf\Sample Bytes %d`, len(first.block()))
	want := []string{
		`\\HOST\winperf\Sample Time 0.02`, `\\HOST\System\Processes 0`, `\\HOST\System\Context Switches/sec no_previous`,
		`\\HOST\winperf\Missed Samples 0`, bytes, `\\HOST\winperf\Readings 7`, `\\HOST\winperf\Anomalies 0`,
		`\\HOST\winperf\Sample Time 0.02`, `\\HOST\System\Processes 1`, `\\HOST\System\Context Switches/sec 100`,
		`\\HOST\winperf\Missed Samples 1`, bytes, `\\HOST\winperf\Readings 7`, `\\HOST\winperf\Anomalies 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
	if want := []int{1, 3, 4, 5, 6, 7}; !cmp.Equal(parts, want) {
		t.Errorf("parts %v, want %v", parts, want)
	}
	if series[0] != series[1] || series[0].Unit != counter.Seconds {
		t.Errorf("series %v of %v", series, series[0].Unit)
	}
}

var kept [][]byte

// What the program uses is counted from one cycle to the next.
func TestOwnUsage(t *testing.T) {
	c := measure.New(counting(), selection(t, `\winperf\Allocations`, `\winperf\Allocated Bytes`, `\winperf\*Processor Time`), measure.Options{})
	for _, r := range cycle(t, c).Readings() {
		if r.Status != counter.NoPrevious {
			t.Errorf("%s in the first cycle: %v (%v)", r, r.Value, r.Status)
		}
	}
	for range 1000 {
		kept = append(kept, make([]byte, 1000))
	}
	got := cycle(t, c).Readings()
	kept = nil
	if len(got) != 4 {
		t.Fatalf("readings %q", lines(got))
	}
	if n, ok := got[0].Value.Uint64(); !ok || n < 900 { // the runtime counts a few later
		t.Errorf("%d allocations (%v)", n, got[0].Status)
	}
	if n, ok := got[1].Value.Uint64(); !ok || n < 900*1000 {
		t.Errorf("%d bytes (%v)", n, got[1].Status)
	}
	for _, r := range got[2:] {
		if f, ok := r.Value.Float64(); r.Status == counter.OK && (!ok || f < 0) {
			t.Errorf("%s: %v", r, r.Value)
		}
	}
}

// What was used is of the time between two cycles, and the share of a processor is of that time.
func TestOwnShare(t *testing.T) {
	if _, ok := usage.Processor(); !ok {
		t.Skip("this system does not say what a program has used")
	}
	m := newFakeMachine()
	c := measure.New(m.source(), selection(t, `\winperf\% Processor Time`, `\winperf\Processor Time`), measure.Options{Clock: m})
	begin, _ := usage.Processor()
	cycle(t, c)
	for end := begin; end < begin+50*ms; { // uses some
		end, _ = usage.Processor()
	}
	m.run(2 * time.Second)

	cy := cycle(t, c)
	used, elapsed := measure.Used(cy)
	end, _ := usage.Processor()
	if elapsed != 2*time.Second || used <= 0 || used > end-begin {
		t.Errorf("%v of %v used, %v in all", used, elapsed, end-begin)
	}
	got := cy.Readings()
	if share, _ := got[0].Value.Float64(); share != 100*used.Seconds()/2 {
		t.Errorf("a share of %v, used %v", got[0].Value, used)
	}
	if seconds, _ := got[1].Value.Float64(); seconds != used.Seconds() {
		t.Errorf("%v seconds, used %v", got[1].Value, used)
	}
}

// The source is not asked for what the measurement answers, and wildcards in
// the object do not mean it.
func TestOwnIsNotTheSources(t *testing.T) {
	src := counting()
	c := measure.New(src, selection(t, `\winperf\Nothing`, `\win*\*`), measure.Options{})
	want := []string{`\\HOST\winperf\Nothing no_counter`, `\\HOST\win*\* no_object`}
	if got := lines(cycle(t, c).Readings()); !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
	if len(src.asked.Paths) != 1 || src.asked.Paths[0].Object != "win*" {
		t.Errorf("the source was asked for %v", src.asked.Paths)
	}
}

// A named source is an instance, and what is excluded is left out.
func TestOwnOfNamedSource(t *testing.T) {
	c := measure.New(counting(), selection(t, `\winperf(*)\*Time`), measure.Options{
		Source: "host", Exclude: paths(t, `\winperf(*)\*Processor*`, `\winperf(*)\Co*`),
	})
	var got []string
	for _, r := range cycle(t, c).Readings() {
		got = append(got, r.Series.String())
	}
	want := []string{`\\HOST\winperf(host)\Prepare Time`, `\\HOST\winperf(host)\Sample Time`, `\\HOST\winperf(host)\Decode Time`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("readings (-want +got):\n%s", diff)
	}
}

// It works over a log of values as well.
func TestOwnOfCooked(t *testing.T) {
	c := measure.New(newTextLog(t, loggedPaths, values(1, 2, 3, 4)), selection(t, `\System\*`, `\winperf\Readings`, `\winperf\Sample Bytes`), measure.Options{})
	want := []string{`\\HOST\System\Processes 3`, `\\HOST\winperf\Readings 3`, fmt.Sprintf(`\\HOST\winperf\Sample Bytes %d`, 8+4*(8+1+1))}
	if got := lines(cycle(t, c).Readings()); !cmp.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
}
