package local

import (
	"context"
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
// for as long as WINPERF_SOAK says. A series must never show the id of another
// process, and neither descriptors nor memory may grow.
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
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	go bear(ctx, 50)
	paths := make([]winperf.Path, 2)
	for i, s := range []string{`\Process(*)\ID Process`, `\Process(*)\*`} {
		if paths[i], err = winperf.ParsePath(s); err != nil {
			t.Fatal(err)
		}
	}
	c := churn{t: t, ids: map[*winperf.Series]uint64{}, next: map[*winperf.Series]uint64{}}
	for cycle, err := range measure.Watch(ctx, src, winperf.Selection{Paths: paths}, measure.Options{Interval: 100 * time.Millisecond}) {
		if err != nil {
			t.Fatal(err)
		}
		c.check(cycle.Readings[:cycle.Parts[0]])
	}
	t.Logf("%d cycles, %d series that began meanwhile; %d to %d descriptors, %d to %d KiB of heap",
		c.cycles, c.born, c.leastFiles, c.mostFiles, c.leastHeap>>10, c.mostHeap>>10)
	if c.cycles == 0 || c.born == 0 {
		t.Error("no process was born and seen")
	}
	if c.mostFiles > 2*c.leastFiles+200 || c.mostHeap > 2*c.leastHeap+16<<20 {
		t.Error("descriptors or memory grew")
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
	t                     *testing.T
	ids, next             map[*winperf.Series]uint64
	cycles, born          int
	leastFiles, mostFiles int
	leastHeap, mostHeap   uint64
}

func (c *churn) check(readings []winperf.Reading) {
	c.cycles++
	clear(c.next)
	for _, r := range readings {
		id, ok := r.Value.Uint64()
		if r.Status != counter.OK || !ok {
			c.t.Errorf("%s: %v", r.Series, r.Status)
			continue
		}
		was, known := c.ids[r.Series]
		if known && was != id {
			c.t.Errorf("%s was process %d and is process %d", r.Series, was, id)
		}
		if !known && c.cycles > 1 {
			c.born++
		}
		c.next[r.Series] = id
	}
	c.ids, c.next = c.next, c.ids
	if c.cycles%50 == 0 {
		c.level()
	}
}

// level notes how many descriptors and how much memory there are.
func (c *churn) level() {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		c.t.Fatal(err)
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if c.leastFiles == 0 {
		c.leastFiles, c.leastHeap = len(files), m.HeapAlloc
	}
	c.leastFiles, c.mostFiles = min(c.leastFiles, len(files)), max(c.mostFiles, len(files))
	c.leastHeap, c.mostHeap = min(c.leastHeap, m.HeapAlloc), max(c.mostHeap, m.HeapAlloc)
}
