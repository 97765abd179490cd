package experiment_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/experiment"
)

// clock is the clock of a bubble, with a time of day that can be set and a time that passes while
// nothing runs, as that of a suspended machine.
type clock struct {
	mu         sync.Mutex
	start      time.Time
	set, slept time.Duration
}

func newClock() *clock { return &clock{start: time.Now()} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Round(0).Add(c.set + c.slept)
}

func (c *clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.start) + c.slept
}

func (c *clock) Timer(d time.Duration) (<-chan time.Time, func() bool) {
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// add sets the time of day and lets time pass.
func (c *clock) add(set, slept time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set += set
	c.slept += slept
}

// ticks are the events of an interval: when they came after a time, and what was missed before.
func ticks(records []*experiment.Record, since time.Time) (all []string) {
	for _, rec := range records {
		s := rec.Event.Time.Sub(since).String()
		if rec.Event.Missed > 0 {
			s += fmt.Sprint(" -", rec.Event.Missed)
		}
		all = append(all, s)
	}
	return all
}

func TestInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(_ context.Context, n int) error {
			if n == 4 {
				time.Sleep(2400 * time.Millisecond)
			}
			time.Sleep(100 * time.Microsecond)
			return nil
		})
		r := begin(t, f, experiment.Options{
			Bindings: []experiment.Binding{bound("tick")},
			Events:   []experiment.EventSource{experiment.Interval{Name: "tick", Every: time.Second}},
		})
		time.Sleep(6500 * time.Millisecond)
		want := []string{"1s", "2s", "3s", "4s", "6s -1"}
		records := r.end()
		if diff := cmp.Diff(want, ticks(records, records[0].Event.Time.Add(-time.Second))); diff != "" {
			t.Error(diff)
		}
	})
}

// Events by the clock come at multiples of their interval, also after the clock was set. One that is due
// and does not come because of that is told, as is any other that is missed.
func TestIntervalAligned(t *testing.T) {
	for set, want := range map[time.Duration][]string{
		400 * time.Millisecond:  {"1s", "2s", "4s -1", "5s"},
		60 * time.Millisecond:   {"1s", "2s", "4s -1", "5s"},
		800 * time.Millisecond:  {"1s", "2s", "4s", "5s", "6s"}, // 1.2 s later
		time.Hour:               {"1s", "2s", "1h0m4s -1", "1h0m5s"},
		-60 * time.Millisecond:  {"1s", "2s", "3s", "4s", "5s"},
		-700 * time.Millisecond: {"1s", "2s", "3s -1", "4s"}, // 1.7 s later
	} {
		synctest.Test(t, func(t *testing.T) {
			c, start := newClock(), time.Now().Round(0) // midnight
			time.Sleep(300 * time.Millisecond)
			r := begin(t, newFake(nil), experiment.Options{
				Clock: c, Bindings: []experiment.Binding{bound("tick")},
				Events: []experiment.EventSource{experiment.Interval{Name: "tick", Every: time.Second, Aligned: true}},
			})
			time.Sleep(2 * time.Second)
			c.add(set, 0)
			time.Sleep(3 * time.Second)
			if diff := cmp.Diff(want, ticks(r.end(), start)); diff != "" {
				t.Errorf("set by %v: %s", set, diff)
			}
		})
	}
}

// What passes while the program is stopped, or the machine is suspended, is told and not made up for.
func TestIntervalGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := newClock(), time.Now().Round(0)
		r := begin(t, newFake(nil), experiment.Options{
			Clock: c, Bindings: []experiment.Binding{bound("tick")},
			Events: []experiment.EventSource{experiment.Interval{Name: "tick", Every: time.Second}},
		})
		time.Sleep(1500 * time.Millisecond)
		c.add(0, time.Hour)
		time.Sleep(2 * time.Second)
		want := []string{"1s", "1h0m2s -3600", "1h0m3s"}
		if diff := cmp.Diff(want, ticks(r.end(), start)); diff != "" {
			t.Error(diff)
		}
	})
}

// Events by the clock tell what was missed before they were aligned again.
func TestIntervalAlignedGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := newClock(), time.Now().Round(0) // midnight
		r := begin(t, newFake(nil), experiment.Options{
			Clock: c, Bindings: []experiment.Binding{bound("tick")},
			Events: []experiment.EventSource{experiment.Interval{Name: "tick", Every: time.Second, Aligned: true}},
		})
		time.Sleep(2300 * time.Millisecond)
		c.add(400*time.Millisecond, time.Hour)
		time.Sleep(2 * time.Second)
		want := []string{"1s", "2s", "1h0m4s -3601"} // 1h0m3s is one of them
		if diff := cmp.Diff(want, ticks(r.end(), start)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSetInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{bound("tick")},
			Events: []experiment.EventSource{
				experiment.Interval{Name: "tick", Every: time.Second}, experiment.Lines{Name: "in", Reader: strings.NewReader("")},
			},
		})
		time.Sleep(1500 * time.Millisecond)
		must(t, r.SetInterval("tick", 100*time.Millisecond))
		time.Sleep(250 * time.Millisecond)
		for _, tt := range []struct {
			err  error
			want string
		}{
			{r.SetInterval("tock", time.Second), `there is no source of events "tock" (did you mean "tick"?)`},
			{r.SetInterval("in", time.Second), "has no interval"},
			{r.SetInterval("tick", 0), "10ms or more"},
			{r.SetInterval("tick", 9*time.Millisecond), "10ms or more"},
		} {
			if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
				t.Errorf("error %v, want %s", tt.err, tt.want)
			}
		}
		if e := r.Status().Events[0]; e.Interval != 100*time.Millisecond || e.Emitted != 3 || !e.Running {
			t.Errorf("status %+v", e)
		}
		want := []string{"1s", "1.6s", "1.7s"}
		if diff := cmp.Diff(want, ticks(r.end(), start)); diff != "" {
			t.Error(diff)
		}
	})
}

// names are the events of records with some of their attributes.
func names(records []*experiment.Record, keys ...string) (all []string) {
	for _, rec := range records {
		s := rec.Event.Source + " " + rec.Event.Name
		for _, a := range rec.Event.Attrs {
			for _, key := range keys {
				if a.Key == key {
					s += fmt.Sprintf(" %s=%v", key, a.Value)
				}
			}
		}
		all = append(all, s)
	}
	return all
}

func TestProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := [][]string{
			{"shell 1 1 0", "editor 10 1 0"},
			{"shell 1 1 0", "editor 10 1 0", "editor 11 2 0"},
			{"editor 11 2 0", "shell 1 1 0"},                  // 10 ended; 11 takes its place
			{"shell 1 1 0", "editor 11 4 0", "other 12 1 0"},  // another one with its id
			{"shell 1 1 0", "renamed 11 4 0", "other 12 1 0"}, // it goes on, as something else
			{"shell 1 1 0"},
		}
		begin0 := time.Now()
		f := newFake(func(n int) string {
			return processes(n, script[min(int(time.Since(begin0)/time.Second), len(script)-1)]...)
		})
		r := begin(t, f, experiment.Options{
			Apart: true,
			Bindings: []experiment.Binding{
				{Events: []string{"editors.*"}, Paths: paths(`\Process(shell)\ID Process`)},
			},
			Events: []experiment.EventSource{experiment.Processes{Name: "editors", Match: "edit*"}},
		})
		time.Sleep(6500 * time.Millisecond)
		want := []string{
			"process editors.begin instance=editor#1 key=11@133485408020000000 within=1s",
			"process editors.end instance=editor key=10@133485408010000000 within=1s",
			"process editors.end instance=editor key=11@133485408020000000 within=1s",
			"process editors.begin instance=editor key=11@133485408040000000 within=1s",
			"process editors.end instance=editor key=11@133485408040000000 within=1s",
		}
		if diff := cmp.Diff(want, names(r.end(), "instance", "key", "within")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestThreshold(t *testing.T) {
	level := func(v string) string {
		return header(1) + "object 2 form=single\n counter 10 PERF_COUNTER_RAWCOUNT\n counter 6 PERF_COUNTER_RAWCOUNT\n values : " + v + " 1\n"
	}
	for _, tt := range []struct {
		name   string
		rule   experiment.Threshold
		levels []string // one a second; "-" is a sample that fails
		want   []string
	}{
		{"above", experiment.Threshold{Bound: 10}, []string{"1", "10", "11", "20", "10", "11", "1"},
			[]string{"2s begin 11", "4s end 10", "5s begin 11", "6s end 1"}},
		{"below", experiment.Threshold{Bound: 10, Below: true}, []string{"20", "10", "9", "3", "10"},
			[]string{"2s begin 9", "4s end 10"}},
		{"hysteresis", experiment.Threshold{Bound: 10, Hysteresis: 3}, []string{"11", "9", "11", "8", "7", "9", "11"},
			[]string{"0s begin 11", "4s end 7", "6s begin 11"}},
		{"minimum duration", experiment.Threshold{Bound: 10, For: 2 * time.Second}, []string{"11", "12", "9", "11", "11", "13", "14", "1"},
			[]string{"5s begin 13", "7s end 1"}},
		{"below, with hysteresis and minimum duration", experiment.Threshold{Bound: 10, Below: true, Hysteresis: 2, For: time.Second},
			[]string{"9", "10", "9", "8", "11", "9", "12", "9", "12"}, []string{"3s begin 8", "6s end 12"}},
		{"a look that fails says nothing", experiment.Threshold{Bound: 10}, []string{"11", "-", "12", "-", "9"},
			[]string{"0s begin 11", "4s end 9"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var start time.Time
				at := func() string { return tt.levels[min(int(time.Since(start)/time.Second), len(tt.levels)-1)] }
				f := newFake(func(int) string { return level(at()) })
				start = time.Now()
				tt.rule.Name, tt.rule.Path = "high", paths(`\System\Level`)[0]
				looks := f
				looks.setBefore(func(context.Context, int) error {
					if at() == "-" {
						return errors.New("no luck")
					}
					return nil
				})
				r := begin(t, f, experiment.Options{
					Apart:    true,
					Bindings: []experiment.Binding{{Events: []string{"high.*"}, Paths: paths(`\System\Ticks`)}},
					Events:   []experiment.EventSource{tt.rule},
				})
				time.Sleep(time.Duration(len(tt.levels))*time.Second - time.Second/2)
				var got []string
				for _, rec := range r.end() {
					v := ""
					for _, a := range rec.Event.Attrs {
						if a.Key == "value" {
							v = fmt.Sprint(a.Value)
						}
					}
					got = append(got, fmt.Sprint(rec.Event.Time.Sub(start), " ", strings.TrimPrefix(rec.Event.Name, "high."), " ", v))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// Of a path with wildcards each instance is beyond the bound by itself; what leaves is back.
func TestThresholdInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := [][]string{
			{"a 1 0 5", "b 2 0 50"}, {"a 1 0 60", "b 2 0 50"}, {"b 2 0 5"}, {"b 2 0 5", "a 1 3 70"},
		}
		start := time.Now()
		f := newFake(func(n int) string {
			return processes(n, script[min(int(time.Since(start)/time.Second), len(script)-1)]...)
		})
		rule := experiment.Threshold{Name: "high", Path: paths(`\Process(*)\ID Process`)[0], Bound: 0.5, Every: time.Second}
		r := begin(t, f, experiment.Options{
			Apart:    true,
			Bindings: []experiment.Binding{{Events: []string{"high.*"}, Paths: paths(`\Process(b)\ID Process`)}},
			Events:   []experiment.EventSource{rule},
		})
		time.Sleep(3500 * time.Millisecond)
		want := []string{
			`threshold high.begin path=\\HOST\Process(a)\ID Process`, `threshold high.begin path=\\HOST\Process(b)\ID Process`,
			`threshold high.end path=\\HOST\Process(a)\ID Process gone=true`, `threshold high.begin path=\\HOST\Process(a)\ID Process`,
		}
		if diff := cmp.Diff(want, names(r.end(), "path", "gone")); diff != "" {
			t.Error(diff)
		}
	})
}

// Sources that look at an interval can be given another one.
func TestPaced(t *testing.T) {
	path := paths(`\Process(*)\ID Process`)[0]
	for _, s := range []interface {
		experiment.EventSource
		WithInterval(time.Duration) experiment.EventSource
	}{
		experiment.Interval{Name: "s"}, experiment.Processes{Name: "s", Match: "a"}, experiment.Instances{Name: "s", Path: path},
		experiment.Threshold{Name: "s", Path: path},
	} {
		was, is := s.Describe(), s.WithInterval(5*time.Second).Describe()
		if was.Interval != time.Second || is.Interval != 5*time.Second || is.Kind != was.Kind || len(is.Events) == 0 {
			t.Errorf("%+v, then %+v", was, is)
		}
	}
}

// An event source that cannot go on ends alone, and a record says why.
func TestSourceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		f.setBefore(func(_ context.Context, n int) error {
			if n == 1 {
				return nil // it is that of the binding
			}
			return errors.New("no luck")
		})
		r := begin(t, f, experiment.Options{
			Apart: true, Bindings: []experiment.Binding{bound("*")},
			Events: []experiment.EventSource{
				experiment.Processes{Name: "p", Match: "x", Origin: "other"},
				experiment.Processes{Name: "q", Match: "x"},
			},
		})
		time.Sleep(time.Minute)
		f.setBefore(nil)
		r.program.Event(t.Context(), "e")
		for _, e := range r.Status().Events {
			if e.Running || e.Err == nil {
				t.Errorf("event source %+v", e)
			}
		}
		must(t, r.Detach(context.Background()))
		var got []string
		for _, rec := range r.rest() {
			s := text(rec)
			for _, a := range rec.Event.Attrs {
				s += fmt.Sprintf(" %s=%v", a.Key, a.Value)
			}
			got = append(got, s)
		}
		want := []string{
			"change attached", `change source ended source=p error=there is no source "other": unknown name`,
			"change source ended source=q error=10 samples failed in a row: no luck",
			"point e Ticks=12 Work=10", "change detached",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input := strings.Join([]string{
			`checkout items=3 user="Ann Lee" price=1.50 gift=true sku=007x`,
			``,
			`{"name":"pay","attrs":{"by":"card","n":18446744073709551615,"deep":{"a":[1]},"none":null}}`,
			`"two words"`,
			`load region=begin id=1 n=1`,
			`load region=begin id=2`,
			`load region=begin id=2`,
			`load region=end id=1 m=2`,
			`load region=end id=9`,
			`{"name":"load","region":"end","id":2}`,
			`x y`,
			`{"name":"x"} more`,
			`{"nome":"x"}`,
			strings.Repeat("a", 500),
			"x \xff",
			`x a="unended`,
			`last`,
		}, "\n")
		var acks strings.Builder
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{bound("*")},
			Events:   []experiment.EventSource{experiment.Lines{Name: "stdin", Reader: strings.NewReader(input), Ack: &acks, Max: 200}},
		})
		synctest.Wait()
		must(t, r.Detach(context.Background()))
		var got []string
		for _, rec := range r.rest() {
			s := fmt.Sprint(rec.Event.Source, " ", rec.Event.Name)
			for _, a := range rec.Event.Attrs {
				s += fmt.Sprintf(" %s=%v(%T)", a.Key, a.Value, a.Value)
			}
			if rec.Kind == experiment.Span {
				s += fmt.Sprint(" +", rec.Values[1].Difference)
			}
			got = append(got, s)
		}
		refused := func(line int, why string) string {
			return fmt.Sprintf("experiment line refused source=stdin(string) error=stdin:%d: %s(string)", line, why)
		}
		want := []string{
			"experiment attached",
			"lines checkout items=3(int64) user=Ann Lee(string) price=1.5(float64) gift=true(bool) sku=007x(string)",
			`lines pay by=card(string) deep={"a":[1]}(string) n=18446744073709551615(uint64) none=null(string)`,
			"lines two words",
			refused(7, `a region "load" with the id "2" is open already`),
			"lines load n=1(int64) m=2(int64) +20",
			refused(9, `no region "load" with the id "9" is open`),
			"lines load +20",
			refused(11, `expected key=value at "y"`),
			refused(12, `expected the end of the line at "more"`),
			refused(13, `expected a JSON object with name, attrs, region and id: json: unknown field "nome"`),
			refused(14, "the line is longer than 200 bytes"),
			refused(15, "the line is not UTF-8"),
			refused(16, `expected text in quotes at "\"unended"`),
			"lines last unended=true(bool)",
			"experiment source ended source=stdin(string)",
			"experiment detached",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if n, ok := strings.Count(acks.String(), "\n"), strings.Count(acks.String(), "ok\n"); n != 16 || ok != 8 {
			t.Errorf("answers:\n%s", &acks)
		}
	})
}

// Lines that are not understood are told up to a number, and counted beyond it. A byte order mark
// is no part of a name, and JSON that is whole needs no line end.
func TestBadLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input := "\ufefffirst\r\n" + strings.Repeat("x y\n", 250) + `{"name":"last"}`
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{bound("*")},
			Events:   []experiment.EventSource{experiment.Lines{Name: "in", Reader: strings.NewReader(input)}},
		})
		synctest.Wait()
		must(t, r.Detach(context.Background()))
		told := 0
		var got []string
		for _, rec := range r.rest() {
			if rec.Event.Name == "line refused" {
				told++
				continue
			}
			got = append(got, fmt.Sprint(rec.Event.Name, rec.Event.Attrs))
		}
		want := []string{
			"attached[]", "first[]", "last[]", "more lines refused[{source in} {lines 150}]",
			"source ended[{source in}]", "detached[]",
		}
		if diff := cmp.Diff(want, got); diff != "" || told != 100 {
			t.Errorf("%d are told; %s", told, diff)
		}
	})
}

// A program at the other end of a socket waits for its samples, and the end of the experiment does
// not wait for the program.
func TestLinesSocket(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("*")},
		Events:   []experiment.EventSource{experiment.Lines{Name: "socket", Reader: here, Ack: here}},
	})
	answers := bufio.NewReader(there)
	ask := func(line string) {
		fmt.Fprintln(there, line)
		if answer, err := answers.ReadString('\n'); err != nil || answer != "ok\n" {
			t.Fatalf("answer %q, error %v", answer, err)
		}
	}
	for i := range 10 {
		ask(fmt.Sprint("step region=begin id=", i))
		if n := r.fake.samples(); n != 2*i+2 { // one is from before
			t.Errorf("%d samples were taken, want %d", n, 2*i+2)
		}
		ask(fmt.Sprint("step region=end id=", i))
	}
	if records := r.end(); len(records) != 10 {
		t.Errorf("%d records", len(records))
	}
}

// A reader that never returns does not hold up the end.
func TestLinesBlocked(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("*")},
		Events:   []experiment.EventSource{experiment.Lines{Name: "pipe", Reader: in}},
	})
	r.end()
}

// FuzzLines: no line makes the reader fail or panic, and what is taken and what is refused is as
// many lines as there are.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a b=1\n{\"name\":\"x\",\"attrs\":{\"k\":[1,2]}}\nr region=begin id=1\nr region=end id=1"))
	f.Add([]byte("\"\\x41\" c=\"d\\n\"\n{\"name\":\"\\u0000\"}\n\n\xff\n{}"))
	f.Fuzz(func(t *testing.T, input []byte) {
		var acks strings.Builder
		r := begin(t, newFake(nil), experiment.Options{
			Bindings: []experiment.Binding{numbered("never", experiment.DropOldest, 10)},
			Events:   []experiment.EventSource{experiment.Lines{Name: "f", Reader: strings.NewReader(string(input)), Ack: &acks, Max: 100}},
		})
		for r.Status().Events[0].Running {
			time.Sleep(0) // it ends with its input
		}
		want := 0
		for _, line := range strings.Split(string(input), "\n") {
			if len(strings.TrimSpace(line)) > 0 || len(line) >= 100 {
				want++
			}
		}
		if got := strings.Count(acks.String(), "\n"); got != want {
			t.Errorf("%d answers to %d lines", got, want)
		}
		if err := r.Status().Events[0].Err; err != nil {
			t.Error(err)
		}
	})
}

// Several programs write lines at once; what one left open ends with its connection.
func TestLineServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	r := begin(t, newFake(nil), experiment.Options{
		Bindings: []experiment.Binding{bound("*")},
		Events:   []experiment.EventSource{experiment.LineServer{Name: "server", Listener: listener, Connections: 2}},
	})
	connect := func() (net.Conn, func(line string) string) {
		c, err := net.Dial("tcp", listener.Addr().String())
		must(t, err)
		answers := bufio.NewReader(c)
		return c, func(line string) string {
			fmt.Fprintln(c, line)
			answer, _ := answers.ReadString('\n')
			return answer
		}
	}

	one, first := connect()
	two, second := connect()
	defer two.Close()
	if a, b := first("load region=begin id=1"), second("load region=begin id=1"); a != "ok\n" || b != "ok\n" {
		t.Errorf("answers %q, %q", a, b)
	}
	three, third := connect()
	defer three.Close()
	if answer := third("x"); answer != "error too many connections\n" && answer != "" {
		t.Errorf("answer %q", answer)
	}
	must(t, one.Close())
	for {
		records, err := r.Next(t.Context(), 1)
		must(t, err)
		if records[0].Kind == experiment.Span {
			if diff := cmp.Diff([]string{"lines load unended=true"}, names(records, "unended")); diff != "" {
				t.Error(diff)
			}
			break
		}
	}
	if answer := second("load region=end id=1"); answer != "ok\n" {
		t.Errorf("answer %q", answer)
	}
	if diff := cmp.Diff([]string{"lines load"}, names(r.end(), "unended")); diff != "" {
		t.Error(diff)
	}
}
