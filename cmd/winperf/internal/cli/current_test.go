package cli

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
)

// TestCurrentPrometheus sends a real log to a Prometheus that is newer than Debian's, in the protocols that
// only such a one knows, and finds each value of it there, and no other.
func TestCurrentPrometheus(t *testing.T) {
	for _, c := range []struct{ name, scheme, path, form string }{
		{"remote write 2.0", "remote-write+", "/api/v1/write", "application/x-protobuf;proto=io.prometheus.write.v2.Request"},
		{"OTLP", "otlp+", "/api/v1/otlp/v1/metrics", "application/x-protobuf"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := dbtest.CurrentPrometheus(t)
			log := filepath.Join(perftest.Data(t), "blg", backfillLogs[0])
			proxy := newWitness(t, db.URL)
			var stderr strings.Builder
			args := []string{"convert", log, "-o", c.scheme + proxy.url + c.path}
			if status := Run(t.Context(), args, nil, io.Discard, &stderr); status != console.ExitDone {
				t.Fatalf("status %d: %s", status, &stderr)
			}

			proxy.check(t, c.form)
			got := db.Queried(time.Date(2007, 8, 14, 20, 0, 0, 0, time.UTC), time.Hour)
			maps.DeleteFunc(got, func(key string, _ float64) bool {
				return strings.Contains(key, `__name__="target_info"`) // attributes of the resource
			})
			compareSamples(t, samplesOf(t, log), got, 0)
		})
	}
}

// witness stands between a sender and a database, and notes which requests were answered how.
type witness struct {
	url string

	mu       sync.Mutex
	forms    map[string]int // requests by Content-Type
	statuses map[int]int
}

func newWitness(t *testing.T, to string) *witness {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{forms: map[string]int{}, statuses: map[int]int{}}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.forms[r.Request.Header.Get("Content-Type")]++
		w.statuses[r.StatusCode/100]++
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	w.url = server.URL
	return w
}

// check wants all requests to have been of one form, and taken.
func (w *witness) check(t *testing.T, form string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.forms) != 1 || w.forms[form] == 0 || len(w.statuses) != 1 || w.statuses[2] == 0 {
		t.Errorf("requests of %v with answers of %v, want only %s and 2xx", w.forms, w.statuses, form)
	}
}
