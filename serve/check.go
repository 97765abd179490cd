package serve

import (
	"errors"
	"time"

	"github.com/winperf/winperf/internal/strictyaml"
	"github.com/winperf/winperf/sink/metrics"
)

// checker gathers what is wrong with values that can be read.
type checker struct{ errs []error }

func (c *checker) add(err error) { c.errs = append(c.errs, err) }

func (c *checker) err() error { return errors.Join(c.errs...) }

// longest bounds every time in a configuration.
const longest = 366 * 24 * time.Hour

// time is a time that is there and positive, or is not there.
func (c *checker) time(v strictyaml.Value[time.Duration], key string) time.Duration {
	if v.Line > 0 && (v.V <= 0 || v.V > longest) {
		c.add(v.Errorf("%s: expected more than 0 and at most a year", key))
	}
	return v.V
}

// count is a number that is not negative.
func (c *checker) count(v strictyaml.Value[int], key string) int {
	if v.V < 0 {
		c.add(v.Errorf("%s: expected 0 or more", key))
	}
	return v.V
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
		if err := g.Check(); err != nil {
			good = false
			c.add(g.Errorf("%w", err))
		}
		all = append(all, g.Generic)
	}
	if !good || len(list) == 0 {
		return all
	}
	if err := metrics.CheckGenerics(all); err != nil {
		c.add(list[0].Errorf("%w", err))
	}
	return all
}
