package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServeHangup: SIGHUP has serve read its configuration again, a wrong one too, and
// SIGTERM ends it.
func TestServeHangup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "winperf.yml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("objects: [Memory]\n")
	cmd := process(t, "winperf", "serve", "--config", file, "--web.listen-address", "127.0.0.1:0")
	stderr := &sharedBuffer{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hangs := time.AfterFunc(hostileLimit, func() { _ = cmd.Process.Kill() })
	defer hangs.Stop()
	s := &served{t: t, stderr: stderr}
	eventually(t, "serving", func() bool {
		if m := serves.FindStringSubmatch(stderr.String()); m != nil {
			s.url = m[1]
		}
		return s.url != ""
	})

	signal := func(which syscall.Signal, told string) {
		if err := cmd.Process.Signal(which); err != nil {
			t.Fatal(err)
		}
		eventually(t, told, func() bool { return strings.Contains(stderr.String(), told) })
	}
	if text := s.get("/metrics"); !has(text, `winperf_memory_.*`) {
		t.Error(text)
	}
	write("objects: [System]\n")
	signal(syscall.SIGHUP, "the configuration was reloaded")
	if text := s.get("/metrics"); has(text, `winperf_memory_.*`) || !has(text, `winperf_system_.*`) {
		t.Error(text)
	}
	write("object: [Memory]\n")
	signal(syscall.SIGHUP, `winperf.yml:1:1: unknown key \"object\" (did you mean objects?)`)
	eventually(t, "a metric that tells", func() bool {
		return has(s.get("/metrics"), `winperf_config_last_reload_successful 0`)
	})

	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
}
