package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
)

// unmatched returns for each path why it matches nothing that a source has now, "" for one that
// matches something; nil where the source does not tell what it has.
func unmatched(ctx context.Context, src winperf.Source, paths []winperf.Path) (reasons []string) {
	c := readCatalogueNow(ctx, src, false, paths...)
	defer c.close()
	if len(c.objects) == 0 {
		return nil
	}

	for _, p := range paths {
		reason := ""
		if lack := c.lacks(p); lack != counter.OK {
			reason = c.reason(p, lack)
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// lacks tells what of a path is not there: the object, the counter or the instance.
func (c *catalogue) lacks(p winperf.Path) counter.Status {
	lack := counter.NoObject
	for o := range c.matching(p) {
		lack = min(lack, c.lacksIn(p, o)) // OK is less than NoInstance, NoCounter, NoObject
	}
	return lack
}

func (c *catalogue) lacksIn(p winperf.Path, o *knownObject) counter.Status {
	path := selection.NewPath(p)
	if c.cycle != nil {
		path.Resolve(selection.ShownTables(c.cycle.Names))
	}
	is := func(k knownCounter) bool {
		return path.Counter.Is(k.title, k.name) || k.title != 0 && path.Counter.Is(k.title, "")
	}
	if !slices.ContainsFunc(o.counters, is) {
		return counter.NoCounter
	}

	switch {
	case !path.Fits(!o.multi):
		return counter.NoInstance
	case !o.multi, path.EveryInstance(), slices.ContainsFunc(o.instances(), isInstance(&path)):
		return counter.OK
	}
	return counter.NoInstance
}

// isInstance compares a path with an instance as it is written in paths.
func isInstance(path *selection.Path) func(text string) bool {
	return func(text string) bool {
		p, err := winperf.ParsePath(fmt.Sprintf(`\object(%s)\counter`, text))
		return err == nil && path.Instance(p.Instance, p.Index)
	}
}
