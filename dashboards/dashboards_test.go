// Package dashboards has no program: its tests prove that the dashboards and rules of this
// directory, and the questions of docs/metrics.md, ask for metrics that there are.
package dashboards

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/strictyaml"
)

// dashboard is what the tests look at in the JSON of Grafana.
type dashboard struct {
	UID, Title, Description string
	Editable                bool
	Tags                    []string
	Links                   []struct {
		Type, URL   string
		Tags        []string
		IncludeVars bool
	}
	Templating struct{ List []variable }
	Panels     []panel
}

// variable is a choice above the panels.
type variable struct {
	Name, Label, Type, AllValue string
	Multi, IncludeAll           bool
	Refresh                     int
	Datasource                  struct{ UID string }
	Query                       json.RawMessage
}

type panel struct {
	ID                       int
	Title, Description, Type string
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct {
		Expr, LegendFormat, RefID string
		Datasource                struct{ Type, UID string }
	}
	FieldConfig struct {
		Defaults struct {
			Max   *float64
			Unit  string
			Links []struct{ URL string }
		}
	}
}

var files = []string{"host.json", "hosts.json"}

// hosts chooses hosts in each expression of the dashboards.
const hosts = `{job=~"$job",instance=~"$instance"`

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
	for _, file := range files {
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
			checkTargets(t, file, &p)
		}
	}
}

// TestDashboardLinter checks the rules of Grafana's dashboard-linter that the other tests do not check.
func TestDashboardLinter(t *testing.T) {
	for _, file := range files {
		d := readDashboard(t, file)
		if d.Editable || d.Description == "" {
			t.Errorf("%s: editable %v, description %q", file, d.Editable, d.Description)
		}
		for i, name := range []string{"Data source", "Job", "Instance"} {
			if len(d.Templating.List) != 3 || d.Templating.List[i].Label != name {
				t.Fatalf("%s: the variables are %+v", file, d.Templating.List)
			}
			v := d.Templating.List[i]
			all := v.Multi && v.IncludeAll && v.AllValue == ".+" && v.Refresh == 2
			if i > 0 && (!all || v.Name != strings.ToLower(name) || v.Datasource.UID != "${datasource}") {
				t.Errorf("%s: %+v", file, v)
			}
		}
		for _, p := range d.Panels {
			if p.Description == "" || p.FieldConfig.Defaults.Unit == "" {
				t.Errorf("%s: %s: description %q, unit %q", file, p.Title, p.Description, p.FieldConfig.Defaults.Unit)
			}
			for _, target := range p.Targets {
				if m := otherRange.FindString(target.Expr); m != "" {
					t.Errorf("%s: %s: %s, expected $__rate_interval", file, p.Title, m)
				}
				if strings.Contains(target.Expr, "vector(0)") {
					t.Errorf("%s: %s shows 0 for unknown values", file, p.Title)
				}
			}
		}
	}
}

// otherRange finds a rate over a fixed range.
var otherRange = regexp.MustCompile(`rate\([^()]*\[[^$\]]+\]`)

// TestDashboardLinks checks that each dashboard links to the other one with the chosen hosts, and that each graph
// of many hosts links to the host of a line, whose labels job and instance it has.
func TestDashboardLinks(t *testing.T) {
	for _, file := range files {
		d := readDashboard(t, file)
		if len(d.Links) != 1 || d.Links[0].Type != "dashboards" || !d.Links[0].IncludeVars ||
			!slices.Equal(d.Links[0].Tags, d.Tags) {
			t.Errorf("%s: links %+v, tags %q", file, d.Links, d.Tags)
		}
	}

	to := "/d/" + readDashboard(t, "host.json").UID + "?"
	for _, p := range readDashboard(t, "hosts.json").Panels {
		links := p.FieldConfig.Defaults.Links
		if p.Type == "timeseries" && (len(links) != 1 || !strings.HasPrefix(links[0].URL, to)) {
			t.Errorf("hosts.json: %s has the links %+v, expected one to %s", p.Title, links, to)
		}
		for _, target := range p.Targets {
			if m := lostJob.FindString(target.Expr); m != "" {
				t.Errorf("hosts.json: %s: %s has no label job", p.Title, m)
			}
		}
	}
}

// lostJob finds an aggregation of hosts without the job.
var lostJob = regexp.MustCompile(`by \((instance[^)]*|name[^)]*)\)`)

// TestCommittedMemoryHasNoTop: Linux promises more memory than its limit, and what is above the top of a panel
// is not drawn.
func TestCommittedMemoryHasNoTop(t *testing.T) {
	shown := 0
	for _, file := range files {
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

func checkTargets(t *testing.T, file string, p *panel) {
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

// TestRunbooks checks that each alert has a summary, a description and a section in docs/runbooks.md, and that
// each section there is about an alert.
func TestRunbooks(t *testing.T) {
	text, err := os.ReadFile("../docs/runbooks.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^### (\w+)\r?$`).FindAllStringSubmatch(string(text), -1) {
		sections[m[1]] = true
	}

	const page = "https://github.com/winperf/winperf/blob/main/docs/runbooks.md#"
	for _, r := range readRules(t) {
		if r.Alert == "" {
			continue
		}
		a := r.Annotations
		if a["summary"] == "" || a["description"] == "" || a["runbook_url"] != page+strings.ToLower(r.Alert) {
			t.Errorf("%s has the annotations %v", r.Alert, a)
		}
		if !sections[r.Alert] {
			t.Errorf("docs/runbooks.md has no section %s", r.Alert)
		}
		delete(sections, r.Alert)
	}
	for name := range sections {
		t.Errorf("docs/runbooks.md has the section %s, which is no alert", name)
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
