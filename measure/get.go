package measure

import (
	"context"
	"fmt"
	"io"

	"github.com/winperf/winperf"
)

// Get returns the current readings of the counters that the paths select, in the order of the
// paths. The caller owns the readings. A path without wildcards has one reading. If the counter
// does not exist or has no value, the Status of the reading is the reason.
//
// Counters that need two samples, such as rates, are sampled twice, one second apart. For a log Get
// returns the readings of the last sample.
//
// An error wraps winperf.ErrPath for an invalid path, and io.EOF for a log without samples; other
// errors are errors of ctx or of the source. If a log is damaged after its last readable sample,
// Get returns the readings together with the error.
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
		return nil, fmt.Errorf("the log has no sample: %w", io.EOF)
	}
	return readings, nil
}
