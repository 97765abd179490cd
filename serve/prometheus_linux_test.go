package serve

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestPromtool: Prometheus' own rules find nothing in the metrics about the exporter.
func TestPromtool(t *testing.T) {
	program, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("there is no promtool (Debian package prometheus)")
	}
	e := exporter(t, &fake{}, Config{Costly: true})
	_, text := scrape(e, "/metrics")
	cmd := exec.Command(program, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
