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

// Share returns a source over the live source src, whose queries share samples. A query gets
// those objects from the cache that another query sampled less than Freshness ago; only the
// others are sampled, and concurrent queries sample an object once. No query gets the same
// sample of an object twice, so sharing never makes a difference zero. It is of use where
// several measurements read the same objects; a single one pays a little for it. Of an object
// those counters are sampled that any open query wants.
//
// The shared source describes itself as src does, and closing it closes src. Compile takes a
// sample, of definitions only where src can do that; if src is recorded, it fails with an
// error that wraps winperf.ErrNotSupported.
//
// The meter is a source that measures the sharing: the object "winperf cache" with hits,
// misses and ages, an instance for each object that was ever asked for, and one for
// their total. It can still be read after the shared source was closed.
func Share(src winperf.Source, opt ShareOptions) (shared, meter winperf.Source, err error) {
	c := cache.New(src, cache.Options{Freshness: opt.Freshness})
	meter, err = c.Meter()
	if err != nil {
		return nil, nil, err
	}
	return c, meter, nil
}
