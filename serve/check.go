package serve

import (
	"errors"
	"slices"
	"sort"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/sink/metrics"
)

// checker gathers what is wrong with a configuration.
type checker struct {
	errs   []error
	unread bool // some values have another form, and are not there
}

// add adds an error, those that it joins one by one.
func (c *checker) add(err error) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		c.errs = append(c.errs, several.Unwrap()...)
	} else if err != nil {
		c.errs = append(c.errs, err)
	}
}

// err joins all errors in the order of their places. Of several about one place the first says
// what the others follow from.
func (c *checker) err() error {
	sortByPlace(c.errs)
	same := func(a, b error) bool { return placeOf(a) != [2]int{} && placeOf(a) == placeOf(b) }
	return errors.Join(slices.CompactFunc(c.errs, same)...)
}

func sortByPlace(errs []error) {
	slices.SortStableFunc(errs, func(a, b error) int {
		x, y := placeOf(a), placeOf(b)
		return slices.Compare(x[:], y[:])
	})
}

// placeOf is the line and column that an error is about; 0 where it has none.
func placeOf(err error) (at [2]int) {
	if of, ok := errors.AsType[*winperf.DataError](err); ok {
		at = [2]int{of.Line, of.Column}
	}
	return at
}

// longest bounds every time in a configuration.
const longest = 366 * 24 * time.Hour

// time is a time that is there and positive, or is not there.
func (c *checker) time(v strictyaml.Value[time.Duration], key string) time.Duration {
	if v.Line > 0 && (v.V <= 0 || v.V > longest) {
		c.add(v.Errorf("%s: %w", key, errTime))
	}
	return v.V
}

// size is a number of bytes that is not 0 where it is there.
func (c *checker) size(v strictyaml.Value[strictyaml.Size], key string) int64 {
	if v.Line > 0 && v.V == 0 {
		c.add(v.Errorf("%s: expected more than 0", key))
	}
	return int64(v.V)
}

func (c *checker) names(v strictyaml.Value[[]string], allowed ...string) []metrics.Scheme {
	names, err := parseNames(v.V, allowed)
	if err != nil {
		c.add(v.Errorf("names: %w", err))
	}
	return names
}

// generics are performancecounter objects, each of which and all together must be right.
func (c *checker) generics(list []genericFile) (all []metrics.Generic) {
	good := true
	for _, g := range list {
		all = append(all, g.Generic)
		if err := g.Check(); err != nil && !c.unread {
			good = false
			c.add(g.Errorf("%w", err))
		}
	}
	if !good || c.unread || len(list) == 0 {
		return all
	}
	if metrics.CheckGenerics(all) != nil {
		first := sort.Search(len(all), func(n int) bool { return metrics.CheckGenerics(all[:n+1]) != nil })
		c.add(list[first].Errorf("%w", metrics.CheckGenerics(all[:first+1])))
	}
	return all
}
