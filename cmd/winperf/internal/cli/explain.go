package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/provider/publish"
)

// explain says on standard error, for each path that has not given a value, why
// that is and what may have been meant, once for each path. Until the end is
// reached it does so only for paths that match nothing.
func (a *app) explain(ctx context.Context, src winperf.Source, t *tally, paths []winperf.Path, end bool) {
	var c *catalogue
	more := 0
	for w, served := range t.served {
		last := t.last[w]
		if served || last == counter.OK || !end && !logs.NamesNothing(last) {
			continue
		}

		a.partial = a.partial || end
		if t.explained[w] || last == counter.NotPermitted { // which is told of all at once
			continue
		}

		t.explained[w] = true
		if t.explanations++; t.explanations > maxExplanations {
			more++
			continue
		}

		if c == nil {
			c = readCatalogue(ctx, src, false, paths...)
			defer c.close()
		}
		a.complain(fmt.Errorf("%s: %s", paths[w], c.reason(paths[w], last)))
		if last == counter.NoObject {
			a.tellElsewhere(src)
		}
	}

	if more > 0 {
		a.complain(fmt.Errorf("%d more paths gave no value", more))
	}
}

// explainFirst explains the paths that match nothing in a first sample, of which a rate has
// no value yet. If no path is about anything that is there, more samples are waited for.
func (a *app) explainFirst(
	ctx context.Context, src winperf.Source, t *tally, paths []winperf.Path, more bool,
) {
	a.explain(ctx, src, t, paths, false)
	if more && t.hopeless() {
		a.complain(errors.New("no path matches anything yet; waiting until one does"))
	}
}

// tellElsewhere says once, where an object is not there, that other accounts publish in
// places that are not read.
func (a *app) tellElsewhere(src winperf.Source) {
	is := src.Describe()
	if a.elsewhere || is.Recorded || is.Cooked {
		return
	}
	dirs := publish.Elsewhere()
	if len(dirs) == 0 {
		return
	}

	a.elsewhere = true
	how := "this account may not read them"
	may := func(dir string) bool {
		_, err := os.ReadDir(dir)
		return err == nil
	}
	if i := slices.IndexFunc(dirs, may); i >= 0 {
		dirs[0], dirs[i] = dirs[i], dirs[0]
		how = fmt.Sprintf("%s=%s reads that one", publish.Environment, dirs[0])
	}

	first := dirs[0]
	if len(dirs) > 1 {
		first = fmt.Sprintf("%s (and %d more)", first, len(dirs)-1)
	}
	const form = "other accounts publish in directories of their own, which are not read: %s; %s"
	a.complain(fmt.Errorf(form, first, how))
}

// maxExplanations is how many paths are worth a line of their own.
const maxExplanations = 20

// absent reports whether a status says that there is no counter of the name, so that
// it is no use to wait for a value.
func absent(s counter.Status) bool { return s == counter.NoObject || s == counter.NoCounter }

// catalogue is what a source has, by name.
type catalogue struct {
	context *measure.Measurement
	cycle   *measure.Cycle // nil where the source could not be asked
	objects []knownObject
}

// knownObject is an object of a source.
type knownObject struct {
	title      uint32 // 0 in a log that holds displayable values, which has names only
	name, help string
	multi      bool // has instances
	counters   []knownCounter
	instances  func() []string // as in paths
}

type knownCounter struct {
	name, help string
	title      uint32 // 0 as with objects
}

// patience is how long an explanation may keep the program from ending.
const patience = 2 * time.Second

// readCatalogue asks the source, also when ctx has ended, for all objects that are
// not costly and those that the paths name. With metadata the objects may be without
// their instances.
func readCatalogue(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *catalogue {
	return readCatalogueNow(context.WithoutCancel(ctx), src, metadata, paths...)
}

// readCatalogueNow is readCatalogue as long as ctx lasts.
func readCatalogueNow(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *catalogue {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sel := winperf.Selection{Global: true, Metadata: metadata}
	for _, p := range paths {
		p.Instance, p.Index, p.HasInstance, p.Counter = "*", 0, true, "*"
		sel.Paths = append(sel.Paths, p)
	}

	c := &catalogue{context: measure.New(src, sel, measure.Options{FramesOnly: true})}
	series, cooked, err := logSeries(ctx, src)
	if err == nil && !cooked {
		c.cycle, err = c.context.Cycle(ctx)
	}

	switch {
	case err != nil: // without it there is no suggestion
	case cooked:
		c.addLogged(loggedObjects(series))
	default:
		c.addSample()
	}
	return c
}

// addLogged adds the objects of a log that holds displayable values.
func (c *catalogue) addLogged(objects []*loggedObject) {
	for _, o := range objects {
		known := knownObject{name: o.name, multi: o.multi, instances: func() []string { return o.instances }}
		for _, name := range o.counters {
			known.counters = append(known.counters, knownCounter{name: name})
		}
		c.objects = append(c.objects, known)
	}
}

// addSample adds the objects of the sample.
func (c *catalogue) addSample() {
	names := c.cycle.Names
	for o := range c.cycle.Frame.Objects() {
		known := knownObject{
			title: o.ID().Index, name: names.Title(o.ID().Index), help: names.Help(o.Help()),
			multi: !o.Single(), instances: func() []string { return instanceNames(o) },
		}
		for _, k := range shown(o) {
			d := o.Counter(k)
			known.counters = append(known.counters, knownCounter{
				name: names.Title(d.ID.Index), help: names.Help(d.Help), title: d.ID.Index,
			})
		}
		c.objects = append(c.objects, known)
	}
}

func (c *catalogue) close() { _ = c.context.Close() } // it was only read

// reason says why a path gave no value.
func (c *catalogue) reason(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		return "no such object" + c.hint(p, status)
	case counter.NoCounter:
		return "the object has no such counter" + c.hint(p, status)
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
func (c *catalogue) noInstance(p winperf.Path) string {
	for o := range c.matching(p) {
		if !o.multi && p.HasInstance {
			return fmt.Sprintf(`the object has no instances: write \%s\%s`, p.Object, p.Counter)
		}
		if o.multi && !p.HasInstance {
			return fmt.Sprintf(`the object has instances: write \%s(*)\%s`, p.Object, p.Counter)
		}
	}
	return "no such instance now" + c.hint(p, counter.NoInstance)
}

// hint says what may have been meant by the part of a path that is not there.
func (c *catalogue) hint(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		return didYouMean(p.Object, c.objectNames())
	case counter.NoCounter:
		return didYouMean(p.Counter, c.counterNames(p))
	case counter.NoInstance:
		return didYouMean(p.Instance, c.instanceNames(p))
	}
	return ""
}

// matching yields the objects that a path names.
func (c *catalogue) matching(p winperf.Path) iter.Seq[*knownObject] {
	return func(yield func(*knownObject) bool) {
		object := selection.NewName(p.Object)
		if c.cycle != nil {
			object.Resolve(selection.ShownTables(c.cycle.Names))
		}
		for i := range c.objects {
			o := &c.objects[i]

			// The path may have the name as it is shown, or another one that the tables have
			// for the object's title index: the English name.
			known := object.Is(o.title, o.name) || o.title != 0 && object.Is(o.title, "")
			if known && !yield(o) {
				return
			}
		}
	}
}

// objectNames yields what there is, also costly objects that were not sampled.
func (c *catalogue) objectNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.objects {
			if !yield(c.objects[i].name) {
				return
			}
		}

		if c.cycle == nil || c.cycle.Frame.IsZero() || c.cycle.Frame.Schema() == nil {
			return
		}
		for _, title := range c.cycle.Frame.Schema().Costly {
			_, there := c.cycle.Frame.Find(winperf.ObjectID{Index: title})
			if !there && !yield(c.cycle.Names.Title(title)) {
				return
			}
		}
	}
}

func (c *catalogue) counterNames(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range c.matching(p) {
			for _, d := range o.counters {
				if !yield(d.name) {
					return
				}
			}
		}
	}
}

func (c *catalogue) instanceNames(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range c.matching(p) {
			for _, name := range o.instances() {
				if !yield(name) {
					return
				}
			}
		}
	}
}
