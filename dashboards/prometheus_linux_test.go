package dashboards

import (
	"bufio"
	"fmt"
	"io"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/dbtest"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// names are the names that metrics have here.
var names = []metrics.Scheme{metrics.Own, metrics.WindowsExporter}

// startWinperf runs the program until the test ends, and returns its address. It pushes to receivers, too.
func startWinperf(t *testing.T, source string, receivers ...string) (address string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "winperf")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/winperf").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config := fmt.Sprintf("source: %q\n", source) + "names: [own, windows_exporter]\nweb: {listen_address: ['127.0.0.1:0']}\npush:\n"
	for i, url := range receivers {
		const form = "- {url: %q, interval: 1s, names: [own, windows_exporter], queue: {dir: %q}}\n"
		config += fmt.Sprintf(form, url, filepath.Join(dir, strconv.Itoa(i)))
	}
	file := filepath.Join(dir, "winperf.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command(program, "serve", "--config", file)
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // fails if it has ended
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if m := serving.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }() // a full pipe would block it
			return m[1]
		}
	}
	t.Fatal("winperf does not serve")
	return ""
}

var serving = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)/metrics`)

// configuration writes the rules to a directory, and returns the text of a Prometheus' configuration with
// them, which evaluates and scrapes every second.
func configuration(t *testing.T, dir string) (text string) {
	t.Helper()
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
	return "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n"
}

// possible are the names of all metrics that the counters of this machine can have, and how many
// values there are: none of an object that has no instances here, or does not know the value.
func possible(t *testing.T, url string) map[string]int {
	t.Helper()
	ctx := t.Context()
	src, err := source.Open(ctx, url)
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
	comparison = regexp.MustCompile(`\s*(==|!=|<=|>=|<|>)\s*(bool )?-?[0-9.]+`)
	onlyPushed = regexp.MustCompile(`\s+unless on \(job, instance\) last_over_time\(up\[1d\]\)`)
	onlyScrape = regexp.MustCompile(`\bup{`)
)

// plain is an expression as Prometheus takes it for one host, and without what may not hold on this machine:
// comparisons with a number, absent(), and how the host's metrics arrive.
func plain(expression, instance string) (whole, data string) {
	whole = strings.NewReplacer("$job", "winperf", "$instance", instance, "$__rate_interval", "20s").Replace(expression)
	data = absent.ReplaceAllString(comparison.ReplaceAllString(whole, ""), "$1")
	return whole, onlyPushed.ReplaceAllString(data, "")
}

// TestExpressions: a real Prometheus that scrapes this machine, and others to which it pushes, have data for
// every expression. Expressions over objects without instances here (a machine may have no disk) are left out.
func TestExpressions(t *testing.T) {
	dir := t.TempDir()
	text := configuration(t, dir)
	databases := map[string]*dbtest.Database{"remote write": dbtest.PrometheusWith(t, dir, text)}
	receivers := []string{"remote-write+" + databases["remote write"].URL}
	if os.Getenv("WINPERF_PROMETHEUS") != "" {
		dir := t.TempDir()
		db := dbtest.CurrentPrometheusWith(t, dir, configuration(t, dir))
		databases["OTLP"], receivers = db, append(receivers, "otlp+"+db.URL+"/api/v1/otlp/v1/metrics")
	}
	// A machine with interfaces of known bandwidth.
	url := "local:?sysfs=" + neturl.QueryEscape(perftest.Sys(t))
	address := startWinperf(t, url, receivers...)
	dir = t.TempDir()
	text = configuration(t, dir)
	databases["scrapes"] = dbtest.PrometheusWith(t, dir, fmt.Sprintf(`%s
scrape_configs:
  - job_name: winperf
    static_configs: [{targets: [%q]}]
`, text, address))

	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for way, db := range databases {
		instance := host
		if way == "scrapes" {
			instance = address
		}
		t.Run(way, func(t *testing.T) { askAll(t, db, url, instance, way == "scrapes") })
	}
}

// askAll asks a database that has one host for all expressions.
func askAll(t *testing.T, db *dbtest.Database, url, instance string, scrapes bool) {
	t.Helper()
	all, rows := questions(t), possible(t, url)
	recorded := map[string]string{}
	for _, r := range readRules(t) {
		recorded[r.Record] = r.Expr
	}

	asked := 0
	deadline := time.Now().Add(5 * time.Minute)
	for _, q := range all {
		whole, data := plain(q.text, instance)
		if _, err := db.Query(whole); err != nil {
			t.Errorf("%s: %s: %v", q.where, whole, err)
			continue
		}
		if !scrapes && onlyScrape.MatchString(q.text) && !strings.Contains(q.text, " or winperf_") {
			t.Logf("left out, as it is about scrapes: %s", q.where)
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
