package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
)

// all returns a table of every name that windows_exporter has or had.
func all(t testing.TB) []Block {
	t.Helper()
	now, err := WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}
	legacy, err := Legacy()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(now.Blocks, legacy.Blocks)
}

// TestNames: names are as the consumers of a table take them, and each stands for one thing.
func TestNames(t *testing.T) {
	otel, err := OTel()
	if err != nil {
		t.Fatal(err)
	}

	checkNames(t, all(t), regexp.MustCompile(`^windows_[a-zA-Z0-9_]+$`), regexp.MustCompile(`^[a-z_]+$`))
	dots := regexp.MustCompile(`^[a-z]+(\.[a-z0-9_]+)+$`)
	checkNames(t, otel.Blocks, dots, dots)
	for _, b := range otel.Blocks {
		for _, r := range b.Rows {
			if r.Unit == "" {
				t.Errorf("%s has no unit", r.Metric)
			}
		}
	}
}

func checkNames(t *testing.T, blocks []Block, name, label *regexp.Regexp) {
	t.Helper()
	types := map[string]byte{}
	seen := map[string]bool{}
	for _, b := range blocks {
		for _, r := range b.Rows {
			if !name.MatchString(r.Metric) {
				t.Errorf("%s is no name of a metric", r.Metric)
			}
			if was, known := types[r.Metric]; known && was != r.Type {
				t.Errorf("%s is of type %c and %c", r.Metric, was, r.Type)
			}
			types[r.Metric] = r.Type

			key := fmt.Sprint(b.Objects, b.Kind, r.Metric, r.Labels)
			if seen[key] {
				t.Errorf("%s %v stands twice in the blocks of %v", r.Metric, r.Labels, b.Objects)
			}
			seen[key] = true
			for _, l := range labelNames(b, r) {
				if !label.MatchString(l) {
					t.Errorf("%s: %q is no name of a label", r.Metric, l)
				}
			}
		}
	}
}

// labelNames are all names of labels that values of a row have, sorted.
func labelNames(b Block, r Row) (names []string) {
	for _, l := range b.Labels {
		names = append(names, l.Name)
	}
	for _, l := range r.Labels {
		names = append(names, l.Name)
	}
	for _, o := range b.Objects {
		for _, l := range o.Labels {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// fact is a row of what was read from the sources of windows_exporter.
type fact struct {
	Metric      string   `json:"metric"`
	Type        string   `json:"type"`
	Labels      []string `json:"labels"`
	Collector   string   `json:"collector"`
	Object      []string `json:"object"`
	Value       string   `json:"value"`
	LabelValues []string `json:"label_values"`
	Class       string   `json:"class"`
}

// TestFacts: every metric that windows_exporter has is in the table with its type, labels, their
// values, object, counter and conversion, and the table has no others.
func TestFacts(t *testing.T) {
	text, err := os.ReadFile("../../../../../shared/facts/windows-exporter-metrics.json")
	if err != nil {
		t.Skip("there are no facts to compare with: ", err)
	}
	var facts []fact
	if err := json.Unmarshal(text, &facts); err != nil {
		t.Fatal(err)
	}
	now, err := WindowsExporter()
	if err != nil {
		t.Fatal(err)
	}

	metrics := products(t)
	for _, name := range []string{"service_state", "logical_disk_readonly", "diskdrive_info", "diskdrive_size", "diskdrive_partitions",
		"diskdrive_status", "diskdrive_availability"} {
		metrics["windows_"+name] = true // TestGolden compares them
	}
	counters := 0
	for _, f := range facts {
		metrics[f.Metric] = true
		if f.Class == "counter" {
			counters++
			checkCounter(t, now.Blocks, f)
			continue
		}
		if !slices.ContainsFunc(now.Blocks, func(b Block) bool { return says(b, f) }) {
			t.Errorf("%s of type %s with labels %v is missing", f.Metric, f.Type, f.Labels)
		}
	}
	if counters < 900 {
		t.Errorf("the facts have %d counters, too few to prove anything", counters)
	}
	for _, b := range now.Blocks {
		for _, r := range b.Rows {
			if !metrics[r.Metric] && b.Collector != "exporter" {
				t.Errorf("%s is in the table and not in the facts", r.Metric)
			}
		}
	}
}

// products are the metrics of testdata/products.txt: TestProducts of package metrics compares them.
func products(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/products.txt")
	if err != nil {
		t.Fatal(err)
	}
	metrics := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		_, metric, _ := strings.Cut(line, "|")
		metric, _, _ = strings.Cut(metric, "|")
		metrics[metric] = true
	}
	return metrics
}

// says reports whether a block has the metric of a fact that is of no one counter, with type and labels.
// The facts leave some of os_info open.
func says(b Block, f fact) bool {
	return slices.ContainsFunc(b.Rows, func(r Row) bool {
		names := labelNames(b, r)
		want := slices.Sorted(slices.Values(f.Labels))
		if f.Metric == "windows_os_info" {
			want = names
		}
		return r.Metric == f.Metric && sameType(r.Type, f.Type) && slices.Equal(names, want)
	})
}

func sameType(letter byte, word string) bool { return strings.EqualFold(string(letter), word[:1]) }

var quoted = regexp.MustCompile(`«([^»]*)»`)

// checkCounter compares a fact about counters with the table.
func checkCounter(t *testing.T, blocks []Block, f fact) {
	t.Helper()
	objects, names := factCounters(f)
	for _, b := range blocks {
		if b.Collector != f.Collector || b.Kind != Counters || !slices.Equal(b.primary(), objects) {
			continue
		}
		for _, r := range b.Rows {
			if r.Metric == f.Metric && slices.Equal(values(r), f.LabelValues) && f.Metric != poolState {
				compare(t, b, r, f, names)
				return
			}
			if r.Metric == poolState && r.Metric == f.Metric {
				compare(t, b, r, f, names)
				return
			}
		}
	}
	t.Errorf("%s%v of %v is missing", f.Metric, f.LabelValues, objects)
}

const poolState = "windows_iis_current_application_pool_state"

// primary are the names of the objects of a block; of Process and Process V2 both.
func (b *Block) primary() (names []string) {
	for _, o := range b.Objects {
		if !o.Else || o.Name == "Process" {
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	return names
}

// factCounters returns the objects and counters that a fact speaks of.
func factCounters(f fact) (objects, counters []string) {
	for _, m := range quoted.FindAllStringSubmatch(f.Value, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(m[1], ",secondvalue"), " (base)")
		if object, counter, isPath := strings.Cut(name, `\`); isPath {
			objects, name = []string{object}, counter
		}
		if !slices.Contains(counters, name) {
			counters = append(counters, name)
		}
	}

	if len(f.Object) > 0 {
		first, _, _ := strings.Cut(f.Object[0], " | ")
		objects = append([]string{first}, f.Object[1:]...)
	}
	if f.Collector == "terminal_services" {
		objects = []string{"Terminal Services Session"}
		if strings.Contains(f.Metric, "broker") {
			objects = []string{"Remote Desktop Connection Broker Counterset"}
		}
	}
	slices.Sort(objects)
	return objects, counters
}

func values(r Row) []string {
	vs := []string{}
	for _, l := range r.Labels {
		vs = append(vs, l.Value)
	}
	return vs
}

// compare compares a row with its fact.
func compare(t *testing.T, b Block, r Row, f fact, counters []string) {
	t.Helper()
	if !sameType(r.Type, f.Type) {
		t.Errorf("%s is of type %c, want %s", r.Metric, r.Type, f.Type)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(f.Labels)), labelNames(b, r)); diff != "" {
		t.Errorf("%s: labels (-want +got):\n%s", r.Metric, diff)
	}
	if f.Metric == "windows_logical_disk_size_bytes" { // of which the free megabytes tell the unit
		counters = append(counters, "Free Megabytes")
	}
	if diff := cmp.Diff(counters, r.Counters); diff != "" {
		t.Errorf("%s%v: counters (-want +got):\n%s", r.Metric, r.Labels, diff)
	}
	if want := factConversion(f); r.Convert != want {
		t.Errorf("%s%v: conversion %+v, want %+v of %q", r.Metric, r.Labels, r.Convert, want, f.Value)
	}
}

var factor = regexp.MustCompile(`»([*/])([0-9.]+)$`)

// factConversion is the conversion that a fact puts into words.
func factConversion(f fact) Conversion {
	c := Conversion{Times: 1, Over: 1}
	m := factor.FindStringSubmatch(f.Value)
	if m != nil {
		var by float64
		_, _ = fmt.Sscan(m[2], &by) // 0 compares with nothing
		if m[1] == "*" {
			c.Times = by
		} else {
			c.Over = by
		}
	}

	has := func(s string) bool { return strings.Contains(f.Value, s) }
	switch {
	case f.Metric == "windows_logical_disk_size_bytes":
		return Conversion{Size, 1, 1}
	case has("Uptime"):
		c.Op = Start
	case has("Time Since Last"):
		c.Op = Elapsed
	case has("»*1e-7"), has("Frequency_PerfTime"):
		c = Conversion{Seconds, 1, 1}
	case has("(base)"):
		c.Op = Percent
	case has("secondvalue"):
		c.Op = Base
	case has("2^32"):
		c.Op = High
	case has("273.15"):
		c.Op = Kelvin
	case has("»+«"):
		c.Op = Sum
	case has("current value of"):
		c.Op = Is
	}
	if f.Collector == "iis" && has("Service Uptime") {
		c.Op = Raw
	}
	return c
}

// TestParse: what a table can say, and what is wrong in one, with its line.
func TestParse(t *testing.T) {
	const good = "# names\n\ncollector a\nobject A {x=1, y=2}\nelse B\nlabels n=instance, id=[ID or Id], p=after phys, u=user [UID]\n" +
		"m_total | C | mode=idle | % Idle | base *1024 | s\nm | G | | X + Y | sum\n" +
		"e | G | | P or Q\n\ncollector f\nfacts\ni | I | a, b | what\n"
	got, err := Parse("good", good)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{{
		Collector: "a",
		Objects:   []Object{{Name: "A", Labels: []Pair{{"x", "1"}, {"y", "2"}}}, {Name: "B", Else: true}},
		Labels: []Label{{Name: "n"}, {Name: "id", Rule: Value, Counters: []string{"ID", "Id"}},
			{Name: "p", Rule: After, Key: "phys"}, {Name: "u", Rule: User, Counters: []string{"UID"}}},
		Rows: []Row{
			{Metric: "m_total", Type: 'C', Labels: []Pair{{"mode", "idle"}}, Counters: []string{"% Idle"},
				Convert: Conversion{Base, 1024, 1}, Unit: "s", Line: 7},
			{Metric: "m", Type: 'G', Counters: []string{"X", "Y"}, Convert: Conversion{Sum, 1, 1}, Line: 8},
			{Metric: "e", Type: 'G', Counters: []string{"P"}, Else: "Q", Convert: Conversion{Times: 1, Over: 1}, Line: 9},
		},
	}, {
		Collector: "f", Kind: Facts,
		Rows: []Row{{Metric: "i", Type: 'I', Labels: []Pair{{Name: "a"}, {Name: "b"}},
			Counters: []string{"what"}, Line: 13}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "collector a\nobject A\n"
	for _, tt := range []struct {
		text, msg string
		line      int
	}{
		{"object A\n", "begins with collector", 1},
		{"m | G | | X\n", "outside a block", 1},
		{head, "no rows", 2},
		{"collector a\nm | G | | X\n", "no object", 2},
		{"collector a\nfacts\nobject A\nm | G | | X\n", "or an unexpected one", 4},
		{head + "m | G\n", "four to six fields", 3},
		{head + "m | X | | C\n", "not a type", 3},
		{head + "m | G | mode | C\n", "not NAME=VALUE", 3},
		{head + "m | G | a=1, a=2 | C\n", "duplicate label", 3},
		{head + "m | G | | C | no such\n", "not a conversion", 3},
		{head + "m | G | | C | *x1\n", "not a factor", 3},
		{head + "m | G | | C | sum\n", "needs 2 counters", 3},
		{head + "m | G | | C | count\n", "needs 0 counters", 3},
		{head + "m | G | | \n", "needs 1 counters", 3},
		{head + "labels n=what\nm | G | | C\n", "not a label rule", 3},
		{head + "one\nlabels n=instance\nm | G | | C\n", "cannot have labels", 5},
		{head + "total\nlabels n=instance\nm | G | | C\n", "cannot have labels", 5},
		{head + "one more\nm | G | | C\n", "or an unexpected one", 3},
		{head + "word\nm | G | | C\n", "no value", 3},
		{"collector a\nelse A\n", "before the first object", 2},
		{"collector a\nobject A {af=1\n", "no }", 2},
		{head + "m | G | | C\nobject B\n", "after the rows", 4},
		{"collector a\nabsent\nm | G | | why | base\n", "no conversion", 3},
	} {
		_, err := Parse("table", tt.text)
		var data *winperf.DataError
		if !errors.As(err, &data) || data.Line != tt.line || !strings.Contains(err.Error(), tt.msg) {
			t.Errorf("%q: %v, want %q in line %d", tt.text, err, tt.msg, tt.line)
		}
	}
}

// FuzzParse: no text makes it panic, and what it reads has what a reader of blocks rests on.
func FuzzParse(f *testing.F) {
	f.Add("collector a\nobject A {x=1}\nlabels n=instance\nm | G | a=b | C | /8\n")
	f.Add("collector a\nfacts\nm | G | a, b | text\n")
	f.Fuzz(func(t *testing.T, text string) {
		blocks, err := Parse("fuzz", text)
		if err != nil && blocks != nil {
			t.Error("blocks and an error")
		}
		for _, b := range blocks {
			if b.Collector == "" || len(b.Rows) == 0 || b.Kind == Counters && len(b.Objects) == 0 {
				t.Errorf("%+v", b)
			}
			for _, r := range b.Rows {
				if !(r.Convert.Times >= 0) || b.Kind == Counters && !(r.Convert.Over > 0) {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}
