package linuxhost

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/provider"
	"github.com/winperf/winperf/serve"
)

// rigSource is a rig as a source.
type rigSource struct{ *rig }

func (r rigSource) Describe() winperf.Description { return winperf.Description{Machine: "HOST"} }

func (r rigSource) Schema(context.Context) (*winperf.Schema, error) {
	return &winperf.Schema{Names: r.d.Names(), Costly: []uint32{titleMemoryDetails}}, nil
}

func (r rigSource) Compile(_ context.Context, sel winperf.Selection) (winperf.Query, error) {
	if !sel.Global {
		return nil, fmt.Errorf("selection %+v, want everything", sel)
	}
	return r, nil
}

func (r rigSource) Next(ctx context.Context, s *winperf.Sample) error {
	err := perftest.Fill(s, func(raw *winperf.Raw) (err error) {
		raw.Format = winperf.FormatV1
		raw.Bytes, err = r.d.Collect(ctx, provider.ParseQuery("Global"), raw.Bytes[:0])
		return err
	})
	s.Schema, _ = r.Schema(ctx)
	return err
}

func (rigSource) Close() error { return nil }

// churn is a tree of processes that changes.
type churn struct {
	*rand.Rand
	root *MapRoot
	pids []int
	next int
}

// begin adds a process, whose name may be of any program.
func (c *churn) begin(now Times) {
	pid := c.next
	c.next++
	c.pids = append(c.pids, pid)
	dir := fmt.Sprintf("proc/%d/", pid)
	started := int(now.Boot/second) * 100
	c.root.Set(dir+"stat", fmt.Sprintf("%d (%s) S 1 1 1 0 -1 0 5 0 0 0 %d 0 0 0 20 0 1 0 %d 4096 1 0\n", pid,
		fmt.Sprintf("program%d", c.IntN(3000)), c.IntN(1000), started))
	for _, f := range []string{"statm", "status", "io", "schedstat", "fd"} {
		c.root.Set(dir+f, c.root.entries["proc/1/"+f].text)
	}
}

func (c *churn) end() {
	i := c.IntN(len(c.pids))
	c.root.End(c.pids[i])
	c.pids[i] = c.pids[len(c.pids)-1]
	c.pids = c.pids[:len(c.pids)-1]
}

// TestSeriesOfManyProcesses: a host of 60 control groups and 5,000 processes, with 50 new ones in each second,
// has at most 1,500 series, in every scrape.
func TestSeriesOfManyProcesses(t *testing.T) {
	scrapes := 100
	if testing.Short() {
		scrapes = 5
	}
	root := fixtures(t, "small.txtar", "network.txtar", "groups.txtar")
	groups(root, 60)
	r := newRig(t, root, func(s *System) { s.MaxOpen = 10 })
	c := &churn{Rand: rand.New(rand.NewPCG(1, 2)), root: root, next: 100_000}
	for range 5000 {
		c.begin(r.times)
	}
	opt := serve.Options{Version: "1", Config: serve.Config{Timeout: time.Hour}} // whatever the load
	e, err := serve.New(t.Context(), rigSource{r}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	for i := range scrapes {
		w := httptest.NewRecorder()
		e.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		series := 0
		for line := range strings.Lines(w.Body.String()) {
			if !strings.HasPrefix(line, "#") {
				series++
			}
		}
		if text := w.Body.String(); series > 1500 || series < 600 || w.Code != 200 ||
			!strings.Contains(text, "\nwinperf_process_group_processes{group=\"other\"} ") ||
			strings.Contains(text, "\nwinperf_process_id_process") || strings.Contains(text, "\nwinperf_thread_") ||
			strings.Contains(text, "\nwinperf_control_group_") {
			t.Fatalf("scrape %d: status %d, %d series", i, w.Code, series)
		}
		if i == scrapes-1 {
			t.Logf("%d series, %d of groups", series, strings.Count(w.Body.String(), "{group="))
		}

		time.Sleep(20 * time.Millisecond) // a sample is shared for less
		r.times.Boot += 15 * second
		r.times.Monotonic += 15 * second
		r.times.Real += 15 * second
		for range 15 * 50 {
			c.end()
			c.begin(r.times)
		}
	}
}
