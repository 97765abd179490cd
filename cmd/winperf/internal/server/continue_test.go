package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf"
)

// Counters of 4 bytes that wrapped go on over a reload, with and without a filter, where the source stays: rate() would
// take a raw value in their place as counted since.
func TestReloadGoesOn(t *testing.T) {
	interrupts := []uint32{4294967000, 100, 200, 300, 400, 500, 600}
	const all, some = "/metrics", "/metrics?object=Processor"
	for source, want := range map[string][]string{
		"fake:":  {"4294967000", "4294967396", "4294967496", "4294967596", "4294967696", "4294967796"},
		"other:": {"4294967000", "4294967396", "200", "300", "400", "500"},
	} {
		for _, path := range []string{all, some} {
			var samples atomic.Int64
			open := func(context.Context, string) (winperf.Source, error) {
				return &fake{t: t, text: func() string {
					n := min(int(samples.Add(1)), len(interrupts))
					return fmt.Sprintf("block name=\"HOST\" perftime=%d perffreq=10 time100ns=133500000000000000\n"+
						"object 238\n counter 148 PERF_COUNTER_COUNTER\n instance \"0\" : %d\n", n, interrupts[n-1])
				}}, nil
			}
			s := startWith(t, Config{Source: "fake:", Web: Web{Lifecycle: true}}, func(o *Options) { o.Open = open })

			got := []string{""}
			scrape := func() {
				s.untilAt(path, func(text string) bool { // scrapes at the same time share a sample
					v := value(text, `winperf_processor_interrupts_total{name="0"}`)
					if v == got[len(got)-1] {
						return false
					}
					got = append(got, v)
					return true
				})
			}
			scrape()
			scrape()
			for _, exclude := range []string{`\Memory\*`, `\System\*`} {
				s.set(func() { s.config.Source, s.config.Exclude = source, paths(t, exclude) })
				if status, text := s.ask(http.MethodPost, "/-/reload"); status != http.StatusOK {
					t.Fatal(status, text)
				}
				scrape()
				scrape()
			}
			if got = got[1:]; !slices.Equal(got, want) {
				t.Errorf("%s of %s: %q, want %q", path, source, got, want)
			}
		}
	}
}

// A reload that waits for its source ends with the server.
func TestReloadHangs(t *testing.T) {
	opened, hangs := make(chan struct{}, 1), make(chan struct{})
	first := true
	s := startWith(t, Config{Web: Web{Lifecycle: true}}, func(o *Options) {
		o.Open = func(ctx context.Context, _ string) (winperf.Source, error) {
			if first {
				first = false
				return &fake{t: t}, nil
			}
			opened <- struct{}{}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-hangs:
				return nil, errors.New("the test is over")
			}
		}
	})
	var wait sync.WaitGroup
	wait.Go(func() { _, _ = s.ask("POST", "/-/reload") })
	<-opened

	ended := make(chan error, 1)
	go func() { ended <- s.stop() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("the server does not end")
	}
	close(hangs)
	wait.Wait()
}
