package dashboards

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// question is an expression, and where it is.
type question struct {
	where, text string
	labels      []string // that its values must have
}

var (
	legendLabel = regexp.MustCompile(`{{\s*([a-z_]+)\s*}}`)
	alertLabel  = regexp.MustCompile(`\$labels\.([a-z_]+)`)
	labelValues = regexp.MustCompile(`^label_values\((.*), *([a-z_]+)\)$`)
)

func found(of *regexp.Regexp, text string) (all []string) {
	for _, m := range of.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// questions are all that are asked.
func questions(t *testing.T) (all []question) {
	t.Helper()
	for _, file := range files {
		d := readDashboard(t, file)
		for _, v := range d.Templating.List {
			var query struct{ Query string }
			if v.Type != "query" {
				continue
			}
			if err := json.Unmarshal(v.Query, &query); err != nil {
				t.Fatal(err)
			}
			m := labelValues.FindStringSubmatch(query.Query)
			if m == nil {
				t.Fatalf("%s: variable %s: %s", file, v.Name, query.Query)
			}
			all = append(all, question{file + ": variable " + v.Name, m[1], m[2:]})
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				where := fmt.Sprintf("%s: %s, %s", file, p.Title, target.RefID)
				all = append(all, question{where, target.Expr, found(legendLabel, target.LegendFormat)})
			}
		}
	}

	for _, r := range readRules(t) {
		all = append(all, question{"rules.yml: " + r.Record + r.Alert, r.Expr,
			found(alertLabel, r.Annotations["summary"])})
		if r.Record != "" {
			all = append(all, question{"rules.yml: what is recorded", r.Record, nil})
		}
	}
	return append(all, documented(t)...)
}

// documented are the expressions in docs/metrics.md: in blocks of promql, with empty lines between
// them.
func documented(t *testing.T) (all []question) {
	t.Helper()
	const file = "../docs/metrics.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "```promql\n")
	for _, block := range blocks[1:] {
		block, _, _ = strings.Cut(block, "```")
		for part := range strings.SplitSeq(block, "\n\n") {
			all = append(all, question{file, strings.TrimSpace(part), nil})
		}
	}
	if len(all) < 10 {
		t.Errorf("%s has %d expressions", file, len(all))
	}
	return all
}
