package source

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/cache"
)

// Share returns a source around the live source src, whose queries share samples. A query uses the
// last sample of an object that another query took, if that sample ended less than freshness ago.
// Otherwise it waits for a running sample of the object, or samples the object with the counters
// that any open query needs. Freshness 0 means 500 ms. With a negative freshness queries share only
// samples that are running. No query gets the same sample of an object twice, so that the difference
// of two samples is not zero because of sharing. Sharing saves work if several measurements read the
// same objects, and costs a single measurement little.
//
// The shared source has the description of src, and closing it closes src. Its Compile takes a
// sample to find the selected objects. If src is a log, Share succeeds, but the error of Compile
// wraps winperf.ErrNotSupported.
//
// The meter is a source that measures the sharing: its object "winperf cache" has hits, misses and
// ages, with an instance for each object that was sampled or requested, and a total. It remains
// readable after the shared source is closed. If the meter cannot be created, Share returns the
// error and does not close src.
func Share(src winperf.Source, freshness time.Duration) (shared, meter winperf.Source, err error) {
	c := cache.New(src, cache.Options{Freshness: freshness})
	meter, err = c.Meter()
	if err != nil {
		return nil, nil, err
	}
	return c, meter, nil
}
