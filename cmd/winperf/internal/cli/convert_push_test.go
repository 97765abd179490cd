package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
)

// TestBackfill sends real logs to real databases, which then have each value of them, and no other.
func TestBackfill(t *testing.T) {
	t.Run("VictoriaMetrics", func(t *testing.T) {
		for _, name := range backfillLogs {
			db := dbtest.VictoriaMetrics(t)
			want := backfill(t, db, name)
			compareSamples(t, want, db.Exported(), 1e-11) // it keeps decimals of about 12 digits
		}
	})
	t.Run("Prometheus", func(t *testing.T) {
		for name, end := range map[string]time.Time{
			backfillLogs[0]: time.Date(2007, 8, 14, 20, 0, 0, 0, time.UTC),
			backfillLogs[1]: time.Date(2013, 2, 20, 3, 1, 0, 0, time.UTC),
		} {
			db := dbtest.Prometheus(t)
			compareSamples(t, backfill(t, db, name), db.Queried(end, time.Hour), 0)
		}
	})
}

var backfillLogs = []string{"PAL_SampleLog.blg", "Tx_BasicPerfCounters.blg"}

// backfill sends a log, and returns what there is in it.
func backfill(t *testing.T, db *dbtest.Database, name string) map[string]float64 {
	t.Helper()
	log := filepath.Join(perftest.Data(t), "blg", name)
	var stderr strings.Builder
	args := []string{"convert", log, "-o", "remote-write+" + db.URL}
	if status := Run(t.Context(), args, nil, io.Discard, &stderr); status != console.ExitDone {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	want := samplesOf(t, log)
	said := fmt.Sprintf("%d samples were sent", len(want))
	if !strings.Contains(stderr.String(), said) || !strings.Contains(stderr.String(), "-retentionPeriod") {
		t.Errorf("it said %q, want %q", &stderr, said)
	}
	return want
}

func compareSamples(t *testing.T, want map[string]float64, got dbtest.Samples, tolerance float64) {
	t.Helper()
	wrong := 0
	for key, v := range want {
		found, ok := got[key]
		within := tolerance * math.Abs(v)
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			within = 0
		}
		if !ok || math.Abs(found-v) > within {
			if wrong++; wrong < 5 {
				t.Errorf("%s: %v, found %v (%v)", key, v, found, ok)
			}
		}
	}
	if len(got) != len(want) || len(want) < 300 || wrong > 0 {
		t.Errorf("%d samples, want %d, %d wrong", len(got), len(want), wrong)
	}
}

// An interrupted backfill goes on where it was: each sample is sent once more at most, and the
// second command sends nothing that the first one had acknowledged.
func TestBackfillResumes(t *testing.T) {
	log := filepath.Join(perftest.Data(t), "blg", "PAL_SampleLog.blg")
	state := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Content-Type"), "v2") {
			w.WriteHeader(http.StatusUnsupportedMediaType)
			return
		}
		if requests.Add(1) == 2 {
			_, _ = io.Copy(io.Discard, r.Body) // only then the end of the request shows
			cancel()                           // while the second request is under way
			<-r.Context().Done()
		}
	}))
	defer server.Close()

	send := func(ctx context.Context, want int, more ...string) string {
		t.Helper()
		var stderr strings.Builder
		args := append([]string{"convert", log, "-o", "remote-write+" + server.URL, "--resume", state}, more...)
		if status := Run(ctx, args, nil, io.Discard, &stderr); status != want {
			t.Errorf("status %d, want %d: %s", status, want, &stderr)
		}
		return stderr.String()
	}
	if said := send(ctx, console.ExitFailed); !strings.Contains(said, "interrupted; repeat the command to continue") {
		t.Errorf("it said %q", said)
	}
	text, err := os.ReadFile(state)
	if err != nil || !strings.Contains(string(text), "2007-08-14T19:4") {
		t.Errorf("%s, %v", text, err)
	}
	if said := send(t.Context(), console.ExitDone); !strings.Contains(said, "samples were sent") {
		t.Errorf("it said %q", said)
	}
	before := requests.Load()
	if said := send(t.Context(), console.ExitDone); !strings.Contains(said, "all was sent before") || requests.Load() != before {
		t.Errorf("it said %q in %d requests", said, requests.Load()-before)
	}
	if said := send(t.Context(), console.ExitFailed, log); !strings.Contains(said, "it is about") {
		t.Errorf("it said %q", said)
	}
}
