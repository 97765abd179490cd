package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/stats"
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
	value func(f *stats.Figures) float64 // nil for the name of the counter
}{
	{"counter", nil},
	{"count", func(f *stats.Figures) float64 { return float64(f.Count) }},
	{"missing", func(f *stats.Figures) float64 { return float64(f.Missing) }},
	{"minimum", func(f *stats.Figures) float64 { return f.Min }},
	{"average", func(f *stats.Figures) float64 { return f.Average }},
	{"maximum", func(f *stats.Figures) float64 { return f.Max }},
	{"deviation", func(f *stats.Figures) float64 { return f.Deviation }},
	{"last", func(f *stats.Figures) float64 { return f.Last }},
	{"above", func(f *stats.Figures) float64 { return float64(f.Above) }},
	{"longest", func(f *stats.Figures) float64 { return f.LongestAbove.Seconds() }},
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
	value := func(f *stats.Figures) float64 {
		return f.Percentiles[slices.Index(percents.names(), string(v))]
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
			return cmp.Compare(value(&b.figures), value(&a.figures))
		})
	}
}
