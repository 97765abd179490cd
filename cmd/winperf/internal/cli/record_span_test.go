package cli

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// TestRecordNothing: a recording that ended before its first sample fails and says
// so.
func TestRecordNothing(t *testing.T) {
	rate := map[string]string{
		`\Memory\Available MBytes`: `\System\Context Switches/sec`, `\Winperf Test\Constant`: `\Winperf Test\Ticks/sec`,
	}[livePath(t)]
	for _, tt := range []struct{ format, flag, value, want string }{
		{"capture", "--end", "2020-01-01", "--end: 2020-01-01 23:59:59.999 +02:00 is in the past"},
		{"csv", "--end", "2020-01-01", "--end: 2020-01-01 23:59:59.999 +02:00 is in the past"},
		{"csv", "--for", "1ms", "nothing was recorded: the end was before the first sample"}, // the first row needs two samples
	} {
		name := filepath.Join(t.TempDir(), "x."+tt.format)
		var stderr strings.Builder
		args := []string{"record", rate, "-i", "10", "-o", name, tt.flag, tt.value, "--zone", "+02:00"}
		status := Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr)
		if status != console.ExitFailed || stderr.String() != "winperf: "+tt.want+"\n" {
			t.Errorf("%s %s: status %d, %q", tt.format, tt.flag, status, &stderr)
		}
	}
}

// TestRecordBackwards: an end that is not after the beginning is told at once.
func TestRecordBackwards(t *testing.T) {
	var stderr strings.Builder
	args := []string{"record", livePath(t), "-o", filepath.Join(t.TempDir(), "x.csv"), "--begin", "2999-01-02", "--end", "2999-01-01", "--zone", "+02:00"}
	status := Run(t.Context(), args, strings.NewReader(""), io.Discard, &stderr)
	if want := "winperf: --end: 2999-01-01 23:59:59.999 +02:00 is not after --begin\n"; status != console.ExitFailed || stderr.String() != want {
		t.Errorf("status %d, %q", status, &stderr)
	}
}
