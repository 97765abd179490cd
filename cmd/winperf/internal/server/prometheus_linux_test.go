package server

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/internal/dbtest"
)

// ask returns the value that a Prometheus has for an expression, as text: "" where it has none.
func ask(db *dbtest.Database, expression string) string {
	got, err := db.Query(expression)
	if err != nil || len(got) != 1 {
		return ""
	}
	return strconv.FormatFloat(got[0].Value, 'g', -1, 64)
}

// TestPrometheus: a real Prometheus scrapes over TLS with a password, and answers with the values
// that the source had.
func TestPrometheus(t *testing.T) {
	dir := t.TempDir()
	file, _ := secure(t, dir, "secret", "")
	s := start(t, Config{Web: Web{ConfigFile: file}})
	db := dbtest.PrometheusWith(t, dir, fmt.Sprintf(`
global: {scrape_interval: 100ms, scrape_timeout: 100ms}
scrape_configs:
  - job_name: winperf
    scheme: https
    tls_config: {ca_file: cert.pem}
    basic_auth: {username: monitor, password: secret}
    static_configs: [{targets: [%q]}]
  - job_name: stranger
    scheme: https
    tls_config: {ca_file: cert.pem}
    basic_auth: {username: monitor, password: wrong}
    static_configs: [{targets: [%[1]q]}]
`, strings.TrimPrefix(s.url, "https://")))

	// In every scrape the memory is what the count of samples says.
	const right = "winperf_memory_available_bytes - on (job) winperf_samples_total"
	deadline := time.Now().Add(5 * time.Minute)
	for ask(db, right+` and on (job) (winperf_samples_total > 3)`) != "4095" {
		if time.Now().After(deadline) {
			t.Fatalf("memory less samples is %q, samples %q, up %q", ask(db, right),
				ask(db, "winperf_samples_total"), ask(db, `up{job="winperf"}`))
		}
		time.Sleep(50 * time.Millisecond) // between two questions to another program
	}

	for expression, want := range map[string]string{
		`up{job="winperf"}`:                                                                 "1",
		`up{job="stranger"}`:                                                                "0",
		`winperf_object_up{object="Processor"}`:                                             "1",
		`count(winperf_processor_interrupts_total{job="winperf"})`:                          "2",
		`count({__name__=~"winperf_.*",job="stranger"}) or vector(0)`:                       "0",
		`max(winperf_processor_interrupts_total) - min(winperf_processor_interrupts_total)`: "1000",
	} {
		got := ask(db, expression)
		for got != want && time.Now().Before(deadline) { // a slow scrape ends all series until the next
			time.Sleep(50 * time.Millisecond)
			got = ask(db, expression)
		}
		if got != want {
			t.Errorf("%s is %q, want %s", expression, got, want)
		}
	}
}
