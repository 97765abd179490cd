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

// view makes metrics of samples: the names and labels of one filter. It is used by the scrape that has the
// turn.
type view struct {
	e *Exporter

	main, costly half
	asked        *unmatched // the paths of the filter
	encoders     map[prometheus.Format]*prometheus.Encoder
	families     []metrics.Family // of one text
	names        map[string]int   // scratch: where families are
	counts       seriesCounts
}

// seriesCounts are how many series a text has, and how many were left out.
type seriesCounts struct{ written, dropped int }

// half is the metrics of one of the two samplers.
type half struct {
	mapper  *metrics.Mapper
	number  uint64      // of the snapshot that set is of
	frame   frame.Frame // of that snapshot
	set     *metrics.Set
	objects map[string]bool // of that snapshot
	partial bool            // that snapshot lacks objects
}

// newView returns a view of the paths that a filter and the configuration have in common, of everything where
// there are none.
func (e *Exporter) newView(f filter, paths []winperf.Path) *view {
	opt := e.mapping
	opt.Select = e.sel
	if len(paths) > 0 {
		opt.Select = winperf.Selection{Paths: paths}
	}
	return &view{
		e:        e,
		main:     half{mapper: metrics.NewMapper(opt)},
		costly:   half{mapper: metrics.NewMapper(opt)},
		asked:    newUnmatched(f),
		encoders: map[prometheus.Format]*prometheus.Encoder{},
		names:    map[string]int{},
	}
}

// continues has the counters of a new view go on from where they are in another one.
func (v *view) continues(last *view) error {
	if last == nil {
		return errClosed
	}
	return errors.Join(v.main.mapper.Continue(last.main.mapper), v.costly.mapper.Continue(last.costly.mapper))
}

// write writes the metrics of the samples that the view was updated with. Without the main one there is only
// what is not of the sample that failed.
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
	v.e.own.wrote(time.Since(begin), to.text)
	return err
}

func (v *view) encoder(format prometheus.Format) *prometheus.Encoder {
	if v.encoders[format] == nil {
		v.encoders[format] = prometheus.NewEncoder(prometheus.Options{Format: format, Times: prometheus.TimesApart})
	}
	return v.encoders[format]
}

// update maps snapshots that are new, each of which may be nil. A view whose update failed is not used again
// if ctx ended.
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
		v.asked.look(p.s.frame, p.s.names)
	}
	v.e.own.mapped(time.Since(begin))
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

// compose puts the families of both halves and the exporter's own together, as many as are
// allowed. Without the main half there is only what is not of the sample that failed.
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

	objects := v.main.objects
	if !main {
		objects = nil
	}
	own := v.e.own.families(v.e, v.counts, objects, main && !v.main.partial, v.unmatched(main), time.Now())
	clear(v.names)
	for i := range own {
		v.names[own[i].Name] = i
	}
	v.families = slices.DeleteFunc(v.families, func(f metrics.Family) bool {
		_, named := v.names[f.Name]
		return named
	})
	set.Families = append(v.families, own...)
	v.families = set.Families
	return set
}

// unmatched are the paths of the filter that match nothing; none as long as a sample that could have it is
// not there.
func (v *view) unmatched(main bool) []string {
	if !main || v.e.costly != nil && v.costly.set == nil {
		return nil
	}
	return v.asked.list(nil)
}

// addApart adds what was sampled at another time.
func (v *view) addApart(set *metrics.Set) {
	clear(v.names)
	for i := range v.families {
		v.names[head(v.families[i].Name)] = i
	}

	for _, f := range set.Families {
		i, both := v.names[head(f.Name)]
		if both && isOwn(f.Name) {
			f.Name, both = v.freeName(&f), false
		} else if both && !joins(&v.families[i], &f) {
			continue
		}

		columns := slices.Clone(f.Columns)
		for i := range columns {
			if columns[i].Time.IsZero() {
				columns[i].Time = set.Time
			}
		}
		f.Columns = columns
		if both {
			v.families[i].Columns = append(slices.Clone(v.families[i].Columns), columns...)
		} else {
			v.names[head(f.Name)] = len(v.families)
			v.families = append(v.families, f)
		}
	}
}

// head is the name of a family as OpenMetrics has it above its samples.
func head(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, "_total"), "_info")
}

// isOwn reports whether a name is one of winperf's, which one object has alone.
func isOwn(name string) bool { return strings.HasPrefix(name, "winperf_") }

// freeName is the name of a family that another object of the other sample has, with a number.
func (v *view) freeName(f *metrics.Family) (name string) {
	for n := 2; ; n++ {
		name = metrics.Numbered(f.Name, f.Unit, n)
		if _, taken := v.names[head(name)]; !taken {
			return name
		}
	}
}

// joins reports whether what several objects make can stand in one family: neither what the
// machine tells of itself, which both samples have, nor one object twice.
func joins(a, b *metrics.Family) bool {
	return a.Name == b.Name && a.Type == b.Type && b.Object != "" && !strings.EqualFold(a.Object, b.Object)
}

// bound leaves out the families that do not fit, and counts. A metric is there as a whole or
// not at all.
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

// present is the number of rows that have a value.
func present(c *metrics.Column) int {
	n := c.Rows.Len()
	for _, word := range c.Absent {
		n -= bits.OnesCount64(word)
	}
	return n
}
