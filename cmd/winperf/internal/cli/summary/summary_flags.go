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
	"github.com/winperf/winperf/internal/titles"
)

// bound is a number that values can be above.
type bound struct{ value *float64 }

// String returns the number; nothing where there is none.
func (v *bound) String() string {
	if v.value == nil {
		return ""
	}
	return strconv.FormatFloat(*v.value, 'g', -1, 64)
}

// Type names the value in help texts.
func (v *bound) Type() string { return "NUMBER" }

// Set reads the value.
func (v *bound) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return errors.New("expected a number")
	}
	v.value = &n
	return nil
}

// percentiles are those to show, in percent.
type percentiles []float64

var defaultPercentiles = percentiles{50, 95, 99}

// String returns the numbers.
func (v *percentiles) String() string {
	var texts []string
	for _, p := range *v {
		texts = append(texts, formatPercent(p))
	}
	return strings.Join(texts, ",")
}

// Type names the value in help texts.
func (v *percentiles) Type() string { return "LIST" }

// Set reads the value.
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

// names are what the percentiles are called in tables: p95.
func (v percentiles) names() []string {
	var names []string
	for _, p := range v {
		names = append(names, "p"+formatPercent(p))
	}
	return names
}

// sortKey is what rows are sorted by; "" leaves them as they are.
type sortKey string

// sortKeys are those apart from percentiles.
var sortKeys = []struct {
	name  string
	value func(r *summaryRow) float64 // nil for the name of the counter
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

// completeSort completes the keys, and the usual percentiles.
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

// String returns the name.
func (v *sortKey) String() string { return string(*v) }

// Type names the value in help texts.
func (v *sortKey) Type() string { return "KEY" }

// Set takes the name, or a beginning that only one has; check has a look at it when
// all options are known.
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

// check fails if rows do not have what they are to be sorted by.
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
		return fmt.Errorf("--sort %s: give --above too", v)
	}
	return nil
}

// sort sorts rows: by a number the largest first, and what has none last.
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
		slices.SortStableFunc(rows, func(a, b summaryRow) int {
			return cmp.Compare(strings.ToLower(a.path), strings.ToLower(b.path))
		})
	default:
		slices.SortStableFunc(rows, func(a, b summaryRow) int {
			return cmp.Compare(value(&b), value(&a))
		})
	}
}

// topKeys are the keys of --top. Without one it is the first.
var topKeys = []sortKey{"total", "average", "maximum"}

// checkTop fails if --top has no such key.
func (v sortKey) checkTop() error {
	if v == "" || slices.Contains(topKeys, v) {
		return nil
	}
	return fmt.Errorf("--top: --sort %s: expected total, average or maximum", v)
}

// weight is the value that --top sorts a row by. Averages and maxima are multiplied by the time that
// the instance was present.
func (v sortKey) weight(r *summaryRow) float64 {
	present := max(r.figures.Present, 1).Seconds() // of a single sample it is 0
	switch total := r.total(); {
	case v == "maximum":
		return r.figures.Max * present
	case v == "average" || math.IsNaN(total):
		return r.figures.Average * present
	default:
		return total
	}
}

// top returns of each counter the rows of the n instances with the largest weights, in descending
// order. Sums of other instances, and the idle process, are left out if there are others.
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
		slices.SortStableFunc(all, func(a, b summaryRow) int { return cmp.Compare(v.weight(&b), v.weight(&a)) })
		kept = append(kept, all[:min(n, len(all))]...)
	}
	return kept
}

// isSum reports whether an instance is the sum of others, or the process Idle, which uses no processor.
func isSum(s *winperf.Series) bool {
	instance := strings.ToLower(s.Path.Instance)
	process := s.ObjectID.Index == titles.Process || strings.EqualFold(s.Path.Object, "Process")
	return strings.HasSuffix(instance, "_total") || process && instance == "idle"
}
