package serve

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// view maps samples to the metrics of one filter. It is used with the turn.
type view struct {
	e *Exporter

	main, costly half
	requested    *unmatched // the paths of the filter
	collectors   []string   // the requested ones; nil for all
	encoders     map[prometheus.Format]*prometheus.Encoder
	families     []metrics.Family // of one text
	names        map[string]int   // scratch: the positions of families
	counts       seriesCounts
}

// seriesCounts are the numbers of written and omitted series.
type seriesCounts struct{ written, dropped int }

// half is the metrics of one of the two samplers.
type half struct {
	mapper  *metrics.Mapper
	number  uint64      // of the snapshot in set
	frame   frame.Frame // of that snapshot
	set     *metrics.Set
	objects map[string]bool // of that snapshot
	partial bool            // that snapshot lacks objects
}

// newView returns a view of the requested metrics.
func (e *Exporter) newView(q *request) *view {
	opt := e.mapping
	opt.Select = e.sel
	if len(q.paths) > 0 {
		opt.Select = winperf.Selection{Paths: q.paths}
	}

	if q.collectors != nil {
		opt.Names, opt.Collectors = []metrics.Scheme{metrics.WindowsExporter}, q.collectors
		if !slices.Contains(q.collectors, customCollector) {
			opt.Generic = nil
		}
	}
	if len(q.paths) > 0 || q.collectors != nil {
		opt.Groups = metrics.Grouping{} // they belong to the view of everything
	}

	return &view{
		e:         e,
		main:      half{mapper: metrics.NewMapper(opt)},
		costly:    half{mapper: metrics.NewMapper(opt)},
		requested: newUnmatched(q.filter), collectors: q.collectors,
		encoders: map[prometheus.Format]*prometheus.Encoder{},
		names:    map[string]int{},
	}
}

// continueFrom continues the counters of another view.
func (v *view) continueFrom(last *view) error {
	if last == nil {
		return errClosed
	}
	return errors.Join(v.main.mapper.Continue(last.main.mapper), v.costly.mapper.Continue(last.costly.mapper))
}

// write writes the metrics of the latest update. Without main it omits the main sample, which
// failed.
func (v *view) write(to *answer, main bool, format prometheus.Format) error {
	begin := time.Now()
	set := v.compose(main)
	err := to.begin(v.e.zip, v.counts.written)
	if err == nil {
		err = v.encoder(format).Encode(to, set)
	}
	if err == nil {
		err = to.end()
	}
	v.e.self.wrote(time.Since(begin), to.text)
	return err
}

func (v *view) encoder(format prometheus.Format) *prometheus.Encoder {
	if v.encoders[format] == nil {
		v.encoders[format] = prometheus.NewEncoder(prometheus.Options{Format: format, Created: v.e.opt.Created})
	}
	return v.encoders[format]
}

// update maps new snapshots, which may be nil. After an error because of ctx the view must not be
// used again.
func (v *view) update(ctx context.Context, main, costly *snapshot) error {
	begin := time.Now()
	for _, p := range []struct {
		half *half
		s    *snapshot
	}{{&v.main, main}, {&v.costly, costly}} {
		if p.s == nil || p.s.number <= p.half.number {
			continue
		}
		if err := p.half.update(ctx, p.s); err != nil {
			return err
		}
		p.half.objects, p.half.partial = v.e.objects.in(p.s), p.s.partial
		v.requested.removeMatched(p.s.frame, p.s.names)
	}
	v.e.self.mapped(time.Since(begin))
	return nil
}

func (h *half) update(ctx context.Context, s *snapshot) error {
	set, err := h.mapper.MapContext(ctx, s.frame, s.names)
	if err != nil {
		return err
	}
	h.set, h.number, h.frame = set, s.number, s.frame
	return nil
}

// compose assembles the families of both halves, up to the limit, and the exporter's own.
func (v *view) compose(main bool) *metrics.Set {
	v.families, v.counts = v.families[:0], seriesCounts{}
	set := &metrics.Set{Time: time.Now().UTC(), TextOnly: v.e.textOnly()}
	if main {
		set.Time = v.main.set.Time
		v.families = append(v.families, v.main.set.Families...)
	}
	if v.costly.set != nil {
		v.addApart(v.costly.set)
	}
	v.bound(v.e.opt.MaxSeries)

	about := scraped{
		series: v.counts, whole: main && !v.main.partial, unmatched: v.unmatched(main), collectors: v.collectors,
	}
	objects := v.main.objects
	if !main {
		objects = nil
	}
	now := time.Now()
	about.objects = v.e.objects.list(now, v.e.mainObjects, objects)
	self := v.e.self.families(v.e, &about, now)
	clear(v.names)
	for i := range self {
		v.names[self[i].Name] = i
	}
	v.families = slices.DeleteFunc(v.families, func(f metrics.Family) bool {
		_, named := v.names[f.Name]
		return named
	})
	set.Families = append(v.families, self...)
	v.families = set.Families
	return set
}

// unmatched returns the paths of the filter without a match; none while a sample is missing.
func (v *view) unmatched(main bool) []string {
	if !main || v.e.costly != nil && v.costly.set == nil {
		return nil
	}
	return v.requested.list(nil)
}

// addApart adds independently sampled families.
func (v *view) addApart(set *metrics.Set) {
	clear(v.names)
	for i := range v.families {
		v.names[head(v.families[i].Name)] = i
	}

	for _, f := range set.Families {
		i, both := v.names[head(f.Name)]
		if both && isSelf(f.Name) {
			f.Name, both = v.freeName(&f), false
		} else if both && !joins(&v.families[i], &f) {
			continue
		}

		if both {
			v.families[i].Columns = append(slices.Clone(v.families[i].Columns), f.Columns...)
		} else {
			v.names[head(f.Name)] = len(v.families)
			v.families = append(v.families, f)
		}
	}
}

// head returns the name in OpenMetrics' lines above the samples of a family.
func head(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "_total"), "_info")
}

// isSelf reports whether a name is one of winperf's, which belongs to a single object.
func isSelf(name string) bool { return strings.HasPrefix(name, "winperf_") }

// freeName returns a numbered name for a family whose name is used in the other sample.
func (v *view) freeName(f *metrics.Family) (name string) {
	for n := 2; ; n++ {
		name = metrics.Numbered(f.Name, f.Unit, n)
		if _, taken := v.names[head(name)]; !taken {
			return name
		}
	}
}

// joins reports whether two families can be merged. Facts of the machine, which are in both
// samples, and the same object are not.
func joins(a, b *metrics.Family) bool {
	return a.Name == b.Name && a.Type == b.Type && b.Object != "" && !strings.EqualFold(a.Object, b.Object)
}

// bound omits the families that exceed the limit, as a whole, and counts series.
func (v *view) bound(most int) {
	v.families = slices.DeleteFunc(v.families, func(f metrics.Family) bool {
		n := 0
		for i := range f.Columns {
			n += present(&f.Columns[i])
		}
		if most > 0 && v.counts.written+n > most {
			v.counts.dropped += n
			return true
		}
		v.counts.written += n
		return false
	})
}

func present(c *metrics.Column) int {
	n := c.Rows.Len()
	for _, word := range c.Absent {
		n -= bits.OnesCount64(word)
	}
	return n
}
