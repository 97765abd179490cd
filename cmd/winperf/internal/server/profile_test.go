package server

import (
	"context"
	"io"
	"net/http"
	"os/exec"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

const gzipMagic = "\x1f\x8b"

// Profiles have the forms that go tool pprof and go tool trace read.
func TestProfiles(t *testing.T) {
	s := start(t, Config{Web: Web{Pprof: true}})
	for path, want := range map[string]struct {
		status int
		begins string
	}{
		"":                    {200, "cmdline\n"},
		"heap":                {200, gzipMagic},
		"heap?gc=1":           {200, gzipMagic},
		"heap?debug=1":        {200, "heap profile: "},
		"goroutine":           {200, gzipMagic},
		"goroutine?debug=2":   {200, "goroutine "},
		"allocs":              {200, gzipMagic},
		"block":               {200, gzipMagic},
		"mutex":               {200, gzipMagic},
		"threadcreate":        {200, gzipMagic},
		"profile?seconds=0.2": {200, gzipMagic},
		"trace?seconds=0.2":   {200, "go 1."},
		"profile?seconds=31":  {400, "seconds: "},
		"profile?seconds=-1":  {400, "seconds: "},
		"profile?seconds=NaN": {400, "seconds: "},
		"trace?seconds=x":     {400, "seconds: "},
		"heap?seconds=1":      {400, "seconds is only for profile and trace"},
		"none":                {404, "no profile none"},
	} {
		status, text := s.ask("GET", "/debug/pprof/"+path)
		if status != want.status || !strings.HasPrefix(text, want.begins) {
			t.Errorf("%s: status %d, text %.40q", path, status, text)
		}
	}
}

// A second profile of the processor at the same time is refused, and a profile ends when its client leaves.
func TestConcurrentProfiles(t *testing.T) {
	s := start(t, Config{Web: Web{Pprof: true}})
	const short = "/debug/pprof/profile?seconds=0.01"
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	status, _ := s.ask("GET", short)
	pprof.StopCPUProfile()
	if status != http.StatusConflict {
		t.Errorf("status %d during another profile", status)
	}

	ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, "GET", s.url+"/debug/pprof/profile", nil)
	if resp, err := client().Do(r); err == nil {
		_ = resp.Body.Close()
		t.Errorf("status %d, expected a profile of 30 s", resp.StatusCode)
	}
	for status, _ = s.ask("GET", short); status == http.StatusConflict; status, _ = s.ask("GET", short) {
	}
	if status != http.StatusOK {
		t.Errorf("status %d after the profile", status)
	}
}

// The tool of Go reads the profiles from their address.
func TestPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a tool")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	s := start(t, Config{Web: Web{Pprof: true}})
	for _, name := range []string{"heap", "goroutine", "allocs", "block", "mutex", "profile?seconds=1"} {
		text, err := exec.CommandContext(t.Context(), "go", "tool", "pprof", "-top", s.url+"/debug/pprof/"+name).CombinedOutput()
		if err != nil || !strings.Contains(string(text), "flat%") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
