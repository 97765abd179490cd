package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/sink/metrics"
)

// TestBackfillNames sends a real log under the names of windows_exporter, alone and beside winperf's own: a database
// has each value then, and no other.
func TestBackfillNames(t *testing.T) {
	log := filepath.Join(perftest.Data(t), "blg", backfillLogs[0])
	for words, names := range map[string][]metrics.Scheme{
		"windows_exporter":     {metrics.WindowsExporter},
		"own,windows_exporter": {metrics.Own, metrics.WindowsExporter},
	} {
		db := dbtest.VictoriaMetrics(t)
		status, said := backfilled(t, log, "remote-write+"+db.URL, "--names", words)
		if status != console.ExitDone {
			t.Fatalf("%s: status %d: %s", words, status, said)
		}
		got := db.Exported()
		compareSamples(t, samplesNamed(t, log, names), got, 1e-11)

		found := false
		for key := range got {
			found = found || strings.HasPrefix(key, `{__name__="windows_cpu_time_total", core="0,0"`) ||
				strings.HasPrefix(key, `{__name__="windows_cpu_time_total", core="0"`)
		}
		if !found {
			t.Errorf("%s: there is no windows_cpu_time_total of the first processor", words)
		}
	}
}
