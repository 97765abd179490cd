package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/internal/queue"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
)

// pushTarget is a target that takes remote write 1.0.
func pushTarget(t *testing.T, away *atomic.Bool) (url string, requests func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what is in it is no matter here
		switch {
		case strings.Contains(r.Header.Get("Content-Type"), "v2"):
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		case away.Load() || r.Header.Get("X-Team") != "a":
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		n++
	}))
	t.Cleanup(server.Close)
	return "remote-write+" + server.URL, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// A server sends to its targets, tells of it in its metrics, and goes on with the same queue after a
// reload.
func TestPush(t *testing.T) {
	var away atomic.Bool
	url, requests := pushTarget(t, &away)
	target := Target{
		URL: url, Headers: map[string]string{"X-Team": "a"}, Labels: map[string]string{"site": "north"},
		Interval: 100 * time.Millisecond, Queue: Queue{Dir: t.TempDir()},
	}
	s := start(t, Config{Push: []Target{target}})
	sent := `winperf_push_samples_sent_total{target="` + url + `"} `
	s.until(func(text string) bool { return requests() > 2 && !strings.Contains(text, sent+"0\n") })

	away.Store(true)
	waiting := `winperf_push_queue_samples{target="` + url + `"} `
	s.until(func(text string) bool {
		return strings.Contains(text, waiting) && !strings.Contains(text, waiting+"0\n") &&
			!strings.Contains(text, waiting+"1\n")
	})
	s.reload <- struct{}{}
	away.Store(false)
	before := requests()
	s.until(func(text string) bool {
		return requests() > before+1 && strings.Contains(text, waiting+"0\n")
	})
	if text := s.log.String(); !strings.Contains(text, "503 Service Unavailable; trying again") ||
		strings.Contains(text, "level=ERROR") {
		t.Errorf("the log is %s", text)
	}
}

// Counts of a target go on over a reload that leaves it and its queue as they are.
func TestPushCountsGoOn(t *testing.T) {
	var away atomic.Bool
	url, _ := pushTarget(t, &away)
	target := Target{
		URL: url, Headers: map[string]string{"X-Team": "a"}, Interval: 100 * time.Millisecond,
		Queue: Queue{Dir: t.TempDir()},
	}
	other := target
	other.URL, other.Queue.Dir = url+"/other", t.TempDir()
	s := start(t, Config{Push: []Target{target, other}})
	sent := func(text, of string) int {
		n, err := strconv.Atoi(value(text, `winperf_push_samples_sent_total{target="`+of+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	s.until(func(text string) bool { return sent(text, url) > 0 && sent(text, other.URL) > 0 })

	away.Store(true)
	_, text := s.ask(http.MethodGet, "/metrics")
	before := sent(text, url)
	for round := range 3 {
		target.Interval += time.Millisecond
		other.Queue.Dir = t.TempDir()
		s.set(func() { s.config.Push = []Target{other, target} })
		s.reload <- struct{}{}
		s.until(func(string) bool {
			return strings.Count(s.log.String(), "the configuration was reloaded") == round+1
		})
		_, text = s.ask(http.MethodGet, "/metrics")
		if got := sent(text, url); got < before {
			t.Errorf("reload %d: %d values sent, %d before", round, got, before)
		}
		if got := sent(text, other.URL); got != 0 {
			t.Errorf("reload %d: %d values were sent from a new queue", round, got)
		}
	}
}

// Every count of a target goes on, and nothing that is a state.
func TestPushStatsAfter(t *testing.T) {
	at := time.Now()
	fill := func(n uint64) push.Stats {
		return push.Stats{
			Counts: push.Counts{Sent: n, Refused: n, Requests: n, Retries: n, Failing: at.Add(-time.Duration(n))},
			Queued: queue.Stats{
				Bytes: int64(n), Items: int(n), Oldest: at.Add(-time.Duration(n)), Dropped: n, Unwritten: n, Memory: int64(n),
			},
			Lost: n, MeasureErrors: n,
		}
	}
	before, now := fill(3000), fill(50000)
	total := now.After(&before)
	for _, m := range pushMetrics {
		want := m.value(&now, at)
		if m.kind == metrics.Counter {
			want += m.value(&before, at)
		}
		if got := m.value(&total, at); got != want || got == 0 {
			t.Errorf("%s is %d, want %d", m.name, got, want)
		}
	}
}

// Targets that look the same, tenants of one receiver for example, are told apart: by their number, the first
// by none, in metrics and in the log.
func TestPushLookTheSame(t *testing.T) {
	var away atomic.Bool
	url, requests := pushTarget(t, &away)
	secret := func(password string) string { return strings.Replace(url, "//", "//me:"+password+"@", 1) }
	shown := secret("xxxxx")
	var targets []Target
	for _, to := range [][2]string{{url, "a"}, {url, "b"}, {secret("one"), "b"}, {secret("two"), "a"}} {
		targets = append(targets, Target{
			URL: to[0], Headers: map[string]string{"X-Team": to[1]},
			Interval: 100 * time.Millisecond, Queue: Queue{Dir: t.TempDir()},
		})
	}

	s := start(t, Config{Push: targets})
	sent := func(text, target string) bool {
		series := "\nwinperf_push_samples_sent_total{target=\"" + target + "\"} "
		return strings.Contains(text, series) && !strings.Contains(text, series+"0\n")
	}
	s.until(func(text string) bool {
		return requests() > 4 && sent(text, url) && sent(text, shown+" (2)") &&
			strings.Contains(s.log.String(), shown+": it answered 503")
	})

	_, text := s.ask(http.MethodGet, "/metrics")
	for _, none := range []string{url + " (2)", shown} {
		if !strings.Contains(text, `samples_sent_total{target="`+none+"\"} 0\n") {
			t.Errorf("expected that %s took nothing: %s", none, text)
		}
		if !strings.Contains(s.log.String(), "\""+none+": it answered 503") {
			t.Errorf("the log does not name %s: %s", none, s.log)
		}
	}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		series, _, _ := strings.Cut(line, "} ")
		if strings.HasPrefix(line, "winperf_push_") && seen[series] {
			t.Errorf("%s is there twice", series)
		}
		seen[series] = true
	}
}

// A configuration whose queue cannot be used is not reloaded: what is in use is sent on.
func TestPushReloadWrong(t *testing.T) {
	var away atomic.Bool
	url, requests := pushTarget(t, &away)
	target := Target{
		URL: url, Headers: map[string]string{"X-Team": "a"}, Interval: 100 * time.Millisecond,
		Queue: Queue{Dir: t.TempDir()},
	}
	s := start(t, Config{Push: []Target{target}})
	s.until(func(string) bool { return requests() > 0 })

	wrong := target
	wrong.Queue.Dir = "push_test.go"
	s.set(func() { s.config.Push = []Target{target, wrong} })
	s.reload <- struct{}{}
	s.until(func(text string) bool {
		return strings.Contains(text, "\nwinperf_config_last_reload_successful 0\n")
	})
	before := requests()
	s.until(func(text string) bool {
		return requests() > before && strings.Contains(text, "\nwinperf_push_samples_sent_total{target=\""+url+"\"}")
	})
	if text := s.log.String(); !strings.Contains(text, "push_test.go") {
		t.Errorf("the log does not say why: %s", text)
	}
}

// What is wrong with a target keeps a server from beginning.
func TestPushCannotBegin(t *testing.T) {
	dir := t.TempDir()
	q, err := queue.OpenSamples(dir, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()

	for want, target := range map[string]Target{
		"did you mean": {URL: "remote-wirte+http://host"},
		"names otel":   {URL: "remote-write+http://host", Names: []metrics.Scheme{metrics.OTel}},
		"bad header":   {URL: "otlp+http://host", Headers: map[string]string{"a b": ""}},
		"none.pem":     {URL: "otlp+https://host", TLS: TLS{CAFile: "none.pem"}},
		"in use":       {URL: "otlp+http://host", Queue: Queue{Dir: dir}},
		"push_test.go": {URL: "otlp+http://host", Queue: Queue{Dir: "push_test.go"}},
	} {
		c := Config{Push: []Target{target}}
		err := c.Check()
		if err == nil {
			r := &running{config: c.withDefaults(), source: &fake{t: t}, exporter: &serve.Exporter{}}
			var p *pushes
			if p, err = startPush(t.Context(), r, "v1", nil, nil); err == nil {
				err = p.stop()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What is sent of this machine has the name that the system has for it, as what others send has; the Windows
// model's name is in capitals. Of another machine it is what the source calls that.
func TestPushIdentity(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := strings.Cut(host, ".")
	other := "OTHER-" + short
	for machine, want := range map[string]string{strings.ToUpper(short): host, other: other} {
		c := Config{Push: []Target{{URL: "otlp+http://host"}}}
		r := &running{source: &fake{t: t, machine: machine}, config: c}
		to := r.target(0, "v1")
		got := map[string]string{}
		for _, l := range slices.Concat(to.Labels, to.Resource) {
			got[l.Name] = l.Value
		}
		if got["instance"] != want || got["host.name"] != want || got["service.instance.id"] != want {
			t.Errorf("%s: %v, want %s", machine, got, want)
		}
	}
}

// Without a directory of its own a target has one by its address, that no password is part of.
func TestPushDirectory(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", "/var/lib/winperf:/other")
	one := Target{URL: "otlp+http://me:secret@host"}
	other := Target{URL: "otlp+http://me:changed@host"}
	elsewhere := Target{URL: "otlp+http://me:secret@elsewhere"}
	a, err1 := one.directory()
	b, err2 := other.directory()
	c, err3 := elsewhere.directory()
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if a != b || a == c || !strings.Contains(strings.ReplaceAll(a, `\`, "/"), "/var/lib/winperf/push/") {
		t.Errorf("%s, %s and %s", a, b, c)
	}
}
