package serve

import (
	"context"
	"errors"
	"io"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/sink/prometheus"
)

// view is what scrapes with the same filter see: metrics of the newest sample, under the
// names and with the labels of the samples before. One scrape at a time has the turn; what it
// wrote serves those that ask for the same sample in the same format.
type view struct {
	e    *Exporter
	f    filter
	turn chan struct{} // holds one element while somebody has the turn
	used time.Time     // by the exporter's lock

	main, costly half
	asked        *unmatched // the paths of the filter
	encoders     map[prometheus.Format]*prometheus.Encoder
	pages        map[prometheus.Format]*page // of the two halves' snapshots
	families     []metrics.Family            // of one text
	names        map[string]int              // scratch: where families are
	counts       seriesCounts
}

// seriesCounts are how many series a text has, and how many were left out.
type seriesCounts struct{ written, dropped int }

// half is the metrics of one of the two samplers.
type half struct {
	mapper  *metrics.Mapper
	number  uint64 // of the snapshot that set is of
	set     *metrics.Set
	objects map[string]bool // of that snapshot
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
		e: e, f: f, turn: make(chan struct{}, 1),
		main:     half{mapper: metrics.NewMapper(opt)},
		costly:   half{mapper: metrics.NewMapper(opt)},
		asked:    newUnmatched(f),
		encoders: map[prometheus.Format]*prometheus.Encoder{},
		pages:    map[prometheus.Format]*page{},
		names:    map[string]int{},
	}
}

// continues has the view's counters go on from where they are in another one, of an earlier configuration.
func (v *view) continues(ctx context.Context, last *view) error {
	if err := last.take(ctx); err != nil {
		return err
	}
	defer last.give()
	return errors.Join(v.main.mapper.Continue(last.main.mapper), v.costly.mapper.Continue(last.costly.mapper))
}

// take waits for the turn, as long as ctx lasts. A turn that is free can be had at any time: the
// sample may have taken all the time that there was.
func (v *view) take(ctx context.Context) error {
	select {
	case v.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case v.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *view) give() { <-v.turn }

// close gives back what the mappers hold, when the one who has the turn is done.
func (v *view) close() {
	v.turn <- struct{}{}
	v.forget()
	v.main.mapper.Close()
	v.costly.mapper.Close()
	v.give() // to somebody who has waited for it; what that takes is the collector's
}

// write writes the metrics of two snapshots, each of which may be nil. It returns the text,
// which its caller releases, or nil where that was long and went to w. Its caller has the turn.
func (v *view) write(w io.Writer, main, costly *snapshot, format prometheus.Format) (*page, error) {
	changed, err := v.update(main, costly)
	if err != nil {
		return nil, err
	}
	if changed {
		v.forget()
	}
	if p := v.pages[format]; p != nil && main != nil && time.Since(p.made) < measure.LeastInterval {
		return p.hold(), nil
	}

	begin := time.Now()
	set := v.compose(main != nil)
	out := newPageWriter(w, &v.e.texts, v.counts.written)
	err = v.encoder(format).Encode(out, set)
	v.e.own.wrote(time.Since(begin), out.whole)
	if err != nil || out.long {
		out.drop()
		return nil, err
	}

	p := &page{text: out.text, made: time.Now(), pool: &v.e.texts}
	p.hold()
	if main != nil { // else ages and the like are all there is
		v.pages[format].release()
		v.pages[format] = p.hold()
	}
	return p, nil
}

// forget drops the texts of the sample before.
func (v *view) forget() {
	for format, p := range v.pages {
		p.release()
		delete(v.pages, format)
	}
}

func (v *view) encoder(format prometheus.Format) *prometheus.Encoder {
	if v.encoders[format] == nil {
		v.encoders[format] = prometheus.NewEncoder(prometheus.Options{Format: format, Times: prometheus.TimesApart})
	}
	return v.encoders[format]
}

// update maps snapshots that are new.
func (v *view) update(main, costly *snapshot) (changed bool, err error) {
	begin := time.Now()
	for _, p := range []struct {
		half *half
		s    *snapshot
	}{{&v.main, main}, {&v.costly, costly}} {
		// One that came to its turn late may have an older sample: mappers want them in their order.
		if p.s == nil || p.s.number <= p.half.number {
			continue
		}
		changed = true
		if err := p.half.update(p.s); err != nil {
			return changed, err
		}
		p.half.objects = v.e.objects.in(p.s)
		v.asked.look(p.s.frame, p.s.names, p.s.readings)
	}
	if changed {
		v.e.own.mapped(time.Since(begin))
	}
	return changed, nil
}

func (h *half) update(s *snapshot) error {
	if s.frame.IsZero() {
		h.set, h.number = h.mapper.MapReadings(s.time, s.readings), s.number
		return nil
	}
	set, err := h.mapper.Map(s.frame, s.names)
	if err != nil {
		return err
	}
	h.set, h.number = set, s.number
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
	own := v.e.own.families(v.e, v.counts, objects, v.unmatched(main), time.Now())
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

// unmatched are the paths of the filter that match nothing; none as long as a sample that could have it is not
// there.
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
