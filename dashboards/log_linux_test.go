package dashboards

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
	"github.com/winperf/winperf/source"
)

// live are panels about winperf itself, of which a log of Windows has nothing.
var live = []string{
	"host.json: Anomalies per hour", "host.json: Cost of samples", "host.json: Series",
	"host.json: Age of the last sample", "host.json: Push: waiting samples", "host.json: Push: lost values",
	"hosts.json: Hosts without samples", "hosts.json: Missing objects", "hosts.json: Failing pushes",
	"hosts.json: Failed reloads", "hosts.json: Series of all hosts", "hosts.json: Duration of a sample",
	"hosts.json: Versions",
}

// TestWindowsLog: a log of Windows in a Prometheus, by the way that docs/backfill.md shows, gives data to every
// panel, and every expression over metrics that it has.
func TestWindowsLog(t *testing.T) {
	log, err := filepath.Abs("../../shared/data/blg/PAL_SampleLog.blg")
	if err == nil {
		_, err = os.Stat(log)
	}
	if err != nil {
		t.Skip("no real data: ", err)
	}
	if _, err := exec.LookPath("promtool"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("there is no promtool (Debian package prometheus)")
	}
	data, names, last := blocksOf(t, log)
	db := dbtest.PrometheusOf(t, data)

	shown, asked := map[string]bool{}, 0
	for _, q := range questions(t) {
		expression := ofLog(t, q.text)
		if strings.Contains(expression, "up{") || slices.ContainsFunc(metricName.FindAllString(expression, -1),
			func(name string) bool { return !names[name] }) {
			continue // over what the log does not have
		}
		asked++
		got, err := db.QueryAt(expression, last)
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %s has no data: %v", q.where, expression, err)
			continue
		}
		checkLabels(t, &q, got)
		checkTotals(t, &q, got)
		panel, _, _ := strings.Cut(q.where, ", ")
		shown[panel] = true
	}

	t.Logf("%d expressions asked", asked)

	for _, file := range files {
		for _, p := range readDashboard(t, file).Panels {
			if name := file + ": " + p.Title; shown[name] == slices.Contains(live, name) {
				t.Errorf("%s shows the log: %v", name, shown[name])
			}
		}
	}
	if got, err := db.QueryAt(`count(winperf_processor_processor_time_inactive_seconds_total)`, last); err != nil ||
		len(got) != 1 || got[0].Value != 1 {
		t.Errorf("the machine has one processor, not %v (%v)", got, err)
	}
}

// ofLog is an expression over the machine of the log, whose samples are a minute apart; what rules record is
// there as it is computed.
func ofLog(t *testing.T, expression string) string {
	t.Helper()
	for _, r := range readRules(t) {
		if r.Record != "" {
			expression = strings.ReplaceAll(expression, r.Record, "("+r.Expr+")")
		}
	}
	expression = comparison.ReplaceAllString(expression, "")
	return strings.NewReplacer("$job", "winperf", "$instance", "ZACH-PC", "$__rate_interval", "4m").Replace(expression)
}

// checkTotals: nothing is a sum of the others next to it.
func checkTotals(t *testing.T, q *question, got []dbtest.Instant) {
	t.Helper()
	for _, v := range got {
		if strings.Contains(v.Labels["name"], "_Total") {
			t.Errorf("%s: %v is a total", q.where, v.Labels)
		}
	}
}

// blocksOf makes blocks of a log. It returns their directory, the names of all metrics, and the time of
// the last sample.
func blocksOf(t *testing.T, log string) (data string, names map[string]bool, last time.Time) {
	t.Helper()
	src, err := source.Open(t.Context(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()

	dir := t.TempDir()
	text, data := filepath.Join(dir, "log.om"), filepath.Join(dir, "data")
	file, err := os.Create(text)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	names, last = writeHistory(t, file, src)
	out, err := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", text, data).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return data, names, last
}

// writeHistory writes a log as convert -o openmetrics does.
func writeHistory(t *testing.T, to io.Writer, src winperf.Source) (names map[string]bool, last time.Time) {
	t.Helper()
	names = map[string]bool{}
	labels, _ := push.Identity(src.Describe().Machine, "", "")
	history := prometheus.NewBackfill(to, nil)
	mapper := metrics.NewMapper(metrics.Options{LoneTotals: true, Groups: metrics.Grouping{By: metrics.ByName}})

	all := winperf.Selection{Global: true}
	for c, err := range measure.Watch(t.Context(), src, all, measure.Options{KeepFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		set, err := mapper.Map(c.Frame, c.Names)
		if err == nil {
			err = history.Add(set, labels...)
		}
		if err != nil {
			t.Fatal(err)
		}

		last = set.Time
		for _, f := range set.Families {
			for _, column := range f.Columns {
				names[f.Name+column.Suffix] = true
			}
		}
	}
	if err := history.Close(); err != nil {
		t.Fatal(err)
	}
	return names, last
}
