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

// KnownObject is an object of a source.
type KnownObject struct {
	title      uint32 // 0 in a log that holds displayable values, which has names only
	Name, Help string
	Multi      bool // has instances
	Counters   []KnownCounter
	Instances  func() []string // as in paths
}

// KnownCounter is a counter that a catalogue has.
type KnownCounter struct {
	Name, help string
	title      uint32 // 0 as with objects
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
	sel := winperf.Selection{Global: true, Metadata: metadata}
	for _, p := range paths {
		p.Instance, p.Index, p.HasInstance, p.Counter = "*", 0, true, "*"
		sel.Paths = append(sel.Paths, p)
	}

	c := &Catalogue{context: measure.New(src, sel, measure.Options{FramesOnly: true})}
	series, cooked, err := LogSeries(ctx, src)
	if err == nil && !cooked {
		c.Cycle, err = c.context.Cycle(ctx)
	}

	switch {
	case err != nil: // without it there is no suggestion
	case cooked:
		c.AddLogged(LoggedObjects(series))
	default:
		c.AddSample()
	}
	return c
}

// AddLogged adds the objects of a log that holds displayable values.
func (c *Catalogue) AddLogged(objects []*LoggedObject) {
	for _, o := range objects {
		known := KnownObject{Name: o.Name, Multi: o.Multi, Instances: func() []string { return o.Instances }}
		for _, name := range o.Counters {
			known.Counters = append(known.Counters, KnownCounter{Name: name})
		}
		c.Objects = append(c.Objects, known)
	}
}

// AddSample adds the objects of the sample.
func (c *Catalogue) AddSample() {
	names := c.Cycle.Names
	for o := range c.Cycle.Frame.Objects() {
		known := KnownObject{
			title: o.ID().Index, Name: names.Title(o.ID().Index), Help: names.Help(o.Help()),
			Multi: !o.Single(), Instances: func() []string { return instanceNames(o) },
		}
		for _, k := range ShownCounters(o) {
			d := o.Counter(k)
			known.Counters = append(known.Counters, KnownCounter{
				Name: names.Title(d.ID.Index), help: names.Help(d.Help), title: d.ID.Index,
			})
		}
		c.Objects = append(c.Objects, known)
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
			known := object.Is(o.title, o.Name) || o.title != 0 && object.Is(o.title, "")
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
			for _, name := range o.Instances() {
				if !yield(name) {
					return
				}
			}
		}
	}
}
