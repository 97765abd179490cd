package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/sink/metrics"
)

type checker struct {
	errs []error // a joined error is about one place, and its errors are independent
}

func (c *checker) add(err error) {
	if inner := joined(err); inner != nil {
		c.errs = append(c.errs, inner...)
	} else if err != nil {
		c.errs = append(c.errs, err)
	}
}

// joined returns the errors in the result of errors.Join, or nil for other errors.
func joined(err error) []error {
	of, ok := err.(interface{ Unwrap() []error })
	// An error that wraps several has its own text.
	if !ok || errors.Join(of.Unwrap()...).Error() != err.Error() {
		return nil
	}
	return of.Unwrap()
}

func eachOf(err error, change func(error) error) error {
	inner := joined(err)
	if inner == nil {
		return change(err)
	}
	var list []error
	for _, err := range inner {
		list = append(list, change(err))
	}
	return errors.Join(list...)
}

// err joins all errors in the order of their places, without duplicates. For each place it keeps only the
// first error, which causes the others.
func (c *checker) err() error {
	sortByPlace(c.errs)
	same := func(a, b error) bool {
		return joined(a) == nil && joined(b) == nil && placeOf(a) != [2]int{} && placeOf(a) == placeOf(b)
	}
	all := checker{}
	for _, err := range slices.CompactFunc(c.errs, same) {
		all.add(err)
	}

	seen := map[string]bool{}
	return errors.Join(slices.DeleteFunc(all.errs, func(err error) bool {
		twice := seen[err.Error()]
		seen[err.Error()] = true
		return twice
	})...)
}

func sortByPlace(errs []error) {
	sorted.Func(errs, func(a, b error) int {
		x, y := placeOf(a), placeOf(b)
		return slices.Compare(x[:], y[:])
	})
}

// placeOf returns the line and column of an error, or 0.
func placeOf(err error) (at [2]int) {
	if of, ok := errors.AsType[*winperf.DataError](err); ok {
		at = [2]int{of.Line, of.Column}
	}
	return at
}

func (c *checker) generics(list []genericFile) (all []metrics.Generic) {
	// Entries that are not objects were already reported.
	list = slices.DeleteFunc(list, func(g genericFile) bool { return g.Line == 0 })
	var read []metrics.Generic
	for i := range list {
		all = append(all, list[i].Generic)
		read = append(read, list[i].completed(i))
	}

	for i, err := range metrics.CheckGenerics(read, nil) {
		if err == nil {
			continue
		}
		c.errs = append(c.errs, eachOf(err, func(err error) error { return list[i].Errorf("%w", err) }))
	}
	return all
}

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
