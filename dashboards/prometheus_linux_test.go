package dashboards

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/serve"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// names are the names that metrics have here.
var names = []metrics.Scheme{metrics.Own, metrics.WindowsExporter}

// startServing serves this machine until the test ends, and returns its address.
func startServing(t *testing.T) string {
	t.Helper()
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	exporter, err := serve.New(t.Context(), src, serve.Options{Config: serve.Config{Names: names}})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", exporter)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(exporter.Close(), src.Close()); err != nil {
			t.Error(err)
		}
	})
	return server.Listener.Addr().String()
}

// startPrometheus scrapes an address every second, with the rules loaded.
func startPrometheus(t *testing.T, address string) *dbtest.Database {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile("rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	const slow = "interval: 30s" // of a group of rules
	if !strings.Contains(string(rules), slow) {
		t.Fatalf("rules.yml has no %q", slow)
	}
	fast := strings.ReplaceAll(string(rules), slow, "interval: 1s")
	if err := os.WriteFile(filepath.Join(dir, "rules.yml"), []byte(fast), 0o600); err != nil {
		t.Fatal(err)
	}
	return dbtest.PrometheusWith(t, dir, fmt.Sprintf(`
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs:
  - job_name: winperf
    static_configs: [{targets: [%q]}]
`, address))
}

// possible are the names of all metrics that the counters of this machine can have, and how many
// values there are: none of an object that has no instances here, or does not know the value.
func possible(t *testing.T) map[string]int {
	t.Helper()
	ctx := t.Context()
	src, err := source.Open(ctx, "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m := measure.New(src, winperf.Selection{Global: true}, measure.Options{FramesOnly: true})
	cycle, err := m.Cycle(ctx)
	if err != nil {
		t.Fatal(err)
	}
	set, err := metrics.NewMapper(metrics.Options{Names: names}).Map(cycle.Frame, cycle.Names)
	if err != nil {
		t.Fatal(err)
	}

	rows := map[string]int{}
	for _, f := range set.Families {
		for _, c := range f.Columns {
			rows[f.Name+c.Suffix] += 0 // it is made, without values too
			for i := range c.Rows.Len() {
				if c.Has(i) {
					rows[f.Name+c.Suffix]++
				}
			}
		}
	}
	return rows
}

var (
	absent     = regexp.MustCompile(`absent\(([^)]*)\)`)
	comparison = regexp.MustCompile(`\s*(==|!=|<=|>=|<|>)\s*[0-9.]+`)
	variables  = strings.NewReplacer("$job", "winperf", "$instance", "127.0.0.1:.*", "$__rate_interval", "20s")
)

// plain is an expression as Prometheus takes it, and without what may not hold on this machine:
// comparisons with a number, absent(), and what stands in for missing data.
func plain(expression string) (whole, data string) {
	whole = variables.Replace(expression)
	data = absent.ReplaceAllString(comparison.ReplaceAllString(whole, ""), "$1")
	return whole, strings.ReplaceAll(data, " or vector(0)", "")
}

// TestExpressions: a real Prometheus that scrapes this machine has data for every expression.
// Expressions over objects without instances here (a machine may have no disk) are left out.
func TestExpressions(t *testing.T) {
	all := questions(t)
	db := startPrometheus(t, startServing(t))
	rows := possible(t)
	recorded := map[string]string{}
	for _, r := range readRules(t) {
		recorded[r.Record] = r.Expr
	}

	asked := 0
	deadline := time.Now().Add(5 * time.Minute)
	for _, q := range all {
		whole, data := plain(q.text)
		if _, err := db.Query(whole); err != nil {
			t.Errorf("%s: %s: %v", q.where, whole, err)
			continue
		}
		if none := lacking(q.text, rows, recorded); none != "" {
			t.Logf("left out, as nothing here has %s: %s", none, q.where)
			continue
		}
		asked++
		ask(t, db, &q, data, deadline)
	}
	t.Logf("%d of %d expressions asked", asked, len(all))
}

// lacking is the first metric in an expression that the counters of this machine make, but that
// no instance has here.
func lacking(expression string, rows map[string]int, recorded map[string]string) string {
	for _, name := range metricName.FindAllString(expression, -1) {
		if expr := recorded[name]; expr != "" {
			if none := lacking(expr, rows, nil); none != "" {
				return none
			}
		}
		if n, made := rows[name]; made && n == 0 {
			return name
		}
	}
	return ""
}

// ask waits until an expression has data: rates need two scrapes.
func ask(t *testing.T, db *dbtest.Database, q *question, expression string, deadline time.Time) {
	t.Helper()
	for {
		got, err := db.Query(expression)
		if err != nil {
			t.Errorf("%s: %s: %v", q.where, expression, err)
			return
		}
		if len(got) > 0 {
			checkLabels(t, q, got)
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: %s has no data", q.where, expression)
			return
		}
		time.Sleep(50 * time.Millisecond) // between two questions to another program
	}
}

// checkLabels: the values have the labels that a legend or a message shows.
func checkLabels(t *testing.T, q *question, got []dbtest.Instant) {
	t.Helper()
	for _, label := range q.labels {
		if i := slices.IndexFunc(got, func(v dbtest.Instant) bool { return v.Labels[label] == "" }); i >= 0 {
			t.Errorf("%s: %v has no label %s", q.where, got[i].Labels, label)
		}
	}
}
