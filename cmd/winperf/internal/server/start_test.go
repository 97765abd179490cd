package server

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winperf/winperf"
)

// A reload says which settings are used after a restart only, again and again, and by what is in
// use: not by what was loaded before.
func TestReloadLate(t *testing.T) {
	s := start(t, Config{Web: Web{Lifecycle: true}})
	for range 2 {
		s.set(func() { s.config.Web.Listen, s.config.Web.MaxConnections = []string{"127.0.0.1:1"}, 7 })
		const want = "used only after a restart: web.listen_address, web.max_connections"
		if status, text := s.ask("POST", "/-/reload"); status != 200 || text != want+"\n" {
			t.Errorf("status %d: %s", status, text)
		}
		if log := s.log.String(); !strings.Contains(log, want) {
			t.Error(log)
		}
	}

	s.set(func() { s.config.Web.Listen, s.config.Web.MaxConnections = []string{"127.0.0.1:0"}, 0 })
	if status, text := s.ask("POST", "/-/reload"); status != 200 || text != "" {
		t.Errorf("status %d: %s", status, text)
	}
	s.set(func() { s.err = errors.New("f:1:1: that is wrong") })
	status, text := s.ask("POST", "/-/reload")
	if status != 500 || !strings.Contains(text, "the current configuration stays in use: f:1:1: that is wrong") {
		t.Errorf("status %d: %s", status, text)
	}
}

// TestReloadView: the page keeps the source and language of the start, which the answer of a reload says.
func TestReloadView(t *testing.T) {
	s := startWith(t, Config{Web: Web{Lifecycle: true}}, func(opt *Options) { opt.View = &View{} })
	if status, text := s.ask("POST", "/-/reload"); status != 200 || text != "" {
		t.Errorf("without a change: status %d: %s", status, text)
	}
	s.set(func() { s.config.Source, s.config.Language = "other.blg", "007" })
	const want = "used only after a restart: source of --view, language of --view\n"
	if status, text := s.ask("POST", "/-/reload"); status != 200 || text != want {
		t.Errorf("status %d: %s", status, text)
	}
	if status, text := s.ask("GET", "/api/v1/sources"); status != 200 || strings.Contains(text, "other.blg") {
		t.Errorf("status %d: %s", status, text)
	}
}

// explainer says of each path that names a processor that there is none.
func explainer(_ context.Context, _ winperf.Source, paths []winperf.Path) (reasons []string) {
	for _, p := range paths {
		reason := ""
		if strings.HasPrefix(p.Object, "Proc") {
			reason = "no such object"
		}
		if p.Object == "Procs" {
			reason += " (did you mean Process?)"
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// What matches nothing is told at the start and after a reload, by its place, and does not keep
// the server from ending.
func TestStartWarns(t *testing.T) {
	config, err := ParseConfig("f.yml", []byte("objects: [Memory, Procesor]\n"), Sections{})
	if err != nil {
		t.Fatal(err)
	}
	s := startWith(t, config, func(o *Options) { o.Explain = explainer })
	logged := func(want string) {
		t.Helper()
		s.until(func(string) bool { return strings.Contains(s.log.String(), want) })
	}
	logged("level=WARN msg=\"f.yml:1:19: objects: Procesor: no such object\"")
	s.set(func() { s.config.Exclude = paths(t, `\Processes\*`, `\Procs\*`) })
	s.reload <- struct{}{}
	logged(`exclude: \\Procs\\*: no such object (did you mean Process?)`)
	if strings.Contains(s.log.String(), "Processes") {
		t.Errorf("what need not be there is told: %s", s.log)
	}

	// A source that does not tell is asked no longer than the server runs.
	asked := make(chan struct{})
	s = startWith(t, config, func(o *Options) {
		o.Explain = func(ctx context.Context, _ winperf.Source, _ []winperf.Path) []string {
			close(asked)
			<-ctx.Done()
			return nil
		}
	})
	<-asked
}

// TestCheckServer: what a server would end with is an error, and what it would serve all the same a
// warning.
func TestCheckServer(t *testing.T) { synctest.Test(t, checkServer) }

func checkServer(t *testing.T) {
	const push = "push: [{url: otlp+http://h, interval: 10ms}]\n"
	slow := func(context.Context, int, winperf.Selection) error {
		<-time.After(20 * time.Millisecond) // what its sample takes
		return nil
	}
	fails := func(context.Context, int, winperf.Selection) error { return errors.New("nothing today") }
	for _, c := range []struct {
		text    string
		src     *fake
		err     string
		warning string
	}{
		{"objects: [Memory]\n", &fake{}, "", ""},
		{push, &fake{}, "", ""},
		{push, &fake{before: slow}, "", "f:1:39: interval: 10ms is shorter than the "},
		{"", &fake{before: fails}, "", "no sample: nothing today"},
		{"paths: ['\\Processor\\*']\n", &fake{}, "", `f:1:9: paths: \Processor\*: no such object`},
		{push, &fake{recorded: 2}, "f:1:14: url: otlp+http://h: a log cannot be pushed; send it with", ""},
		{"paths: ['\\\\other\\Memory\\*']\n", &fake{}, `f:1:9: paths: \\other\Memory\*: no such machine`, ""},
		{"source: none\n", nil, "f:1:9: file does not exist", ""},
		{"", nil, "file does not exist", ""},
		{"timeout: -1\n", &fake{}, "f:1:10: timeout: ", ""},
		{"web: {config_file: none}\n", &fake{}, "f:1:20: config_file: none: ", ""},
	} {
		opened := false
		warnings, err := Check(t.Context(), Options{
			Load: func(context.Context) (Config, error) { return ParseConfig("f", []byte(c.text), Sections{}) },
			Open: func(context.Context, string) (winperf.Source, error) {
				if c.src == nil {
					return nil, fs.ErrNotExist
				}
				opened = true
				return c.src, nil
			},
			Explain: explainer,
		})
		if (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%q: %v, want %s", c.text, err, c.err)
		}
		warning := ""
		for _, w := range warnings {
			warning += w.Error() + "\n"
		}
		if (warning != "") != (c.warning != "") || !strings.HasPrefix(warning, c.warning) {
			t.Errorf("%q: warning %q, want %s", c.text, warning, c.warning)
		}
		if opened && !c.src.closed {
			t.Errorf("%q: the source is open", c.text)
		}
	}
}
