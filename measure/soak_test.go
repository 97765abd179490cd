package measure_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
)

// soakDuration is what WINPERF_SOAK says; else 10 s on the build server and one
// elsewhere.
func soakDuration(t *testing.T) time.Duration {
	if text := os.Getenv("WINPERF_SOAK"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("WINPERF_SOAK: %v", err)
		}
		return d
	}
	switch {
	case testing.Short():
		t.Skip("it lasts too long for -short")
	case os.Getenv("CI") != "":
		return 10 * time.Second
	}
	return time.Second
}

// world is a source of processes that come and go with every sample. Few names
// and ids serve many: only the start tells who is who. The speed of each follows
// from its identity, so that a reading tells whose it is.
type world struct {
	*scripted
	mu   sync.Mutex
	rand *rand.Rand
	now  int64
	all  []life
}

func newWorld() *world {
	w := &world{scripted: counting(), rand: rand.New(rand.NewPCG(1, 2))}
	for range 30 {
		w.birth()
	}
	return w
}

func (w *world) Compile(context.Context, winperf.Selection) (winperf.Query, error) {
	q := &worldQuery{world: w}
	q.now = processes(0)
	clocks := func() counter.Clocks {
		return counter.Clocks{PerfTime: q.now.at, PerfFreq: 1, Time100ns: epoch + q.now.at*second}
	}
	var err error
	q.dispatcher, err = provider.NewDispatcher(provider.Options{Machine: "HOST", Clocks: clocks}, writer{&q.now})
	return q, err
}

func (w *world) birth() {
	l := life{name: string(rune('a' + w.rand.IntN(4))), pid: 4 * uint64(1+w.rand.IntN(60)), start: uint64(w.now + 1)}
	for _, other := range w.all {
		if other.pid == l.pid {
			return // taken
		}
	}
	l.speed = speedOf(l.pid, l.start)
	at := w.rand.IntN(len(w.all) + 1)
	w.all = append(w.all[:at], append([]life{l}, w.all[at:]...)...)
}

func (w *world) death() {
	if len(w.all) > 10 {
		at := w.rand.IntN(len(w.all))
		w.all = append(w.all[:at], w.all[at+1:]...)
	}
}

func speedOf(pid, start uint64) uint64 { return 1 + (pid*2654435761+start*40503)%97 }

// sample moves the world on by a second and describes it.
func (w *world) sample() sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now++
	for range w.rand.IntN(3) {
		w.birth()
	}
	for range w.rand.IntN(3) {
		w.death()
	}
	s := processes(w.now)
	for _, l := range w.all {
		age := uint64(w.now) - l.start + 1
		s.objects[0].instances = append(s.objects[0].instances, instance{
			name: l.name, raw: []uint64{l.speed * age * second / 100, l.pid, epoch + l.start*second},
		})
	}
	return s
}

type worldQuery struct {
	*world
	now        sample
	dispatcher *provider.Dispatcher
}

func (q *worldQuery) Close() error { return q.dispatcher.Close() }

func (q *worldQuery) Next(ctx context.Context, s *winperf.Sample) error {
	q.now = q.sample()
	return perftest.Fill(s, func(raw *winperf.Raw) (err error) {
		raw.Format, raw.Schema = winperf.FormatV1, q.schema
		raw.Bytes, err = q.dispatcher.Collect(ctx, &provider.Query{Global: true}, raw.Bytes[:0])
		return err
	})
}

// TestSoakContexts lets a hundred contexts measure one source whose processes
// come and go. No reading may be of
// another process than its series, and neither goroutines nor memory may grow.
func TestSoakContexts(t *testing.T) {
	const contexts = 100
	ctx, cancel := context.WithTimeout(t.Context(), soakDuration(t))
	defer cancel()
	goroutines := runtime.NumGoroutine()
	src := newWorld()
	var wg sync.WaitGroup
	stats := make([]soakStats, contexts)
	for n := range contexts {
		opt := measure.Options{}
		if n%2 == 1 {
			opt.Names = []measure.NameRule{measure.ByNameAndPID()}
		}
		c := measure.New(src, selection(t, `\Process(*)\ID Process`, `\Process(*)\% Processor Time`, `\Process(*)\Elapsed Time`), opt)
		wg.Go(func() { soak(ctx, t, c, &stats[n]) })
	}
	duration := soakDuration(t)
	first := soakHeap(ctx, duration*3/4)
	last := soakHeap(ctx, duration/10)
	wg.Wait()
	var sum soakStats
	for i := range stats {
		sum.add(&stats[i])
	}
	t.Logf("%d cycles, %d rates, %d instances that came, %d that left; %d to %d KiB of heap",
		sum.cycles, sum.rates, sum.came, sum.left, first>>10, last>>10)
	if sum.rates == 0 || sum.came == 0 || sum.left == 0 {
		t.Error("there was nothing to be measured")
	}
	if last > 2*first+16<<20 {
		t.Errorf("the heap grew from %d to %d KiB", first>>10, last>>10)
	}
	noMoreGoroutines(t, goroutines)
}

// noMoreGoroutines waits for those that were told to end to do so.
func noMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(ms) {
		if time.Now().After(deadline) {
			t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			return
		}
	}
}

// soakHeap is the heap in use when so much of the time is left.
func soakHeap(ctx context.Context, left time.Duration) uint64 {
	deadline, _ := ctx.Deadline()
	select {
	case <-time.After(time.Until(deadline) - left):
	case <-ctx.Done():
	}
	return heap()
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

type soakStats struct {
	cycles, rates, came, left int
	last                      time.Time         // of the readings before
	keys                      map[string]string // of the readings before, by path
}

func (s *soakStats) add(o *soakStats) {
	s.cycles, s.rates, s.came, s.left = s.cycles+o.cycles, s.rates+o.rates, s.came+o.came, s.left+o.left
}

// soak measures until the context ends.
func soak(ctx context.Context, t *testing.T, c *measure.Measurement, stats *soakStats) {
	defer c.Close()
	pids := map[*winperf.Series]uint64{}
	for ctx.Err() == nil {
		cy, err := c.Cycle(t.Context()) // a deadline would cut the last sample short
		if err != nil {
			t.Error(err)
			return
		}
		stats.cycles++
		for _, a := range cy.Anomalies {
			switch a.Kind {
			case winperf.InstancesAdded:
				stats.came += len(a.Instances)
			case winperf.InstancesRemoved:
				stats.left += len(a.Instances)
			case winperf.InstanceBegan, winperf.InstancesRenamed, winperf.BufferGrew, winperf.SourceSlow:
			default:
				t.Errorf("cycle %d: %v", stats.cycles, a)
			}
		}
		readings := cy.Readings()
		pids = checkWorld(t, readings, pids, stats)
		checkSwitches(t, readings, stats)
		stats.last = cy.Time
		time.Sleep(ms)
	}
}

// checkWorld checks that each rate is that of the process whose id and age are
// beside it, and that no series has changed its process.
func checkWorld(t *testing.T, readings []winperf.Reading, pids map[*winperf.Series]uint64, stats *soakStats) map[*winperf.Series]uint64 {
	n := len(readings) / 3
	now := make(map[*winperf.Series]uint64, n)
	for i := range n {
		pid, _ := readings[i].Value.Uint64()
		age, _ := readings[2*n+i].Value.Float64()
		start := uint64(readings[i].Time.Sub(winperf.FromFiletime(epoch))/time.Second) - uint64(age)
		if was, known := pids[readings[i].Series]; known && was != pid {
			t.Errorf("%s was process %d and is %d", readings[i], was, pid)
		}
		now[readings[i].Series] = pid
		rate := readings[n+i]
		v, _ := rate.Value.Float64()
		want := float64(speedOf(pid, start))
		if rate.Anomalies.Has(winperf.InstanceBegan) { // what it used so far, over the whole time between the samples
			_, text, _ := strings.Cut(rate.Key, "@")
			ticks, _ := strconv.ParseUint(text, 10, 64)
			began := (ticks - epoch) / second // may be just after the sample, where the age is 0
			lived := uint64(rate.Time.Sub(winperf.FromFiletime(epoch))/time.Second) - began + 1
			want = float64(speedOf(pid, began)*lived) / rate.Time.Sub(stats.last).Seconds()
		}
		switch {
		case rate.Path.Instance != readings[i].Path.Instance || rate.Path.Index != readings[i].Path.Index || rate.Key != readings[i].Key:
			t.Errorf("%s stands beside %s", rate, readings[i])
		case rate.Status == counter.NoPrevious:
		case rate.Status != counter.OK || math.Abs(v-want) > 1e-9*want:
			t.Errorf("%s of process %d since %d is %v (%v), want %v", rate, pid, start, v, rate.Status, want)
		default:
			stats.rates++
		}
	}
	return now
}

// checkSwitches checks that a value is marked exactly if its path was not that of the same process before.
func checkSwitches(t *testing.T, readings []winperf.Reading, stats *soakStats) {
	const marks = 1<<winperf.InstancesAdded | 1<<winperf.InstancesRenamed
	before := stats.keys
	stats.keys = make(map[string]string, len(readings))
	for _, r := range readings {
		path := r.Path.String()
		stats.keys[path] = r.Key
		if marked := r.Anomalies&marks != 0; before != nil && marked != (before[path] != r.Key) {
			t.Errorf("%s was process %s and is %s, marked %v", path, before[path], r.Key, r.Anomalies)
		}
	}
}
