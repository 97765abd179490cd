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

// MaxExplanations bounds the explained paths.
const MaxExplanations = 20

// Absent reports whether a status means that the counter does not exist, so that waiting is useless.
func Absent(s counter.Status) bool { return s == counter.NoObject || s == counter.NoCounter }

// Catalogue lists the contents of a source by name.
type Catalogue struct {
	context *measure.Measurement
	Cycle   *measure.Cycle // nil if the source could not be sampled
	Objects []KnownObject
}

// Timeout bounds the delay that an explanation adds to the end of the program.
const Timeout = 2 * time.Second

// ReadCatalogue reads all objects that are not costly and the objects of the paths, even if ctx has ended.
// With metadata the objects may lack their instances.
func ReadCatalogue(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *Catalogue {
	return ReadCatalogueNow(context.WithoutCancel(ctx), src, metadata, paths...)
}

// ReadCatalogueNow is ReadCatalogue, but stops when ctx ends.
func ReadCatalogueNow(
	ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path,
) *Catalogue {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	sel := winperf.Selection{Global: true, Metadata: metadata, NamesOnly: true}
	for _, p := range paths {
		p.Instance, p.Index, p.HasInstance, p.Counter = "*", 0, true, "*"
		sel.Paths = append(sel.Paths, p)
	}

	c := &Catalogue{context: measure.New(src, sel, measure.Options{FramesOnly: true})}
	// Without a sample there are no suggestions.
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

// Close releases the source.
func (c *Catalogue) Close() { _ = c.context.Close() } // only reads

// Reason explains why a path gave no value.
func (c *Catalogue) Reason(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		if c.nameless() {
			return "the source has no names, only numbers: add names to its URL, as in perfdata:FILE?names=NAMES" +
				" (winperf list --names > NAMES on that machine)"
		}
		return "no such object" + c.Hint(p, status)
	case counter.NoCounter:
		return "the object has no such counter" + c.Hint(p, status)
	case counter.NoInstance:
		return c.noInstance(p)

	case counter.NoPrevious:
		return "needs two samples, but each instance has only one"
	case counter.TooClose:
		const form = "its samples were less than %v apart, too close for a rate: use a longer interval"
		return fmt.Sprintf(form, measure.LeastInterval)
	case counter.Unsupported:
		return "the counter's type has no displayable value"
	}

	return fmt.Sprintf("no value (%v)", status)
}

// nameless reports whether the sample has objects with title indices, and the source no name tables.
func (c *Catalogue) nameless() bool {
	if c.Cycle == nil || len(c.Objects) == 0 {
		return false
	}
	return c.Objects[0].ID.Index != 0 && len(c.Cycle.Names.Languages()) == 0
}

// noInstance explains why no instance matches a path: the path has an instance but the object has none, or
// the reverse, or no instance has this name.
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

// Hint suggests a replacement for the unknown part of a path.
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

func (c *Catalogue) matching(p winperf.Path) iter.Seq[*KnownObject] {
	return func(yield func(*KnownObject) bool) {
		object := selection.NewName(p.Object)
		if c.Cycle != nil {
			object.Resolve(selection.ShownTables(c.Cycle.Names))
		}
		for i := range c.Objects {
			o := &c.Objects[i]

			// The path may have the displayed name, or another name of the title index: the English name.
			title := o.ID.Index
			known := object.Is(title, o.Name) || title != 0 && object.Is(title, "")
			if known && !yield(o) {
				return
			}
		}
	}
}

// ObjectNames returns the names of all objects, including costly objects.
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
