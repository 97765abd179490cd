package source

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// Share returns a source that samples the live source src, and whose queries share samples. A query
// uses an object from the cache if another query sampled it less than freshness ago, counted from
// the end of that query. Other objects are sampled, by concurrent queries once. A freshness of 0
// means 500 ms; below 0, only concurrent queries share. No query gets the same sample of an object
// twice, so sharing never makes a difference zero. Sharing saves work if several measurements read
// the same objects; a single one pays a little for it. Objects are sampled with the counters that
// any open query needs.
//
// The shared source has the description of src, and closing it closes src. Compile takes a sample,
// of definitions only if src supports that; if src is a log, it fails with an error that wraps
// winperf.ErrNotSupported.
//
// The meter is a source that measures the sharing: the object "winperf cache" has hits, misses and
// ages, with an instance for each object requested since the start and one for their total. It
// remains readable after the shared source is closed.
func Share(src winperf.Source, freshness time.Duration) (shared, meter winperf.Source, err error) {
	c := cache.New(src, cache.Options{Freshness: freshness})
	meter, err = c.Meter()
	if err != nil {
		return nil, nil, err
	}
	return c, meter, nil
}
