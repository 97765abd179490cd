package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/cache"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/source/internal/linuxhost"
)

// The crowd is a machine of processes that are named after their ids: w4711.
// Every value of theirs follows from the id, so that it tells whose it is.
type crowd struct {
	t      testing.TB
	dir    string // holds proc
	prefix string // of the names, before the id
	next   atomic.Int64
}

const (
	firstPID = 10_000
	page     = 4096
)

// newCrowd makes a machine with n processes.
func newCrowd(t testing.TB, n int) *crowd {
	t.Helper()
	c := &crowd{t: t, dir: t.TempDir(), prefix: "w"}
	c.next.Store(firstPID)
	for name, text := range map[string]string{
		"stat":      "cpu  1 0 1 100 0 0 0 0 0 0\ncpu0 1 0 1 100 0 0 0 0 0 0\nintr 5\nctxt 7\nbtime 1700000000\nprocesses 3\nprocs_running 1\nprocs_blocked 0\n",
		"loadavg":   "0.00 0.00 0.00 1/3000 9999\n",
		"self/stat": "10000 (w10000) S 0\n", // tells which process to look at
	} {
		c.write(filepath.Join("proc", name), text)
	}
	for range n {
		c.begin()
	}
	return c
}

func (c *crowd) write(name, text string) {
	path := filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		c.t.Error(err)
	}
}

// begin adds a process and returns its id. It appears at once, with all its
// files.
func (c *crowd) begin() int {
	pid := int(c.next.Add(1)) - 1
	made := fmt.Sprintf("new/%d", pid)
	stat := fmt.Sprintf("(w%d) S 1 1 1 0 -1 4194560 %[1]d 0 %[1]d 0 %[1]d %[1]d 0 0 20 0 1 0 %[1]d %d %[1]d", pid, pid*page)
	stat += strings.Repeat(" 0", 28) + "\n"
	c.write(made+"/stat", fmt.Sprintf("%d %s", pid, stat))
	c.write(made+"/statm", fmt.Sprintf("%d %d 0 0 0 0 0\n", pid, pid))
	c.write(made+"/status", fmt.Sprintf("VmPeak: %d kB\nVmHWM: %[1]d kB\nRssAnon: %[1]d kB\nVmPTE: %[1]d kB\nVmSwap: 0 kB\n", pid))
	c.write(made+"/io", fmt.Sprintf("rchar: %d\nwchar: %[1]d\nsyscr: %[1]d\nsyscw: %[1]d\nread_bytes: %[1]d\nwrite_bytes: %[1]d\ncancelled_write_bytes: 0\n", pid))
	c.write(made+"/smaps_rollup", fmt.Sprintf("0-1 ---p 0 00:00 0 [rollup]\nPss: %d kB\nPrivate_Dirty: %[1]d kB\nSwap: %[1]d kB\n", pid))
	c.write(made+"/fd", "")
	c.write(fmt.Sprintf("%s/task/%d/stat", made, pid), fmt.Sprintf("%d %s", pid, stat))
	if err := errors.Join(
		os.Truncate(filepath.Join(c.dir, made, "fd"), int64(pid)), // what counts is the size
		os.Rename(filepath.Join(c.dir, made), filepath.Join(c.dir, "proc", strconv.Itoa(pid))),
	); err != nil {
		c.t.Error(err)
	}
	return pid
}

// end takes a process away.
func (c *crowd) end(pid int) {
	gone := filepath.Join(c.dir, fmt.Sprintf("gone%d", pid))
	if err := os.Rename(filepath.Join(c.dir, "proc", strconv.Itoa(pid)), gone); err != nil {
		c.t.Error(err)
	}
	if err := os.RemoveAll(gone); err != nil {
		c.t.Error(err)
	}
}

// churn ends processes and begins others until the context ends.
func (c *crowd) churn(ctx context.Context) {
	var born []int
	for ctx.Err() == nil {
		born = append(born, c.begin())
		if len(born) > 20 {
			c.end(born[0])
			born = born[1:]
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// open returns a source of the machine.
func (c *crowd) open() *source {
	c.t.Helper()
	p, err := linuxhost.New(linuxhost.Options{Files: winperf.HostFiles{Root: c.dir}})
	if err != nil {
		c.t.Fatal(err)
	}
	src, err := newSource(host{machine: "CROWD", provider: p, dispatch: provider.Options{
		Clocks: linuxhost.Clocks,
		// A machine that is busy is no failure: no test looks at the time.
		OpenTimeout: time.Hour, CollectTimeout: time.Hour,
	}}, Options{OnProblem: func(p provider.Problem) {
		if !errors.Is(p.Err, provider.ErrBusy) { // of a call that was given up, on a machine that is busy
			c.t.Errorf("problem: %+v", p)
		}
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	return src
}

// close closes a source, of which a call that was given up may be under way.
func (c *crowd) close(src winperf.Source) {
	if err := src.Close(); err != nil && !errors.Is(err, provider.ErrBusy) {
		c.t.Error(err)
	}
}

// owned says what the value of a counter, by its title index, is of a process.
// Rates are 0, since no count ever moves: one of another's would show.
var owned = map[uint32]func(pid float64) float64{
	6: zero, 142: zero, 144: zero, 28: zero, 1412: zero, 1414: zero, 1416: zero, 1420: zero, 1422: zero, 1424: zero, 220: zero, 222: zero,
	784:  func(pid float64) float64 { return pid },
	952:  func(pid float64) float64 { return pid },
	180:  func(pid float64) float64 { return pid * page },
	1478: func(pid float64) float64 { return pid * page },
	174:  func(pid float64) float64 { return pid * page },
	172:  kilobytes, 178: kilobytes, 186: kilobytes,
	680: func(float64) float64 { return 1 },
}

// ownedDetail are those of counters that have no index on Windows, by name.
var ownedDetail = map[string]func(pid float64) float64{
	"Proportional Set Bytes": kilobytes, "Private Dirty Bytes": kilobytes, "Swap Bytes": kilobytes,
}

func zero(float64) float64          { return 0 }
func kilobytes(pid float64) float64 { return pid * 1024 }

// check compares each value with the process that it is shown under, and returns
// how many it compared.
func (c *crowd) check(readings []winperf.Reading) (checked int) {
	for i := range readings {
		r := &readings[i]
		process, _, _ := strings.Cut(r.Path.Instance, "/") // of a thread
		name, isWorker := strings.CutPrefix(process, c.prefix)
		if !isWorker || r.Status != counter.OK {
			continue
		}
		pid, err := strconv.ParseFloat(name, 64)
		want := owned[r.CounterID.Index]
		if r.Path.Object == "Process Memory Details" && want == nil {
			want = ownedDetail[r.Path.Counter]
		}
		if err != nil || want == nil {
			continue
		}
		checked++
		if n, _ := r.Value.Float64(); n != want(pid) {
			c.t.Errorf("%s = %v, which is not that process's: want %v", r.Series, n, want(pid))
			if c.t.Failed() && checked > 1000 {
				return checked
			}
		}
	}
	return checked
}

// ownerSelections are what contexts of the test measure: costly objects, others,
// both at once, and few counters as well as many.
var ownerSelections = [][]string{
	{`\Process(*)\ID Process`, `\Process(*)\Working Set`, `\Process(*)\Handle Count`, `\Process(*)\IO Read Bytes/sec`, `\Process Memory Details(*)\*`},
	{`\Process Memory Details(*)\*`},
	{`\Process(*)\*`},
	{`\Process(*)\Handle Count`, `\Process(*)\Virtual Bytes Peak`},
	{`\Thread(*)\ID Process`, `\System\Processes`},
}

// TestValuesKeepTheirOwner measures 3,000 processes, some of which come and go,
// by contexts that are made and closed at random, over one cached source and over
// the source itself. Every value must be that of the process that it is shown
// under.
func TestValuesKeepTheirOwner(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	c := newCrowd(t, 3000)
	c.measureAtRandom(func(context int) bool { return context < 30 })
}

// TestSoakOwners is the same for as long as WINPERF_SOAK says.
func TestSoakOwners(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("WINPERF_SOAK"))
	if err != nil {
		t.Skip("WINPERF_SOAK does not say how long to run")
	}
	c := newCrowd(t, 3000)
	end := time.Now().Add(duration)
	c.measureAtRandom(func(int) bool { return time.Now().Before(end) })
}

// measureAtRandom measures with several contexts at a time, one after the other
// as long as more wants another one.
func (c *crowd) measureAtRandom(more func(context int) bool) {
	src := c.open()
	cached := cache.New(src, cache.Options{Freshness: 20 * time.Millisecond})
	churning, stop := context.WithCancel(c.t.Context())
	var churn, wg sync.WaitGroup
	churn.Go(func() { c.churn(churning) })

	var contexts, checked atomic.Int64
	for range 6 {
		wg.Go(func() {
			for !c.t.Failed() {
				n := int(contexts.Add(1)) - 1
				if !more(n) {
					return
				}
				var from winperf.Source = cached
				if n%3 == 0 {
					from = src
				}
				checked.Add(int64(c.measure(from, ownerSelections[n%len(ownerSelections)])))
			}
		})
	}
	wg.Wait()
	stop()
	churn.Wait()
	c.close(cached)
	if checked.Load() == 0 {
		c.t.Error("no value was compared")
	}
	c.t.Logf("%d contexts, %d values", contexts.Load(), checked.Load())
}

// measure takes some samples, of which it may give up the last one, and returns
// how many values it compared.
func (c *crowd) measure(src winperf.Source, texts []string) (checked int) {
	paths := make([]winperf.Path, len(texts))
	for i, text := range texts {
		var err error
		if paths[i], err = winperf.ParsePath(text); err != nil {
			c.t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	m := measure.New(src, winperf.Selection{Paths: paths}, measure.Options{})
	for range 2 + rand.IntN(3) {
		cycle, err := m.Cycle(ctx)
		if err != nil {
			c.t.Error(err)
			break
		}
		checked += c.check(cycle.Readings())
	}

	// Now and then what is closed is still being asked.
	if rand.IntN(2) == 0 {
		var last sync.WaitGroup
		last.Go(func() { _, _ = m.Cycle(ctx) }) // given up or refused, as it should be
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		cancel()
		last.Wait()
	}
	if err := m.Close(); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, winperf.ErrState) {
		c.t.Error(err)
	}
	return checked
}

// TestLiveOwners measures this machine while a hundred shells that are named after
// their ids are born and end, with costly objects next to others. What is before
// the id is this run's own, as another one may be at work on the machine.
func TestLiveOwners(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	c := &crowd{t: t, prefix: "w" + strconv.FormatInt(int64(os.Getpid()), 36) + "-"}
	src, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	cached := cache.New(src, cache.Options{Freshness: time.Millisecond})
	ctx, stop := context.WithCancel(t.Context())
	var shells, wg sync.WaitGroup
	for range 4 {
		shells.Go(func() {
			for ctx.Err() == nil {
				c.shell()
			}
		})
	}

	var checked atomic.Int64
	for n := range 4 {
		wg.Go(func() {
			for range 6 {
				checked.Add(int64(c.measure(cached, c.live(n))))
			}
		})
	}
	wg.Wait()
	stop()
	shells.Wait()
	c.close(cached)
	t.Logf("%d values", checked.Load())
	if checked.Load() == 0 {
		t.Error("no value was compared")
	}
}

// live is one of the selections of what tells whose it is of a process that does
// nothing.
func (c *crowd) live(n int) []string {
	selections := [][]string{
		{`\Process(w*)\ID Process`, `\Process Memory Details(w*)\ID Process`},
		{`\Process Memory Details(w*)\ID Process`},
		{`\Process(w*)\ID Process`, `\Thread(w*)\ID Process`},
	}
	texts := selections[n%len(selections)]
	for i := range texts {
		texts[i] = strings.Replace(texts[i], "(w*)", "("+c.prefix+"*)", 1)
	}
	return texts
}

// shell begins 25 shells, which name themselves after their ids and wait for the
// end of their input, and ends them.
func (c *crowd) shell() {
	name := "printf " + c.prefix + "$$ >/proc/self/comm && echo ready && read line"
	var inputs []io.Closer
	var all []*exec.Cmd
	for range 25 {
		cmd := exec.CommandContext(c.t.Context(), "/bin/sh", "-c", name)
		in, err := cmd.StdinPipe()
		if err != nil {
			c.t.Error(err)
			return
		}
		out, err := cmd.StdoutPipe()
		if err := errors.Join(err, cmd.Start()); err != nil {
			c.t.Error(err)
			return
		}
		inputs, all = append(inputs, in), append(all, cmd)
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			c.t.Error(err)
		}
	}
	for i, cmd := range all {
		_ = inputs[i].Close()
		_ = cmd.Wait() // read finds no line, which is no success
	}
}
