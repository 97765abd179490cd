package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/suggest"
	"github.com/winperf/winperf/sink/metrics"
)

// maxFilters limits the filters of one scrape.
const maxFilters = 32

// maxFilterLength limits each of them, in characters.
const maxFilterLength = 1024

// filter is the part of the served metrics that a scrape requests.
type filter []winperf.Path

// request is the part of the served metrics that a scrape requests; the zero request is everything.
type request struct {
	filter     filter
	paths      []winperf.Path // of the filter, within the served ones
	collectors []string       // of windows_exporter
}

func (q *request) everything() bool { return len(q.filter)+len(q.collectors) == 0 }

// parse parses the query of a scrape. The status is for the error.
func (e *Exporter) parse(ctx context.Context, text string) (q request, status int, err error) {
	// Without a lost filter the answer would contain everything.
	query, err := url.ParseQuery(text)
	if err != nil {
		return q, http.StatusBadRequest, fmt.Errorf("the query cannot be read: %w", err)
	}
	if len(query[collectKey]) > 0 && slices.Contains(e.opt.Names, metrics.WindowsExporter) {
		q.collectors, err = e.parseCollectors(query)
		return q, http.StatusBadRequest, err
	}

	if q.filter, err = parseFilter(query); err == nil {
		q.paths, err = q.filter.within(ctx, e.sel)
	}
	if err == nil && len(q.filter) > 0 && len(q.paths) == 0 {
		return q, http.StatusNotFound, errors.New("the filter matches nothing that is served")
	}
	return q, http.StatusBadRequest, err
}

// parseCollectors returns the collectors of ?collect[]=, each once.
func (e *Exporter) parseCollectors(query url.Values) (names []string, err error) {
	if len(query) > 1 {
		return nil, fmt.Errorf("%s cannot be combined with %s", collectKey, strings.Join(filterKeys, " or "))
	}

	served := e.opt.enabledCollectors()
	for _, name := range query[collectKey] {
		if !slices.Contains(served, name) {
			return nil, fmt.Errorf("collector %s is unknown or not enabled", name)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// parseFilter parses ?object= and ?path=, which add up. nil is no filter. Other keys are errors,
// because a misspelt key would return everything.
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
			const form = "a filter of %d characters, expected at most %d: %w"
			return nil, fmt.Errorf(form, n, maxFilterLength, winperf.ErrPath)
		}
	}
	if len(f) > maxFilters {
		return nil, fmt.Errorf("%d filters, expected at most %d: %w", len(f), maxFilters, winperf.ErrPath)
	}
	return f, nil
}

var filterKeys = []string{"object", "path"}

// collectKey is the key of windows_exporter.
const collectKey = "collect[]"

// unknownFilter returns an error with the known keys, and the equivalent of windows_exporter's
// keys.
func unknownFilter(key string) error {
	hint := ""
	if near := suggest.Closest(key, slices.Values(filterKeys)); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	if key == "collect[]" || key == "exclude[]" {
		hint = ": it selects collectors of windows_exporter; select objects with object, for example object=Memory"
	}

	const most = 60
	const form = "unknown key %.*q in the query, expected %s%s"
	return fmt.Errorf(form, most, key, strings.Join(filterKeys, " or "), hint)
}

// within returns the intersection of the filter and the served paths, or the filter if whole
// objects are served. It fails if two patterns overlap in a way that no path can express.
func (f filter) within(ctx context.Context, served winperf.Selection) ([]winperf.Path, error) {
	if served.Global {
		return f, nil
	}

	var common []winperf.Path
	known := map[winperf.Path]bool{}
	for _, requested := range f {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		for _, p := range served.Paths {
			both, some, ok := intersect(requested, p)
			if !ok {
				return nil, fmt.Errorf("the filter %s and the path %s of the configuration overlap only partly; "+
					"use a filter without wildcards: %w", requested, p, winperf.ErrPath)
			}

			if some && !known[both] {
				known[both] = true
				common = append(common, both)
			}
		}
	}
	return common, nil
}

// intersect returns the intersection of two paths. some reports whether it may be nonempty, ok
// whether a path can express it.
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

// instances sets the common instances of two paths in both.
func instances(a, b winperf.Path, both *winperf.Path) (some, ok bool) {
	switch {
	case !a.HasInstance && !b.HasInstance:
		return true, true
	case !a.HasInstance || !b.HasInstance: // (*) also matches an object without instances
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

// everyIndex reports whether a path matches all instances with a name.
func everyIndex(p winperf.Path) bool {
	return p.Index == winperf.AnyIndex || p.Index == 0 && winperf.CompilePattern(p.Instance).HasWildcard()
}

// narrower returns the narrower of two patterns. some reports whether they can overlap, ok whether
// the result is the whole intersection.
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
