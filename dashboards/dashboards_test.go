// Package dashboards has no program: its tests prove that the dashboards and rules of this
// directory, and the questions of docs/metrics.md, ask for metrics that there are.
package dashboards

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/strictyaml"
)

// dashboard is what the tests look at in the JSON of Grafana.
type dashboard struct {
	UID        string
	Title      string
	Templating struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
		}
	}
	Panels []panel
}

type panel struct {
	ID      int
	Title   string
	Type    string
	GridPos struct{ X, Y, W, H int }
	Targets []struct {
		Expr, LegendFormat, RefID string
		Datasource                struct{ Type, UID string }
	}
	FieldConfig struct{ Defaults struct{ Max *float64 } }
}

// files are the dashboards, and what chooses hosts in each of their expressions.
var files = map[string]string{
	"host.json":  `{job=~"$job",instance=~"$instance"`,
	"hosts.json": `{job=~"$job"`,
}

func readDashboard(t *testing.T, file string) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return d
}

// rule is one of rules.yml.
type rule struct {
	Record      string            `yaml:"record"`
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr,required"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func readRules(t *testing.T) (rules []rule) {
	t.Helper()
	text, err := os.ReadFile("rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Groups []struct {
			Name     string `yaml:"name"`
			Interval string `yaml:"interval"`
			Rules    []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := strictyaml.Decode("rules.yml", text, &f); err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules
}

// metricName finds the names of metrics in an expression.
var metricName = regexp.MustCompile(`\b(winperf|windows|instance|instance_name)[:_][a-z0-9_:]+`)

// TestDashboards: Grafana shows each panel, and each expression is of the hosts that were chosen.
func TestDashboards(t *testing.T) {
	for file, hosts := range files {
		d := readDashboard(t, file)
		if d.UID == "" || d.Title == "" || len(d.Panels) == 0 {
			t.Errorf("%s: %q, %q, %d panels", file, d.UID, d.Title, len(d.Panels))
		}

		ids, titles, taken := map[int]bool{}, map[string]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			if ids[p.ID] || p.ID == 0 || p.Title == "" || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d, %q, has %d targets; the number is there before: %v",
					file, p.ID, p.Title, len(p.Targets), ids[p.ID])
			}
			ids[p.ID] = true
			if titles[p.Title] {
				t.Errorf("%s: two panels are called %s", file, p.Title)
			}
			titles[p.Title] = true
			checkPlace(t, file, &p, taken)
			checkTargets(t, file, &p, hosts)
		}
	}
}

// TestCommittedMemoryHasNoTop: Linux promises more memory than its limit, and what is above the top of a panel
// is not drawn.
func TestCommittedMemoryHasNoTop(t *testing.T) {
	shown := 0
	for file := range files {
		for _, p := range readDashboard(t, file).Panels {
			for _, target := range p.Targets {
				if !strings.Contains(target.Expr, "winperf_memory_committed") {
					continue
				}
				shown++
				if top := p.FieldConfig.Defaults.Max; top != nil {
					t.Errorf("%s: %s ends at %v", file, p.Title, *top)
				}
			}
		}
	}
	if shown < 2 {
		t.Errorf("committed memory is shown %d times", shown)
	}
}

// checkPlace: a panel is in the grid of 24 columns, and on no other.
func checkPlace(t *testing.T, file string, p *panel, taken map[[2]int]string) {
	t.Helper()
	g := p.GridPos
	if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
		t.Errorf("%s: %s stands at %+v", file, p.Title, g)
	}
	for x := g.X; x < g.X+g.W; x++ {
		for y := g.Y; y < g.Y+g.H; y++ {
			if other := taken[[2]int{x, y}]; other != "" {
				t.Fatalf("%s: %s stands on %s", file, p.Title, other)
			}
			taken[[2]int{x, y}] = p.Title
		}
	}
}

func checkTargets(t *testing.T, file string, p *panel, hosts string) {
	t.Helper()
	refs := map[string]bool{}
	for _, target := range p.Targets {
		if refs[target.RefID] || target.RefID == "" || target.Datasource.UID != "${datasource}" {
			t.Errorf("%s: %s has the target %+v", file, p.Title, target)
		}
		refs[target.RefID] = true
		for _, at := range metricName.FindAllStringIndex(target.Expr, -1) {
			if !strings.HasPrefix(target.Expr[at[1]:], hosts) {
				t.Errorf("%s: %s: %s is not of the hosts chosen: expected %s behind the name",
					file, p.Title, target.Expr[at[0]:], hosts)
			}
		}
	}
}

// TestRules: promtool finds nothing wrong with the rules, and the alerts fire where they should and
// nowhere else (rules_test.yml).
func TestRules(t *testing.T) {
	program, err := exec.LookPath("promtool")
	if err != nil && runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("there is no promtool (Debian package prometheus)")
	}
	for _, args := range [][]string{{"check", "rules", "rules.yml"}, {"test", "rules", "rules_test.yml"}} {
		if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestAlertsAreTested: each alert and each recording rule is in rules_test.yml.
func TestAlertsAreTested(t *testing.T) {
	text, err := os.ReadFile("rules_test.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range readRules(t) {
		want := "alertname: " + r.Alert + "\n"
		if r.Alert == "" {
			want = "expr: " + r.Record + "\n"
		}
		if !strings.Contains(strings.ReplaceAll(string(text), "\r\n", "\n"), want) {
			t.Errorf("rules_test.yml lacks %q", want)
		}
	}
}
