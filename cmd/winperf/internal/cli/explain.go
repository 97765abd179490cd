package cli

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/nametable"
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
	}

	if more > 0 {
		a.complain(fmt.Errorf("%d more paths gave no value", more))
	}
}

// maxExplanations is how many paths are worth a line of their own.
const maxExplanations = 20

// absent tells that there is no counter of the name, so that waiting is in
// vain.
func absent(s counter.Status) bool { return s == counter.NoObject || s == counter.NoCounter }

// catalogue is a sample of all that a source has, to look for names in.
type catalogue struct {
	context *measure.Measurement
	cycle   *measure.Cycle  // nil where the source could not be asked
	logged  []*loggedObject // of a log that holds displayable values
}

// patience is how long an explanation may keep the program from ending.
const patience = 2 * time.Second

// readCatalogue asks the source, also when ctx has ended, for all objects that are
// not costly and those that the paths name. With metadata only there are perhaps
// no instances.
func readCatalogue(ctx context.Context, src winperf.Source, metadata bool, paths ...winperf.Path) *catalogue {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	sel := winperf.Selection{Global: true, Metadata: metadata}
	for _, p := range paths {
		sel.Paths = append(sel.Paths, winperf.Path{Machine: p.Machine, Object: p.Object, Instance: "*", HasInstance: true, Counter: "*"})
	}

	c := &catalogue{context: measure.New(src, sel, measure.Options{FramesOnly: true})}
	if series, cooked, err := logSeries(ctx, src); cooked || err != nil {
		c.logged = loggedObjects(series)
		return c
	}
	c.cycle, _ = c.context.Cycle(ctx) // without it there is no suggestion
	return c
}

func (c *catalogue) close() { _ = c.context.Close() } // it was only read

// reason says why a path gave no value.
func (c *catalogue) reason(p winperf.Path, status counter.Status) string {
	switch status {
	case counter.NoObject:
		return fmt.Sprintf("no such object%s", didYouMean(p.Object, c.objects()))
	case counter.NoCounter:
		return fmt.Sprintf("the object has no such counter%s", didYouMean(p.Counter, c.counters(p)))
	case counter.NoInstance:
		return c.noInstance(p)
	case counter.NoPrevious:
		return "needs two samples, and there was only one of each instance"
	case counter.TooClose:
		const form = "its samples were less than %v apart, which is no time for a rate: ask for a longer interval"
		return fmt.Sprintf(form, measure.LeastInterval)
	case counter.Unsupported:
		return "the counter's type has no displayable value"
	}
	return fmt.Sprintf("no value (%v)", status)
}

func (c *catalogue) noInstance(p winperf.Path) string {
	for o := range c.matching(p) {
		if o.Single() && p.HasInstance {
			return fmt.Sprintf(`the object has no instances: write \%s\%s`, p.Object, p.Counter)
		}
		if !o.Single() && !p.HasInstance {
			return fmt.Sprintf(`the object has instances: write \%s(*)\%s`, p.Object, p.Counter)
		}
	}
	return fmt.Sprintf("no such instance now%s", didYouMean(p.Instance, c.instances(p)))
}

// all yields every object with the names to show it by.
func (c *catalogue) all() iter.Seq2[frame.Object, *nametable.Names] {
	return func(yield func(frame.Object, *nametable.Names) bool) {
		if c.cycle == nil {
			return
		}
		for o := range c.cycle.Frame.Objects() {
			if !yield(o, c.cycle.Names) {
				return
			}
		}
	}
}

// matching yields the objects that a path names.
func (c *catalogue) matching(p winperf.Path) iter.Seq2[frame.Object, *nametable.Names] {
	return func(yield func(frame.Object, *nametable.Names) bool) {
		if c.cycle == nil {
			return
		}
		object := selection.NewName(p.Object)
		object.Resolve(selection.ShownTables(c.cycle.Names))
		for o, names := range c.all() {
			if object.Is(o.ID().Index, "") && !yield(o, names) {
				return
			}
		}
	}
}

func (c *catalogue) objects() iter.Seq[string] {
	if c.logged != nil {
		return objectNames(c.logged)
	}
	return func(yield func(string) bool) {
		for o, names := range c.all() {
			if !yield(names.Title(o.ID().Index)) {
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

func (c *catalogue) counters(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range objectsOf(c.logged, p) {
			for _, name := range o.counters {
				if !yield(name) {
					return
				}
			}
		}
		for o, names := range c.matching(p) {
			for _, k := range shown(o) {
				if !yield(names.Title(o.Counter(k).ID.Index)) {
					return
				}
			}
		}
	}
}

func (c *catalogue) instances(p winperf.Path) iter.Seq[string] {
	return func(yield func(string) bool) {
		for o := range objectsOf(c.logged, p) {
			for _, name := range o.instances {
				if !yield(name) {
					return
				}
			}
		}
		for o := range c.matching(p) {
			for in := range o.Instances() {
				if !yield(in.Full()) {
					return
				}
			}
		}
	}
}
