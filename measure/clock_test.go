package measure_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// fakeMachine is a machine whose clocks a test moves: its measure.Clock, and the
// source of samples of what it did. One processor of it is busy for 30 % of the
// time that it runs, and switches 100 times a second.
type fakeMachine struct {
	mu      sync.Mutex
	wall    time.Time     // of day
	boot    time.Duration // since it was started
	running time.Duration // of that: not suspended
	stands  bool          // Elapsed stands still while the machine is suspended
	quirks  winperf.Quirks

	sleeps  []time.Duration
	onSleep func(n int, d time.Duration) // instead of what happens in the n-th sleep
	taken   []time.Duration              // when samples were taken, by boot
	onTake  func(n int)                  // while the n-th sample is taken, behind its clocks
}

func newFakeMachine() *fakeMachine {
	return &fakeMachine{
		wall: winperf.FromFiletime(epoch), boot: time.Hour, running: time.Hour, quirks: winperf.ClocksTogether,
	}
}

func (m *fakeMachine) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.wall
}

func (m *fakeMachine) Elapsed() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stands {
		return m.running
	}
	return m.boot
}

// run lets time pass.
func (m *fakeMachine) run(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall, m.boot, m.running = m.wall.Add(d), m.boot+d, m.running+d
}

// suspend lets time pass while the machine does nothing.
func (m *fakeMachine) suspend(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall, m.boot = m.wall.Add(d), m.boot+d
}

// set sets the time of day.
func (m *fakeMachine) set(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wall = m.wall.Add(by)
}

// Timer waits in no time.
func (m *fakeMachine) Timer(d time.Duration) (fired <-chan time.Time, stop func() bool) {
	m.sleeps = append(m.sleeps, d)
	if m.onSleep != nil {
		m.onSleep(len(m.sleeps)-1, d)
	} else {
		m.run(d)
	}
	c := make(chan time.Time, 1)
	c <- m.Now()
	return c, func() bool { return false }
}

// source is the source of the machine's samples.
func (m *fakeMachine) source() *scripted {
	return &scripted{schema: englishSchema, script: func(n int) sample {
		s := m.sample()
		if m.onTake != nil {
			m.onTake(n)
		}
		return s
	}}
}

// sample is what is to be seen of the machine now.
func (m *fakeMachine) sample() sample {
	m.mu.Lock()
	defer m.mu.Unlock()
	boot := int64(m.boot / 100)
	m.taken = append(m.taken, m.boot)
	clocks := counter.Clocks{PerfTime: boot, PerfFreq: second, Time100ns: winperf.ToFiletime(m.wall)}
	return sample{quirks: m.quirks, clocks: &clocks, objects: []object{
		{Object: system, instances: []instance{{raw: []uint64{7, uint64(m.running / (10 * ms))}}}},
		{Object: processor, instances: []instance{{name: "0", raw: []uint64{uint64(m.running) * 3 / 1000}}}},
	}}
}

const busy = `\Processor(*)\% Processor Time`

// watch measures both rates for some cycles and returns their times,
// values and anomalies.
func (m *fakeMachine) watch(t *testing.T, opt measure.Options, each func(n int, c *measure.Cycle)) (text []string) {
	t.Helper()
	opt.Clock = m
	begin := m.wall
	n := 0
	for c, err := range measure.Watch(t.Context(), m.source(), selection(t, busy, switches), opt) {
		if err != nil {
			t.Fatal(err)
		}
		line := c.Time.Sub(begin).String()
		for _, r := range c.Readings() {
			line += " " + fmt.Sprintf("%v %v", r.Status, r.Value)
			if r.Anomalies != 0 {
				line += "!"
			}
		}
		for _, a := range c.Anomalies {
			line += fmt.Sprintf(" %v: %s", a.Kind, a.Detail)
		}
		text = append(text, line)
		if each != nil {
			each(n, c)
		}
		n++
	}
	return text
}

// However late a machine wakes up, how long its samples last and how long they
// are handled: no two samples are closer than half an interval, every tick is a
// sample or is told as missed, nobody sleeps for longer than that takes, and the
// rates are what they are.
func TestWatchLate(t *testing.T) {
	const interval, cycles = 200 * ms, 2000
	late := []float64{0, 0, 0, 0, 0, 0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9, 0.95, 1, 1.05, 1.5, 2, 3.7, 15, 100}
	r := rand.New(rand.NewPCG(1, 2))
	after := func() time.Duration { return time.Duration(late[r.IntN(len(late))] * float64(interval)) }
	m := newFakeMachine()
	m.onSleep = func(_ int, d time.Duration) { m.run(d + after()) }
	m.onTake = func(int) { m.run((after() / 8).Truncate(10 * ms)) }
	missed := 0
	m.watch(t, measure.Options{Interval: interval, Count: cycles}, func(n int, c *measure.Cycle) {
		missed += c.Missed
		for i, want := range []float64{30, 100} {
			r := &c.Readings()[i]
			if got, _ := r.Value.Float64(); r.Status != counter.OK || math.Abs(got-want) > 1e-6 {
				t.Fatalf("cycle %d: %v %v, want %v", n, r.Status, r.Value, want)
			}
		}
		m.run(after())
	})
	for i := range m.taken[1:] {
		if d := m.taken[i+1] - m.taken[i]; d < interval/2 {
			t.Fatalf("samples %d and %d are %v apart", i, i+1, d)
		}
	}
	for i, d := range m.sleeps {
		if d > interval*3/2 {
			t.Fatalf("sleep %d of %v", i, d)
		}
	}
	// The last sample was taken at its tick or less than an interval later.
	ticks := int((m.taken[len(m.taken)-1] - m.taken[0]) / interval)
	if sum := len(m.taken) - 1 + missed; sum != ticks {
		t.Errorf("%d samples and %d missed are %d ticks, want %d", len(m.taken)-1, missed, sum, ticks)
	}
}

// What late wake-ups tell.
func TestWatchLateTells(t *testing.T) {
	m := newFakeMachine()
	m.onSleep = func(n int, d time.Duration) { m.run(d + [...]time.Duration{0, 300 * ms, 3800 * ms, 0, 0}[n]) }
	want := []string{
		"1s ok 30 ok 100",
		"2.3s ok 30! ok 100! sample_late: taken 300ms after it was due",
		"6.8s ok 30! ok 100! sample_missed: 3 samples were due and not taken",
		"8s ok 30! ok 100! sample_missed: 1 samples were due and not taken",
		"9s ok 30 ok 100",
	}
	got := m.watch(t, measure.Options{Count: 5}, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cycles (-want +got):\n%s", diff)
	}
}

// A machine that was suspended goes on where it was, whether or not the clock
// that is slept by stood still; nothing comes in a burst.
func TestWatchSuspended(t *testing.T) {
	for _, stands := range []bool{true, false} {
		m := newFakeMachine()
		m.stands = stands
		m.onSleep = func(n int, d time.Duration) {
			if n == 1 {
				m.run(d / 2)
				m.suspend(8 * time.Hour)
				d /= 2
			}
			m.run(d)
		}
		mark, told := "", ""
		if !stands {
			mark, told = "!", " sample_missed: 28800 samples were due and not taken"
		}
		const all = 8*3600 + 1 // seconds, of which the machine ran for one
		want := []string{
			"1s ok 30 ok 100",
			fmt.Sprintf("8h0m2s ok %v%s ok %v%s%s", 100*0.3/all, mark, 100.0/all, mark, told),
			"8h0m3s ok 30 ok 100", "8h0m4s ok 30 ok 100",
		}
		got := m.watch(t, measure.Options{Count: 4}, nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the clock stands still %v (-want +got):\n%s", stands, diff)
		}
	}
}

// Whoever sets the time of day moves the times of the readings and nothing else.
func TestWatchTimeOfDaySet(t *testing.T) {
	tests := []struct {
		by   time.Duration
		want string // the second cycle
	}{
		{-5 * time.Hour, "-4h59m58s ok 30! ok 100! clock_back: the system time went back by 4h59m59s"},
		{-3 * time.Second, "-1s ok 30! ok 100! clock_back: the system time went back by 2s"},
		{-time.Second, "1s ok 30! ok 100! clock_set: the system time was set by -1s"},
		{-500 * ms, "1.5s ok 30! ok 100! clock_set: the system time was set by -500ms"},
		{-200 * ms, "1.8s ok 30! ok 100! clock_set: the system time was set by -200ms"},
		{-10 * ms, "1.99s ok 30.303030303030305 ok 100"}, // the clocks agree well enough
		{10 * ms, "2.01s ok 29.702970297029704 ok 100"},
		{200 * ms, "2.2s ok 30! ok 100! clock_set: the system time was set by 200ms"},
		{3 * time.Second, "5s ok 30! ok 100! clock_set: the system time was set by 3s"},
		{5 * time.Hour, "5h0m2s ok 30! ok 100! clock_set: the system time was set by 5h0m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.by.String(), func(t *testing.T) {
			m := newFakeMachine()
			m.onSleep = func(n int, d time.Duration) {
				if m.run(d); n == 1 {
					m.set(tt.by)
				}
			}
			got := m.watch(t, measure.Options{Count: 3}, nil)
			want := []string{"1s ok 30 ok 100", tt.want, (3*time.Second + tt.by).String() + " ok 30 ok 100"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("cycles (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]time.Duration{time.Second, time.Second, time.Second}, m.sleeps); diff != "" {
				t.Errorf("sleeps (-want +got):\n%s", diff)
			}
		})
	}
}

// A source that does not say that its clocks tell a system time that was set has
// its counters divided by it as it is, as Windows does.
func TestWatchTimeOfDaySetOnWindows(t *testing.T) {
	for by, want := range map[time.Duration]string{
		-500 * ms:        "1.5s ok 60 ok 100",
		time.Second:      "3s ok 15 ok 100",
		-3 * time.Second: "-1s negative_denominator ! ok 100! clock_back: the system time went back by 2s",
	} {
		m := newFakeMachine()
		m.quirks = 0
		m.onSleep = func(n int, d time.Duration) {
			if m.run(d); n == 1 {
				m.set(by)
			}
		}
		if got := m.watch(t, measure.Options{Count: 3}, nil); len(got) != 3 || got[1] != want {
			t.Errorf("set by %v: cycles %q, want the second to be %q", by, got, want)
		}
	}
}

// Costly objects are not sampled twice in a row when a cycle comes late: here the
// machine stands still between a sample and the costly one behind it.
func TestCostlyApartLate(t *testing.T) {
	m := newFakeMachine()
	costly := m.source()
	main := counting()
	src := &split{scripted: main, costly: costly}
	synctest.Test(t, func(t *testing.T) {
		c := measure.New(src, selection(t, `\System\Processes`, threadSwitches), measure.Options{Clock: m})
		for _, pause := range []time.Duration{time.Second, 400 * ms, 100 * ms, 5 * time.Second, 1 * ms, 498 * ms, 1 * ms, time.Second} {
			cycle(t, c)
			synctest.Wait() // the costly sample is there
			m.run(pause)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	for i := range m.taken[1:] {
		if d := m.taken[i+1] - m.taken[i]; d < 500*ms {
			t.Errorf("costly samples %d and %d are %v apart", i, i+1, d)
		}
	}
	if len(m.taken) < 4 {
		t.Errorf("%d costly samples", len(m.taken))
	}
}

// A record that is played at a pace of its own does not hurry after a delay.
func TestSpeedLate(t *testing.T) {
	m := newFakeMachine()
	src := recording{&scripted{schema: englishSchema, script: func(n int) sample {
		s := count(n)
		if n == 8 {
			s.err = io.EOF
		}
		return s
	}}, 8}
	begin := m.Elapsed()
	pauses := []time.Duration{0, 30 * ms, 0, 950 * ms, 0, 160 * ms, 0, 0} // the last one is 60 ms late, of 100
	var got []string
	for _, err := range measure.Watch(t.Context(), src, selection(t, switches), measure.Options{Speed: 10, Clock: m, KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, (m.Elapsed() - begin).String())
		m.run(pauses[len(got)-1])
	}
	want := []string{"0s", "100ms", "200ms", "300ms", "1.25s", "1.35s", "1.51s", "1.61s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
}
