package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// TestServeConfigOfArchives: the configuration that comes with the program passes its check.
func TestServeConfigOfArchives(t *testing.T) {
	var stderr bytes.Buffer
	args := []string{"serve", "--check", "--config", "../../../../dist/winperf.yaml"}
	if status := Run(context.Background(), args, strings.NewReader(""), io.Discard, &stderr); status != console.ExitDone {
		t.Errorf("exit status %d: %s", status, &stderr)
	}
	if stderr.Len() > 0 {
		t.Errorf("it says %s", &stderr)
	}
}
