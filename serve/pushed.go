package serve

import (
	"slices"
	"time"

	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
)

// Taken counts a sample that the program took to push it, or the error of one, in the metrics about the
// exporter. The sample may be without a frame.
func (e *Exporter) Taken(c *measure.Cycle, err error) { e.self.sampled(c, err, true) }

// About counts the damage and anomalies of a decoded sample that the program pushes. If the sample is recent,
// About returns the metrics about the exporter, to push them with the metrics of the sample.
func (e *Exporter) About(c *measure.Cycle, set *metrics.Set, recent bool) []metrics.Family {
	e.self.decoded(c)
	if !recent {
		return nil
	}
	e.objects.update(c, e.pushedObjects)
	e.mainPaths.update(c)
	e.costlyPaths.update(c)

	about := scraped{whole: e.self.complete()}
	for i := range set.Families {
		for k := range set.Families[i].Columns {
			about.series.written += present(&set.Families[i].Columns[k])
		}
	}
	now := time.Now()
	about.objects = e.objects.list(now, nil, nil)
	families := e.self.families(e, &about, now)
	for i := range families {
		families[i].Columns = slices.DeleteFunc(families[i].Columns, isQuantile)
	}
	return families
}

// isQuantile reports whether a column has a quantile of a summary, which pushes do not contain.
func isQuantile(c metrics.Column) bool { return len(c.Extra) > 0 && c.Extra[0].Name == "quantile" }

// complete reports whether the last sample succeeded and lacks no object.
func (o *self) complete() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.whole
}
