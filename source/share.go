package source

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// Share returns a source over the live source src, whose queries share samples. A query gets the
// objects from the cache that another query sampled less than freshness ago, counted from the end
// of that query; only the others are sampled, and concurrent queries sample an object once. A
// freshness of 0 means 500 ms; if it is below 0, only concurrent queries share. No query gets the same
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
func Share(src winperf.Source, freshness time.Duration) (shared, meter winperf.Source, err error) {
	c := cache.New(src, cache.Options{Freshness: freshness})
	meter, err = c.Meter()
	if err != nil {
		return nil, nil, err
	}
	return c, meter, nil
}
