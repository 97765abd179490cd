package summary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/titles"
)

type bound struct{ value *float64 }

func (v *bound) String() string {
	if v.value == nil {
		return ""
	}
	return strconv.FormatFloat(*v.value, 'g', -1, 64)
}

func (v *bound) Type() string { return "NUMBER" }

func (v *bound) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return errors.New("expected a number")
	}
	v.value = &n
	return nil
}

type percentiles []float64

var defaultPercentiles = percentiles{50, 95, 99}

func (v *percentiles) String() string {
	var texts []string
	for _, p := range *v {
		texts = append(texts, formatPercent(p))
	}
	return strings.Join(texts, ",")
}

func (v *percentiles) Type() string { return "LIST" }

func (v *percentiles) Set(s string) error {
	var found percentiles
	for text := range strings.SplitSeq(s, ",") {
		p, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimSpace(text), "p"), 64)
		if err != nil || !(p >= 0 && p <= 100) {
			return errors.New("expected percentages such as 50,95,99.9")
		}
		if !slices.Contains(found, p) {
			found = append(found, p)
		}
	}

	const most = 20
	if len(found) > most {
		return fmt.Errorf("expected at most %d", most)
	}
	*v = found
	return nil
}

func formatPercent(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

func (v percentiles) names() []string {
	var names []string
	for _, p := range v {
		names = append(names, "p"+formatPercent(p))
	}
	return names
}

// sortKey is the column to sort by; "" keeps the order.
type sortKey string

var sortKeys = []struct {
	name  string
	value func(r *summaryRow) float64 // nil for the counter's name
}{
	{"counter", nil},
	{"count", func(r *summaryRow) float64 { return float64(r.figures.Count) }},
	{"missing", func(r *summaryRow) float64 { return float64(r.figures.Missing) }},
	{"minimum", func(r *summaryRow) float64 { return r.figures.Min }},
	{"average", func(r *summaryRow) float64 { return r.figures.Average }},
	{"maximum", func(r *summaryRow) float64 { return r.figures.Max }},
	{"total", (*summaryRow).total},
	{"deviation", func(r *summaryRow) float64 { return r.figures.Deviation }},
	{"last", func(r *summaryRow) float64 { return r.figures.Last }},
	{"above", func(r *summaryRow) float64 { return float64(r.figures.Above) }},
	{"longest", func(r *summaryRow) float64 { return r.figures.LongestAbove.Seconds() }},
}

func completeSort(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := strings.Split(sortKeyNames(), ", ")
	return append(names, defaultPercentiles.names()...), cobra.ShellCompDirectiveNoFileComp
}

func sortKeyNames() string {
	var names []string
	for _, k := range sortKeys {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

func (v *sortKey) String() string { return string(*v) }

func (v *sortKey) Type() string { return "KEY" }

// Set sets the key from its name or an unambiguous prefix. check validates it when all options are known.
func (v *sortKey) Set(s string) error {
	s = strings.ToLower(s)
	*v = sortKey(s)

	var begun []string
	for _, k := range sortKeys {
		if s != "" && strings.HasPrefix(k.name, s) {
			begun = append(begun, k.name)
		}
	}
	if len(begun) == 1 {
		*v = sortKey(begun[0])
	}
	return nil
}

func (v sortKey) check(bounded bool, percents percentiles) error {
	known := v == "" || slices.Contains(percents.names(), string(v))
	for _, k := range sortKeys {
		known = known || k.name == string(v)
	}

	switch {
	case !known:
		all := sortKeyNames() + ", " + strings.Join(percents.names(), ", ")
		return fmt.Errorf("--sort %s: expected one of %s", v, all)
	case (v == "above" || v == "longest") && !bounded:
		return fmt.Errorf("--sort %s needs --above", v)
	}
	return nil
}

// sort sorts rows in descending order; rows without a number are last.
func (v sortKey) sort(rows []summaryRow, percents percentiles) {
	value := func(r *summaryRow) float64 {
		return r.figures.Percentiles[slices.Index(percents.names(), string(v))]
	}
	for _, k := range sortKeys {
		if k.name == string(v) {
			value = k.value
		}
	}

	switch {
	case v == "":
	case value == nil:
		sorted.Func(rows, func(a, b summaryRow) int {
			return cmp.Compare(strings.ToLower(a.path), strings.ToLower(b.path))
		})
	default:
		sorted.Func(rows, func(a, b summaryRow) int {
			return cmp.Compare(value(&b), value(&a))
		})
	}
}

// topKeys are the keys of --top; the first one is the default.
var topKeys = []sortKey{"total", "average", "maximum"}

// checkTop returns an error for a key that --top does not support.
func (v sortKey) checkTop() error {
	if v == "" || slices.Contains(topKeys, v) {
		return nil
	}
	return fmt.Errorf("--top: --sort %s: expected total, average or maximum", v)
}

// weight returns the value by which --top sorts. Averages and maxima are multiplied by the time that the
// instance was present.
func (v sortKey) weight(r *summaryRow) float64 {
	present := max(r.figures.Present, 1).Seconds() // 0 for a single sample
	switch total := r.total(); {
	case v == "maximum":
		return r.figures.Max * present
	case v == "average" || math.IsNaN(total):
		return r.figures.Average * present
	default:
		return total
	}
}

// top returns the rows of the n instances with the largest weights of each counter, in descending order.
// It omits sums and the idle process if others exist.
func (v sortKey) top(rows []summaryRow, n int) []summaryRow {
	var counters []string
	instances := map[string][]summaryRow{}
	for _, r := range rows {
		p := r.series.Path
		p.Instance, p.Index = "", 0
		name := strings.ToLower(p.String())
		if instances[name] == nil {
			counters = append(counters, name)
		}
		instances[name] = append(instances[name], r)
	}

	var kept []summaryRow
	for _, name := range counters {
		all := instances[name]
		if slices.ContainsFunc(all, func(r summaryRow) bool { return !isSum(r.series) }) {
			all = slices.DeleteFunc(all, func(r summaryRow) bool { return isSum(r.series) })
		}
		sorted.Func(all, func(a, b summaryRow) int { return cmp.Compare(v.weight(&b), v.weight(&a)) })
		kept = append(kept, all[:min(n, len(all))]...)
	}
	return kept
}

func isSum(s *winperf.Series) bool {
	instance := strings.ToLower(s.Path.Instance)
	process := s.ObjectID.Index == titles.Process || strings.EqualFold(s.Path.Object, "Process")
	return strings.HasSuffix(instance, "_total") || process && instance == "idle"
}
