package measure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// moment is what Watch yielded, and when, counted from the start of the loop.
type moment struct {
	When   time.Duration
	Missed int
	Lines  []string
}

// watch runs a loop in a bubble of time. slow tells how long the n-th cycle
// keeps the loop busy; a negative time leaves it.
func watch(t *testing.T, src winperf.Source, sel winperf.Selection, opt measure.Options, slow func(n int) time.Duration) (all []moment, last error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		all, last = run(t.Context(), src, sel, opt, slow)
	})
	return all, last
}

func run(ctx context.Context, src winperf.Source, sel winperf.Selection, opt measure.Options, slow func(n int) time.Duration) (all []moment, last error) {
	begin := time.Now()
	for cy, err := range measure.Watch(ctx, src, sel, opt) {
		if last != nil {
			panic("an error was not the last")
		}
		if err != nil {
			last = err
			continue
		}
		all = append(all, moment{time.Since(begin), cy.Missed, lines(cy.Readings())})
		if slow == nil {
			continue
		}
		pause := slow(len(all))
		if pause < 0 {
			break
		}
		time.Sleep(pause)
	}
	return all, last
}

// times are the times of moments, with "+n" for n that were missed.
func times(all []moment) (text []string) {
	for _, m := range all {
		s := m.When.String()
		if m.Missed > 0 {
			s += fmt.Sprintf(" +%d", m.Missed)
		}
		text = append(text, s)
	}
	return text
}

const ms = time.Millisecond

func TestWatchTimes(t *testing.T) {
	// delays are how long the samples last.
	delays := func(d ...time.Duration) *scripted {
		return &scripted{schema: englishSchema, script: func(n int) sample {
			s := count(n)
			if n < len(d) {
				s.delay = d[n]
			}
			return s
		}}
	}
	pauses := func(d ...time.Duration) func(int) time.Duration {
		return func(n int) time.Duration {
			if n <= len(d) {
				return d[n-1]
			}
			return 0
		}
	}
	tests := []struct {
		name  string
		src   *scripted
		path  string
		opt   measure.Options
		pause func(int) time.Duration
		want  []string
	}{
		{"the default interval", counting(), `\System\Processes`, measure.Options{Count: 3}, nil, []string{"0s", "1s", "2s"}},
		{"a negative interval", counting(), `\System\Processes`, measure.Options{Count: 2, Interval: -1}, nil, []string{"0s", "1s"}},
		{"a rate needs two samples", counting(), switches, measure.Options{Count: 3}, nil, []string{"1s", "2s", "3s"}},
		{"one rate of several counters", counting(), `\System\*`, measure.Options{Count: 2}, nil, []string{"1s", "2s"}},
		{"the first is wanted all the same", counting(), switches, measure.Options{Count: 3, KeepFirst: true}, nil, []string{"0s", "1s", "2s"}},
		{"nothing to wait for", counting(), `\System\No such/sec`, measure.Options{Count: 2}, nil, []string{"0s", "1s"}},
		{"frames only", counting(), switches, measure.Options{Count: 2, FramesOnly: true}, nil, []string{"0s", "1s"}},
		{
			"no drift: sampling and handling last", delays(10*ms, 20*ms, 30*ms, 40*ms), `\System\Processes`,
			measure.Options{Count: 4, Interval: 250 * ms}, pauses(100*ms, 200*ms, 50*ms), []string{"10ms", "270ms", "530ms", "790ms"},
		},
		{
			"handling lasts as long as the interval", counting(), `\System\Processes`,
			measure.Options{Count: 3}, pauses(1000*ms, 1000*ms), []string{"0s", "1s", "2s"},
		},
		{
			"a little late: at once, then on time", counting(), `\System\Processes`,
			measure.Options{Count: 4}, pauses(1300 * ms), []string{"0s", "1.3s", "2s", "3s"},
		},
		{
			"much too late: missed", counting(), `\System\Processes`,
			measure.Options{Count: 4}, pauses(3400*ms, 0, 1600*ms), []string{"0s", "3.4s +2", "4s", "5.6s"},
		},
		{
			"late by whole intervals", counting(), `\System\Processes`,
			measure.Options{Count: 3}, pauses(3000 * ms), []string{"0s", "3s +2", "4s"},
		},
		{
			"late by one interval", counting(), `\System\Processes`,
			measure.Options{Count: 3}, pauses(2000 * ms), []string{"0s", "2s +1", "3s"},
		},
		{
			"a slow sample counts too", delays(0, 2500*ms), `\System\Processes`,
			measure.Options{Count: 4}, nil, []string{"0s", "3.5s", "4s +2", "5s"},
		},
		{
			"very late: the next tick is too near", counting(), `\System\Processes`,
			measure.Options{Count: 4}, pauses(1900 * ms), []string{"0s", "1.9s", "3s +1", "4s"},
		},
		{
			"late by a half: the next tick is far enough", counting(), `\System\Processes`,
			measure.Options{Count: 4}, pauses(1500 * ms), []string{"0s", "1.5s", "2s", "3s"},
		},
		{
			"late again and again", counting(), `\System\Processes`,
			measure.Options{Count: 4}, pauses(1600*ms, 1600*ms, 1600*ms), []string{"0s", "1.6s", "3.2s +1", "4.8s"},
		},
		{
			"a slow source keeps its pace", delays(600*ms, 600*ms, 600*ms, 600*ms), `\System\Processes`,
			measure.Options{Count: 4}, nil, []string{"600ms", "2.6s +1", "3.6s", "4.6s"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, err := watch(t, tt.src, selection(t, tt.path), tt.opt, tt.pause)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, times(all)); diff != "" {
				t.Errorf("times (-want +got):\n%s", diff)
			}
			if tt.src.open != 0 {
				t.Errorf("%d queries are left open", tt.src.open)
			}
		})
	}
}

// After ten thousand samples the time is still a multiple of the interval.
func TestWatchDoesNotDrift(t *testing.T) {
	const interval, n = 333_333_333 * time.Nanosecond, 10_000
	src := &scripted{schema: englishSchema, script: func(n int) sample { return sample{at: int64(n), delay: time.Duration(n%7) * ms} }}
	all, err := watch(t, src, winperf.Selection{Global: true}, measure.Options{Interval: interval, Count: n}, nil)
	if err != nil || len(all) != n {
		t.Fatalf("%d cycles, error %v", len(all), err)
	}
	for i, m := range all {
		if want := time.Duration(i)*interval + time.Duration(i%7)*ms; m.When != want || m.Missed != 0 {
			t.Fatalf("cycle %d at %v with %d missed, want %v", i, m.When, m.Missed, want)
		}
	}
}

func TestWatchRecorded(t *testing.T) {
	rate := func(values ...string) (all [][]string) {
		for _, v := range values {
			all = append(all, []string{`\\HOST` + switches + " " + v})
		}
		return all
	}
	broken := count(1)
	broken.change = func(b []byte) []byte { return b[:40] }
	tests := []struct {
		name    string
		samples []sample
		opt     measure.Options
		want    [][]string
		err     error
	}{
		{"nothing", nil, measure.Options{}, nil, nil},
		{"one sample", []sample{count(0)}, measure.Options{}, rate("no_previous"), nil},
		{"two samples", []sample{count(0), count(1)}, measure.Options{}, rate("100"), nil},
		{"the first is wanted", []sample{count(0), count(1)}, measure.Options{KeepFirst: true}, rate("no_previous", "100"), nil},
		{"count", []sample{count(0), count(1), count(2), count(3)}, measure.Options{Count: 2}, rate("100", "100"), nil},
		{"one damaged between others", []sample{count(0), broken, count(2), count(3)}, measure.Options{}, rate("100", "100"), nil},
		{"the first damaged", []sample{broken, count(1), count(2)}, measure.Options{}, rate("100"), nil},
		{"all but one damaged", []sample{broken, count(1), broken}, measure.Options{}, rate("no_previous"), winperf.ErrBadData},
		{"the last damaged", []sample{count(0), count(1), broken}, measure.Options{}, rate("100"), winperf.ErrBadData},
		{"all damaged", []sample{broken, broken}, measure.Options{}, nil, winperf.ErrBadData},
		{"one cannot be read", []sample{count(0), {err: errTest}}, measure.Options{}, rate("no_previous"), errTest},
		{"a later one cannot be read", []sample{count(0), count(1), {err: errTest}}, measure.Options{}, rate("100"), errTest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := script(tt.samples...)
			all, err := watch(t, recording{src, -1}, selection(t, switches), tt.opt, nil)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			var got [][]string
			for _, m := range all {
				got = append(got, m.Lines)
				if m.When != 0 || m.Missed != 0 {
					t.Errorf("waited %v, %d missed", m.When, m.Missed)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("readings (-want +got):\n%s", diff)
			}
			if src.open != 0 {
				t.Errorf("%d queries are left open", src.open)
			}
		})
	}
}

// The damage of recorded samples that are passed over is told with the next cycle.
func TestWatchTellsOfDamage(t *testing.T) {
	broken := count(1)
	broken.change = func(b []byte) []byte { return b[:40] }
	src := recording{script(count(0), broken, broken, count(3), count(4)), 5}
	var damage []string
	for cy, err := range measure.Watch(t.Context(), src, selection(t, switches), measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, d := range cy.Damage {
			if !errors.Is(d, winperf.ErrBadData) {
				t.Errorf("damage %v", d)
			}
			s += d.Error()[:len("sample 2")] + " "
		}
		damage = append(damage, s)
	}
	if diff := cmp.Diff([]string{"", "sample 2 sample 3 ", ""}, damage); diff != "" {
		t.Errorf("damage (-want +got):\n%s", diff)
	}
}

// Anomalies of a first cycle that is held back are told with the next one, by one
// source and by several.
func TestWatchTellsOfAnomalies(t *testing.T) {
	failing := func() *troubled {
		inner := counting()
		src := &troubled{Source: inner}
		inner.onSample = func() {
			src.list = append(src.list, winperf.Anomaly{Kind: winperf.ProviderFailed, Detail: fmt.Sprint("failure ", len(src.list))})
		}
		return src
	}
	want := []string{"failure 0 failure 1", "failure 2"}
	details := func(list ...[]winperf.Anomaly) string {
		var text []string
		for _, a := range slices.Concat(list...) {
			text = append(text, a.Detail)
		}
		return strings.Join(text, " ")
	}
	synctest.Test(t, func(t *testing.T) {
		var got []string
		for c, err := range measure.Watch(t.Context(), failing(), selection(t, switches), measure.Options{Count: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, details(c.Anomalies))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("one source (-want +got):\n%s", diff)
		}
	})
}

// TestWatchLimit: a loop with an end has every sample that is due until then, also where
// one lasts or is late, and does not wait for the end when the last one was taken.
func TestWatchLimit(t *testing.T) {
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of the bubble
	at := func(d time.Duration) time.Time { return start.Add(d) }
	slow := func(last time.Duration) *scripted {
		return &scripted{schema: englishSchema, script: func(n int) sample {
			s := count(n)
			if n == 3 {
				s.delay = last
			}
			return s
		}}
	}
	pause := func(n int) time.Duration {
		if n == 3 {
			return 1300 * ms
		}
		return 0
	}
	const processes = `\System\Processes`
	tests := []struct {
		name  string
		src   *scripted
		path  string
		opt   measure.Options
		pause func(int) time.Duration
		want  []string
	}{
		{"a time", counting(), processes, measure.Options{For: 3 * time.Second}, nil, []string{"0s", "1s", "2s", "3s"}},
		{"rates", counting(), switches, measure.Options{For: 3 * time.Second}, nil, []string{"1s", "2s", "3s"}},
		{"a little less", counting(), processes, measure.Options{For: 2999 * ms}, nil, []string{"0s", "1s", "2s"}},
		{"too little for a rate", counting(), switches, measure.Options{For: 999 * ms}, nil, nil},
		{"no time for two", counting(), processes, measure.Options{For: 1}, nil, []string{"0s"}},
		{"the last one lasts", slow(900 * ms), processes, measure.Options{For: 3 * time.Second}, nil, []string{"0s", "1s", "2s", "3.9s"}},
		{"the last one is late", counting(), processes, measure.Options{For: 3 * time.Second}, pause, []string{"0s", "1s", "2s", "3.3s"}},
		{"a time of day", counting(), processes, measure.Options{End: at(2 * time.Second)}, nil, []string{"0s", "1s", "2s"}},
		{"just before", counting(), processes, measure.Options{End: at(1999 * ms)}, nil, []string{"0s", "1s"}},
		{"a long interval", counting(), processes, measure.Options{Interval: time.Hour, End: at(2 * time.Hour)}, nil, []string{"0s", "1h0m0s", "2h0m0s"}},
		{"the end is before", counting(), processes, measure.Options{Interval: time.Hour, End: at(time.Minute)}, nil, []string{"0s"}},
		{"the last one lasts beyond the end", slow(900 * ms), processes, measure.Options{End: at(3 * time.Second)}, nil, []string{"0s", "1s", "2s", "3.9s"}},
		{"both", counting(), processes, measure.Options{For: time.Hour, End: at(time.Second)}, nil, []string{"0s", "1s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all, err := run(t.Context(), tt.src, selection(t, tt.path), tt.opt, tt.pause)
				if diff := cmp.Diff(tt.want, times(all)); err != nil || diff != "" {
					t.Errorf("%v, times (-want +got):\n%s", err, diff)
				}
				if n := len(all); n > 0 && time.Since(start) > all[n-1].When {
					t.Errorf("it ended %v after its beginning", time.Since(start))
				}
			})
		})
	}
}

func TestWatchEnds(t *testing.T) {
	fails := func(n int, err error) *scripted {
		return &scripted{schema: englishSchema, script: func(i int) sample {
			if i == n {
				return sample{err: err}
			}
			return count(i)
		}}
	}
	cannotCompile := counting()
	cannotCompile.compile = func() error { return errTest }
	damaged := counting()
	damaged.script = func(n int) sample {
		s := count(n)
		if n == 2 {
			s.change = func(b []byte) []byte { return nil }
		}
		return s
	}
	leave := func(n int) func(int) time.Duration {
		return func(i int) time.Duration {
			if i == n {
				return -1
			}
			return 0
		}
	}
	tests := []struct {
		name   string
		src    *scripted
		pause  func(int) time.Duration
		cycles int
		err    error
	}{
		{"the selection does not compile", cannotCompile, nil, 0, errTest},
		{"the first sample fails", fails(0, errTest), nil, 0, errTest},
		{"the second sample fails", fails(1, errTest), nil, 0, errTest},
		{"the fourth sample fails", fails(3, errTest), nil, 2, errTest},
		{"a sample is damaged", damaged, nil, 1, winperf.ErrBadData},
		{"the end of the data is no error", fails(3, io.EOF), nil, 2, nil},
		{"left at the first cycle", counting(), leave(1), 1, nil},
		{"left at the third cycle", counting(), leave(3), 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all, err := watch(t, tt.src, selection(t, switches), measure.Options{}, tt.pause)
			if !errors.Is(err, tt.err) || len(all) != tt.cycles {
				t.Errorf("%d cycles, error %v, want %d and %v", len(all), err, tt.cycles, tt.err)
			}
			if tt.src.open != 0 {
				t.Errorf("%d queries are left open", tt.src.open)
			}
		})
	}
}

// The end of the context ends the loop at once and is no error, whatever the
// loop is doing.
func TestWatchContext(t *testing.T) {
	slow := counting()
	slow.script = func(n int) sample {
		s := count(n)
		s.delay = 400 * ms
		return s
	}
	tests := []struct {
		name  string
		src   winperf.Source
		after time.Duration
		pause time.Duration
		want  []string
	}{
		{"before it begins", counting(), -1, 0, nil},
		{"while waiting", counting(), 2500 * ms, 0, []string{"0s", "1s", "2s"}},
		{"while sampling", slow, 2200 * ms, 0, []string{"400ms", "1.4s"}},
		{"while the cycle is handled", counting(), 1500 * ms, 700 * ms, []string{"0s", "1s"}},
		{"while the cycle is handled, late", counting(), 1500 * ms, 2000 * ms, []string{"0s"}},
		{"a record", recording{counting(), -1}, 1500 * ms, 700 * ms, []string{"0s", "700ms", "1.4s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), tt.after)
				defer cancel()
				all, err := run(ctx, tt.src, selection(t, `\System\Processes`), measure.Options{}, func(int) time.Duration { return tt.pause })
				if err != nil {
					t.Errorf("error %v", err)
				}
				if diff := cmp.Diff(tt.want, times(all)); diff != "" {
					t.Errorf("times (-want +got):\n%s", diff)
				}
				if spent := time.Since(begin); spent > max(tt.after, 0)+tt.pause {
					t.Errorf("ended after %v", spent)
				}
			})
		})
	}
}

// A first cycle that was held back stays so when the context ends.
func TestWatchContextWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := counting()
		src.script = func(n int) sample {
			s := count(n)
			s.delay = 400 * ms
			return s
		}
		ctx, cancel := context.WithTimeout(t.Context(), 600*ms)
		defer cancel()
		if all, err := run(ctx, recording{src, -1}, selection(t, switches), measure.Options{}, nil); len(all) != 0 || err != nil {
			t.Errorf("%d cycles, error %v", len(all), err)
		}
	})
}

// The iterator can be used again, from the beginning.
func TestWatchAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := counting()
		loop := measure.Watch(t.Context(), src, selection(t, switches), measure.Options{Count: 2})
		for range 2 {
			n := 0
			for _, err := range loop {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 2 {
				t.Errorf("%d cycles, want 2", n)
			}
		}
		if src.compiled != 2 || src.open != 0 {
			t.Errorf("compiled %d times, %d queries are open", src.compiled, src.open)
		}
	})
}
