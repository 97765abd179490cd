package serve

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/suggest"
)

// maxFilters bounds the filters of one scrape.
const maxFilters = 32

// maxFilterLength bounds each of them, in characters.
const maxFilterLength = 1024

// filter is what a scrape asks for, of what is served.
type filter []winperf.Path

// parseFilter reads ?object= and ?path=, which add up. nil is no filter. There is no other key:
// with one that is misspelt the answer would be everything.
func parseFilter(query url.Values) (filter, error) {
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(filterKeys, key) {
			return nil, unknownFilter(key)
		}
	}

	var f filter
	for _, name := range query["object"] {
		if name == "" {
			return nil, fmt.Errorf("object: expected the name of an object: %w", winperf.ErrPath)
		}
		f = append(f, wholeObject(name))
	}
	for _, text := range query["path"] {
		p, err := winperf.ParsePath(text)
		if err != nil {
			return nil, err
		}
		f = append(f, p)
	}
	for _, p := range f {
		if n := utf8.RuneCountInString(p.String()); n > maxFilterLength {
			return nil, fmt.Errorf("a filter of %d characters, expected at most %d: %w", n, maxFilterLength, winperf.ErrPath)
		}
	}
	if len(f) > maxFilters {
		return nil, fmt.Errorf("%d filters, expected at most %d: %w", len(f), maxFilters, winperf.ErrPath)
	}
	return f, nil
}

var filterKeys = []string{"object", "path"}

// unknownFilter says which keys there are, and what those of windows_exporter are here.
func unknownFilter(key string) error {
	hint := ""
	if near := suggest.Closest(key, slices.Values(filterKeys)); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	if key == "collect[]" || key == "exclude[]" {
		hint = ": it chooses collectors of windows_exporter, object chooses objects, as object=Memory does"
	}

	const most = 60
	const form = "unknown key %.*q in the query, expected %s%s"
	return fmt.Errorf(form, most, key, strings.Join(filterKeys, " or "), hint)
}

// within is what paths that are served have in common with the filter, all of the filter where
// whole objects are served. It fails where two patterns overlap in a way that no path can say.
func (f filter) within(ctx context.Context, served winperf.Selection) ([]winperf.Path, error) {
	if served.Global {
		return f, nil
	}

	var common []winperf.Path
	known := map[winperf.Path]bool{}
	for _, asked := range f {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		for _, p := range served.Paths {
			both, some, ok := intersect(asked, p)
			if !ok {
				return nil, fmt.Errorf("the filter %s and the path %s of the configuration overlap in part only; "+
					"name what is wanted without wildcards: %w", asked, p, winperf.ErrPath)
			}

			if some && !known[both] {
				known[both] = true
				common = append(common, both)
			}
		}
	}
	return common, nil
}

// intersect is what two paths have in common: some tells whether there can be anything,
// ok whether a path can say what.
func intersect(a, b winperf.Path) (both winperf.Path, some, ok bool) {
	object, some1, ok1 := narrower(a.Object, b.Object)
	counter, some2, ok2 := narrower(a.Counter, b.Counter)
	if !some1 || !some2 {
		return both, false, true
	}

	both = winperf.Path{Machine: a.Machine, Object: object, Counter: counter}
	if both.Machine == "" {
		both.Machine = b.Machine
	} else if b.Machine != "" && !strings.EqualFold(a.Machine, b.Machine) {
		return both, false, true
	}

	some3, ok3 := instances(a, b, &both)
	return both, some3, !some3 || ok1 && ok2 && ok3
}

// instances puts the instances that two paths have in common into both.
func instances(a, b winperf.Path, both *winperf.Path) (some, ok bool) {
	switch {
	case !a.HasInstance && !b.HasInstance:
		return true, true
	case !a.HasInstance || !b.HasInstance: // (*) is also the thing of an object without instances
		with := a
		if b.HasInstance {
			with = b
		}
		return with.Instance == "*" && with.Index <= 0, true
	}

	both.HasInstance = true
	both.Instance, some, ok = narrower(a.Instance, b.Instance)
	switch anyA, anyB := everyIndex(a), everyIndex(b); {
	case a.Index == b.Index || anyB:
		both.Index = a.Index
	case anyA:
		both.Index = b.Index
	default:
		return false, true
	}
	return some, ok
}

// everyIndex reports whether a path means instances of a name whatever their number is.
func everyIndex(p winperf.Path) bool {
	return p.Index == winperf.AnyIndex || p.Index == 0 && winperf.CompilePattern(p.Instance).HasWildcard()
}

// narrower is the narrower one of two patterns: some tells whether they can have anything in
// common, ok whether one of them is all of that.
func narrower(a, b string) (both string, some, ok bool) {
	pa, pb := winperf.CompilePattern(a), winperf.CompilePattern(b)
	switch {
	case b == "*" || strings.EqualFold(a, b):
		return a, true, true
	case a == "*":
		return b, true, true
	case !pa.HasWildcard():
		return a, pb.Match(a), true
	case !pb.HasWildcard():
		return b, pa.Match(b), true
	}
	return a, true, false
}
