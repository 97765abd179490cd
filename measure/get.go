package measure

import (
	"context"
	"fmt"
	"io"

	"github.com/winperf/winperf"
)

// Get returns one reading of each counter that the paths name, in the order of the paths. The
// caller owns the readings. A path without wildcards has one reading; a counter that has no
// value, or that does not exist, has a reading with a status.
//
// Counters that need two samples, such as rates, are sampled twice, one second apart. Of a
// recorded source Get returns the readings of the last sample.
//
// An error wraps winperf.ErrPath for a path that cannot be read, and io.EOF where a record has no
// sample; other errors are the source's. Behind the last sample that can be read, damage of a
// record is an error that Get returns with the readings.
func Get(ctx context.Context, src winperf.Source, paths ...string) ([]winperf.Reading, error) {
	sel, err := winperf.Select(paths...)
	if err != nil {
		return nil, err
	}
	opt := Options{Count: 1}
	if src.Describe().Recorded {
		opt.Count = 0
	}

	var readings []winperf.Reading
	for cycle, err := range Watch(ctx, src, sel, opt) {
		if err != nil {
			return readings, err
		}
		readings = append(readings[:0], cycle.Readings()...)
	}

	switch err := ctx.Err(); {
	case err != nil:
		return nil, err
	case readings == nil && len(paths) > 0:
		return nil, fmt.Errorf("the record has no sample: %w", io.EOF)
	}
	return readings, nil
}
