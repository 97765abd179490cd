package view_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/usage"
	"github.com/winperf/winperf/source"
	"github.com/winperf/winperf/view"
)

// BenchmarkLarge writes a binary log and a directory of captures of 1 GB each, and runs TestLarge for each in
// a process of its own, with the memory limit of winperf view:
//
//	go test -run '^$' -bench Large -benchtime 1x -v ./view
func BenchmarkLarge(b *testing.B) {
	dir := b.TempDir()
	if free := freeMegabytes(dir); free < 4000 {
		b.Skipf("%s has %d MB free, expected at least 4000", dir, free)
	}
	blg, captures := writeLarge(b, dir, 1<<30)
	for _, log := range []string{blg, captures} {
		b.Run(filepath.Base(log), func(b *testing.B) {
			for range b.N {
				cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestLarge$", "-test.v")
				cmd.Env = append(os.Environ(), "WINPERF_LARGE_LOG="+log, "GOMEMLIMIT=224MiB")
				out, err := cmd.CombinedOutput()
				if b.Logf("%s", out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// freeMegabytes returns the free space of a directory's disk as df reports it; many if there is no df.
func freeMegabytes(dir string) (n int) {
	out, err := exec.Command("df", "-Pm", dir).Output()
	lines := strings.Split(string(out), "\n")
	if err != nil || len(lines) < 2 {
		return 1 << 30
	}
	fields := strings.Fields(lines[1])
	if _, err := fmt.Sscan(fields[max(len(fields)-3, 0)], &n); err != nil {
		return 1 << 30
	}
	return n
}

// openLarge opens a log or a directory of logs.
func openLarge(t *testing.T, name string) view.Source {
	t.Helper()
	if info, err := os.Stat(name); err != nil {
		t.Fatal(err)
	} else if info.IsDir() {
		return view.Source{Name: name, Source: join(t, files(name)), Grows: true}
	}
	src, err := source.OpenLog(t.Context(), name, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return view.Source{Name: name, Source: src}
}

// stopwatch reports the time since the latest lap.
type stopwatch struct {
	t     *testing.T
	v     *view.View
	mu    sync.Mutex
	begin time.Time
	at    time.Time
	used  time.Duration
}

// lap reports the time, the processor time and the size of an answer.
func (s *stopwatch) lap(what string, answer any, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Errorf("%s: %v", what, err)
		return
	}
	text, err := json.Marshal(answer)
	if err != nil {
		s.t.Errorf("%s: %v", what, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, used := time.Now(), processor()
	s.t.Logf("%-36s %7.3f s, at %6.3f s, processor %6.3f s, %5d KB", what, now.Sub(s.at).Seconds(),
		now.Sub(s.begin).Seconds(), (used - s.used).Seconds(), len(text)>>10)
}

func (s *stopwatch) restart() { s.at, s.used = time.Now(), processor() }

func processor() time.Duration {
	used, _ := usage.Processor()
	return used
}

// TestLarge reports the times of requests for the log or directory that WINPERF_LARGE_LOG names: how long a
// page waits for its first answers, for a chart of one counter and of 500 instances, and for the next zoom.
func TestLarge(t *testing.T) {
	name := os.Getenv("WINPERF_LARGE_LOG")
	if name == "" {
		t.Skip("WINPERF_LARGE_LOG names no log")
	}
	s := &stopwatch{t: t, begin: time.Now()}
	s.restart()
	v, err := view.New(t.Context(), []view.Source{openLarge(t, name)}, view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	s.v = v
	sources, err := v.Sources(t.Context())
	s.lap("sources", sources, err)
	if len(sources.Sources) != 1 || len(sources.Sources[0].Damage) > 0 {
		t.Fatalf("%+v", sources)
	}
	s.overview()
	s.charts(sources.Sources[0])
	t.Logf("peak resident memory %s", peak())
}

// overview asks for the first screen of the page, as overview.js does.
func (s *stopwatch) overview() {
	objects, err := s.v.Objects(s.t.Context(), view.Request{})
	s.lap("objects", objects, err)
	r := view.Request{Paths: []string{
		`\Processor(*)\% Processor Time`, `\Memory\Available Bytes`, `\Memory\Committed Bytes`, `\Memory\Cache Bytes`,
		`\PhysicalDisk(*)\Disk Bytes/sec`, `\PhysicalDisk(*)\Current Disk Queue Length`,
		`\Network Interface(*)\Bytes Total/sec`,
	}}
	var all sync.WaitGroup
	all.Go(func() {
		charts, err := s.v.Range(s.t.Context(), r, view.Steps{Points: 300})
		s.lap("charts of the overview", charts, err)
	})
	all.Go(func() {
		r := view.Request{Paths: []string{`\Process(*)\% Processor Time`}}
		processes, err := s.v.Range(s.t.Context(), r, view.Steps{Points: 60, Top: 60})
		s.lap("top processes", processes, err)
	})
	all.Go(func() {
		changed, err := s.v.Changed(s.t.Context(), view.Request{}, "")
		s.lap("changed most", changed, err)
	})
	all.Go(func() {
		events, err := s.v.Events(s.t.Context(), view.Request{})
		s.lap("events", events, err)
	})
	all.Wait()
	s.restart()
	s.t.Logf("first picture after %.3f s", time.Since(s.begin).Seconds())

	begin := time.Now()
	for ok := false; !ok; time.Sleep(50 * time.Millisecond) {
		charts, err := s.v.Range(s.t.Context(), r, view.Steps{Points: 300})
		ok = err != nil || charts.Complete
	}
	s.t.Logf("complete overview after %.3f s more", time.Since(begin).Seconds())
	instances, err := s.v.Instances(s.t.Context(), view.Request{}, "Process")
	s.lap("instances", instances, err)
}

// charts asks for a chart of a counter and of 500 instances, and zooms in.
func (s *stopwatch) charts(source view.SourceInfo) {
	for _, path := range []string{`\System\Context Switches/sec`, `\Process(*)\Working Set`} {
		r, how := view.Request{Paths: []string{path}}, view.Steps{Points: 500, Top: 500}
		s.restart()
		chart, err := s.v.Range(s.t.Context(), r, how)
		s.lap("chart of "+path, chart, err)
		s.t.Logf("complete %v, %d times, %d series", chart.Complete, len(chart.Times), len(chart.Series))

		for s.restart(); !chart.Complete; time.Sleep(50 * time.Millisecond) {
			if chart, err = s.v.Range(s.t.Context(), r, how); err != nil {
				s.t.Fatal(err)
			}
		}
		s.lap("complete chart", chart, err)
		for _, part := range []time.Duration{3, 2} {
			s.restart()
			length := source.End.Sub(*source.Begin)
			r.Begin, r.End = source.Begin.Add(length/2), source.Begin.Add(length/2+length/(3*part))
			chart, err = s.v.Range(s.t.Context(), r, how)
			s.lap("zoom", chart, err)
			s.t.Logf("complete %v, %d times, step %v", chart.Complete, len(chart.Times), chart.Step)
		}
	}
}

// peak returns the greatest resident memory of this program, on Linux.
func peak() string {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line)
}
