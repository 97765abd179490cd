package catalogue

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
)

// MaxExplanations is how many paths are worth a line of their own.
const MaxExplanations = 20

// Absent reports whether a status says that there is no counter of the name, so that
// it is no use to wait for a value.
func Absent(s counter.Status) bool { return s == counter.NoObject || s == counter.NoCounter }

// Catalogue is what a source has, by name.
type Catalogue struct {
	context *measure.Measurement
	Cycle   *measure.Cycle // nil where the source could not be asked
	Objects []KnownObject
}

// Patience is how long an explanation may keep the program from ending.
const Patience = 2 * time.Second

// ReadCatalogue asks the source, also when ctx has ended, for all objects that are
// not costly and those that the paths name. With metadata the objects may be without
// their instances.
func ReadCatalogue(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *Catalogue {
	return ReadCatalogueNow(context.WithoutCancel(ctx), src, metadata, paths...)
}

// ReadCatalogueNow is ReadCatalogue as long as ctx lasts.
func ReadCatalogueNow(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *Catalogue {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	sel := winperf.Selection{Global: true, Metadata: metadata, NamesOnly: true}
	for _, p := range paths {
		p.Instance, p.Index, p.HasInstance, p.Counter = "*", 0, true, "*"
		sel.Paths = append(sel.Paths, p)
	}

	c := &Catalogue{context: measure.New(src, sel, measure.Options{FramesOnly: true})}
	// Without a sample there is no suggestion.
	if cycle, err := c.context.Cycle(ctx); err == nil {
		c.Cycle = cycle
		c.AddSample()
	}
	return c
}

// AddSample adds the objects of the sample.
func (c *Catalogue) AddSample() {
	for v := range c.Cycle.Frame.Values() {
		c.Objects = append(c.Objects, SeriesObjects(v.AllSeries())...)
	}
	for o := range c.Cycle.Frame.Objects() {
		c.Objects = append(c.Objects, NewObject(o, c.Cycle.Names))
	}
}

// Close closes what the catalogue was read from.
func (c *Catalogue) Close() { _ = c.context.Close() } // it was only read

// Reason says why a path gave no value.
func (c *Catalogue) Reason(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		return "no such object" + c.Hint(p, status)
	case counter.NoCounter:
		return "the object has no such counter" + c.Hint(p, status)
	case counter.NoInstance:
		return c.noInstance(p)
	case counter.NoPrevious:
		return "needs two samples, and there was only one of each instance"
	case counter.TooClose:
		const form = "its samples were less than %v apart, too close for a rate: ask for a longer interval"
		return fmt.Sprintf(form, measure.LeastInterval)
	case counter.Unsupported:
		return "the counter's type has no displayable value"
	}
	return fmt.Sprintf("no value (%v)", status)
}

// noInstance says why there is no instance as a path names it: the path has one where the
// object has no instances, or none where it has them, or there is none of that name.
func (c *Catalogue) noInstance(p winperf.Path) string {
	for o := range c.matching(p) {
		if !o.Multi && p.HasInstance {
			return fmt.Sprintf(`the object has no instances: write \%s\%s`, p.Object, p.Counter)
		}
		if o.Multi && !p.HasInstance {
			return fmt.Sprintf(`the object has instances: write \%s(*)\%s`, p.Object, p.Counter)
		}
	}
	return "no such instance now" + c.Hint(p, counter.NoInstance)
}

// Hint says what may have been meant by the part of a path that is not there.
func (c *Catalogue) Hint(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		return console.DidYouMean(p.Object, c.ObjectNames())
	case counter.NoCounter:
		return console.DidYouMean(p.Counter, c.counterNames(p))
	case counter.NoInstance:
		return console.DidYouMean(p.Instance, c.instanceNames(p))
	}
	return ""
}

// matching yields the objects that a path names.
func (c *Catalogue) matching(p winperf.Path) iter.Seq[*KnownObject] {
	return func(yield func(*KnownObject) bool) {
		object := selection.NewName(p.Object)
		if c.Cycle != nil {
			object.Resolve(selection.ShownTables(c.Cycle.Names))
		}
		for i := range c.Objects {
			o := &c.Objects[i]

			// The path may have the name as it is shown, or another one that the tables have
			// for the object's title index: the English name.
			title := o.ID.Index
			known := object.Is(title, o.Name) || title != 0 && object.Is(title, "")
			if known && !yield(o) {
				return
			}
		}
	}
}

// ObjectNames yields what there is, also costly objects that were not sampled.
func (c *Catalogue) ObjectNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.Objects {
			if !yield(c.Objects[i].Name) {
				return
			}
		}

		if c.Cycle == nil || c.Cycle.Frame.IsZero() || c.Cycle.Frame.Schema() == nil {
			return
		}
		for _, title := range c.Cycle.Frame.Schema().Costly {
			_, there := c.Cycle.Frame.Find(winperf.ObjectID{Index: title})
			if !there && !yield(c.Cycle.Names.Title(title)) {
				return
			}
		}
	}
}

func (c *Catalogue) counterNames(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range c.matching(p) {
			for _, d := range o.Counters {
				if !yield(d.Name) {
					return
				}
			}
		}
	}
}

func (c *Catalogue) instanceNames(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range c.matching(p) {
			for in := range o.Instances() {
				if !yield(in.String()) {
					return
				}
			}
		}
	}
}
