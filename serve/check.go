package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/sink/metrics"
)

// checker gathers what is wrong with a configuration.
type checker struct {
	errs []error
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
	same := func(a, b error) bool {
		return !isSeveral(a) && !isSeveral(b) && placeOf(a) != [2]int{} && placeOf(a) == placeOf(b)
	}
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
	// What is no object was told, and has no place here.
	list = slices.DeleteFunc(list, func(g genericFile) bool { return g.Line == 0 })
	var read []metrics.Generic
	for i := range list {
		all = append(all, list[i].Generic)
		read = append(read, list[i].completed(i))
	}

	for i, err := range metrics.CheckGenerics(read, nil) {
		if err != nil {
			c.errs = append(c.errs, several{list[i].each(err)})
		}
	}
	return all
}

// several are errors about one place, none of which follows from another one.
type several struct{ error }

func (s several) Unwrap() error { return s.error }

func isSeveral(err error) bool {
	_, is := err.(several) //nolint:errorlint // a list of errors has it itself
	return is
}

// each has the place of the object in all errors that one of CheckGenerics joins.
func (g *genericFile) each(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return g.Errorf("%w", err)
	}
	var errs []error
	for _, err := range joined.Unwrap() {
		errs = append(errs, g.Errorf("%w", err))
	}
	return errors.Join(errs...)
}

// completed is the object with something that is right, and like nothing else, in the place of what could not be
// read: what would only follow from that is not told.
func (g *genericFile) completed(number int) metrics.Generic {
	is := g.Generic
	if !g.Partial {
		return is
	}
	is.Name = cmp.Or(is.Name, fmt.Sprintf("in line %d", g.Line))
	is.Object = cmp.Or(is.Object, "?")
	is.Counters = slices.Clone(is.Counters)
	if len(is.Counters) == 0 {
		is.Counters = make([]metrics.GenericCounter, 1)
	}

	for i := range is.Counters {
		c := &is.Counters[i]
		c.Name = cmp.Or(c.Name, fmt.Sprintf("number %d", i+1))
		unlike := fmt.Sprintf("unread_%d_%d", number, i)
		c.Metric = cmp.Or(c.Metric, unlike)
		if c.Labels == nil {
			c.Labels = map[string]string{unlike: "?"}
		}
	}
	return is
}
