package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/measure"
)

// TestSoakChurn watches all processes while fifty are born and end each second,
// for as long as WINPERF_SOAK says. A series must never show another process than
// before, and neither descriptors nor memory may grow.
func TestSoakChurn(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	src, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end := time.Now().Add(duration) // no deadline: the last sample has as much time as the others
	go bear(ctx, 50)
	paths := parse(t, `\Process(*)\ID Process`, `\Process(*)\Elapsed Time`, `\Process(*)\% Processor Time`, `\Process(*)\*`, `\Thread(*)\% Processor Time`)
	c := churn{t: t, last: map[*winperf.Series]float64{}, next: map[*winperf.Series]float64{}}
	for cycle, err := range measure.Watch(ctx, src, winperf.Selection{Paths: paths}, measure.Options{Interval: 100 * time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		if c.check(cycle); time.Now().After(end) {
			break
		}
	}
	c.report()
	if failures, _ := src.Describe().Anomalies(nil, 0); len(failures) > 0 {
		t.Errorf("the provider failed: %+v", failures)
	}
}

// bear starts so many processes a second, each of which lives for some
// samples.
func bear(ctx context.Context, perSecond int) {
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			life := []string{"0.05", "0.2", "0.5", "1"}[i%4]
			cmd := exec.CommandContext(ctx, "sleep", life)
			if cmd.Start() == nil {
				go func() { _ = cmd.Wait() }() // ended or killed, as it should be
			}
		}
	}
}

// churn keeps what each series showed in the cycle before.
type churn struct {
	t                    *testing.T
	last, next           map[*winperf.Series]float64
	cycles, born, missed int
	levels               []level
}

// level is what the program holds at a moment.
type level struct {
	processes, descriptors int
	heap, resident         uint64 // bytes
}

// check looks at the readings of the first three paths: of a process the id
// stays, the time since its start grows, and there is a processor time in each
// cycle but its first.
func (c *churn) check(cycle *measure.Cycle) {
	c.cycles++
	c.missed += cycle.Missed
	clear(c.next)
	ids, elapsed, busy := cycle.Readings()[:cycle.Parts[0]], cycle.Readings()[cycle.Parts[0]:cycle.Parts[1]], cycle.Readings()[cycle.Parts[1]:cycle.Parts[2]]
	if len(ids) == 0 || len(elapsed) != len(ids) || len(busy) != len(ids) {
		c.t.Fatalf("%d ids, %d times since the start, %d processor times", len(ids), len(elapsed), len(busy))
	}
	for i, r := range ids {
		was, known := c.last[r.Series]
		id := c.value(r)
		if known && was != id {
			c.t.Errorf("%s was process %v and is process %v", r.Series, was, id)
		}
		if !known && c.cycles > 1 {
			c.born++
		}
		if known && busy[i].Status != counter.OK {
			c.t.Errorf("%s: %v", busy[i].Series, busy[i].Status)
		}
	}
	for _, r := range elapsed {
		if was, n := c.last[r.Series], c.value(r); n < was {
			c.t.Errorf("%s was %v and is %v", r.Series, was, n)
		}
	}
	c.last, c.next = c.next, c.last
	if c.cycles%50 == 0 {
		c.levels = append(c.levels, c.level(len(ids)))
	}
}

// value returns the value of a reading, and keeps it for the next cycle.
func (c *churn) value(r winperf.Reading) float64 {
	n, ok := r.Value.Float64()
	if r.Status != counter.OK || !ok {
		c.t.Errorf("%s: %v", r.Series, r.Status)
	}
	c.next[r.Series] = n
	return n
}

func (c *churn) level(processes int) level {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		c.t.Fatal(err)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	l := level{processes: processes, descriptors: len(files), heap: m.HeapAlloc}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		c.t.Fatal(err)
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		c.t.Fatal(err)
	}
	l.resident = pages * uint64(os.Getpagesize())
	return l
}

// report compares the levels of the first and the last third. How many processes
// there are at a moment is the machine's affair: half as much again is no growth.
func (c *churn) report() {
	if c.cycles == 0 || c.born == 0 {
		c.t.Error("no process was born and seen")
	}
	if len(c.levels) < 3 {
		c.t.Logf("%d cycles, too few to compare levels", c.cycles)
		return
	}
	third := len(c.levels) / 3
	first, last := highest(c.levels[:third]), highest(c.levels[len(c.levels)-third:])
	c.t.Logf("%d cycles, %d missed, %d series that began meanwhile; most processes %d, then %d; descriptors %d, then %d; heap %d KiB, then %d; resident %d KiB, then %d",
		c.cycles, c.missed, c.born, first.processes, last.processes, first.descriptors, last.descriptors,
		first.heap>>10, last.heap>>10, first.resident>>10, last.resident>>10)
	if last.descriptors > first.descriptors*3/2+100 || last.heap > first.heap*3/2+1<<20 || last.resident > first.resident*3/2+4<<20 {
		c.t.Error("descriptors or memory grew")
	}
}

// highest returns the most of each.
func highest(levels []level) (most level) {
	for _, l := range levels {
		most.processes, most.descriptors = max(most.processes, l.processes), max(most.descriptors, l.descriptors)
		most.heap, most.resident = max(most.heap, l.heap), max(most.resident, l.resident)
	}
	return most
}
