package source

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// ShareOptions for [Share]. The zero options are good defaults.
type ShareOptions struct {
	// Freshness is how old an object may be to be handed out, counted from the end
	// of the query that brought it. 0 means 500 ms, less than 0 that only
	// concurrent requests share.
	Freshness time.Duration
}

// Share returns a source over a live one, whose queries share samples. A measurement of
// it gets objects that another one sampled less than Freshness ago, and only for the
// others the source is asked; at the same time it is asked for the same object once.
// No query gets the same sample of an object twice, so differences are never zero for
// that reason. It is of use where several measure the same: a single one only pays for
// it, as whole objects are sampled and not the wanted counters.
//
// The shared source is what the one beneath is, and closing it closes that. To compile
// a selection takes a sample, of definitions only where the source can do that. Of a
// source of recorded samples Compile fails with an error that wraps
// winperf.ErrNotSupported.
//
// The meter is a source of what sharing does: the object "winperf cache" with hits,
// misses and ages, an instance for each object that was ever asked for, and one for
// their total. It can be read also after the shared source was closed.
func Share(src winperf.Source, opt ShareOptions) (shared, meter winperf.Source, err error) {
	c := cache.New(src, cache.Options{Freshness: opt.Freshness})
	meter, err = c.Meter()
	if err != nil {
		return nil, nil, err
	}
	return c, meter, nil
}
