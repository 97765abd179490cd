package v1

import (
	"context"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// nothing is the value name for a selection without objects. The answer still has clocks, because
// title index 1 is never an object.
const nothing = "1"

// choice builds the value name for a selection. A single name is needed because only the objects of
// one answer have the same clocks.
type choice struct {
	source *Source
	ctx    context.Context
	known  *known

	global   bool              // all objects that are not costly
	titles   []uint32          // of additional objects
	patterns []*selection.Name // of objects
}

// valueName returns the value to request. It queries the machine's objects only if the selection
// does not name them.
func (c *choice) valueName(sel winperf.Selection) (name string, err error) {
	if c.source.opt.Foreign != "" { // foreign queries have no names for these
		sel.Costly, sel.Metadata = false, false
	}
	prefix := ""
	if sel.Metadata && c.known.metadata {
		prefix = "Metadata"
	}

	c.gather(sel)
	named := len(c.titles) + len(c.patterns)
	if sel.Costly {
		if c.known, err = c.source.readCostly(c.ctx, c.known); err != nil {
			return "", err
		}
		c.titles = append(c.titles, c.known.schema.Costly...)
	}

	switch {
	case sel.Costly && !c.global && named == 0:
		return prefix + "Costly", nil
	case c.global && len(c.titles) == 0:
		return prefix + "Global", nil
	case c.global || len(c.patterns) > 0:
		whole, err := c.addGlobal()
		if whole || err != nil {
			return prefix + "Global", err
		}
	}
	return c.list()
}

// gather notes the requests of the selection: all objects that are not costly, title indices, and
// patterns, which need the list of all objects.
func (c *choice) gather(sel winperf.Selection) {
	for _, p := range selection.Resolve(sel, c.known.names) {
		switch {
		case p.Class && p.Costly:
			// valueName adds the costly objects, because their title indices may have to be queried
			// first.
		case p.Class, p.Path != nil && p.Path.Object.Everything():
			c.global = true
		case p.ByPattern():
			c.patterns = append(c.patterns, &p.Path.Object)
		case p.Path != nil:
			c.titles = append(c.titles, p.Path.Object.Titles()...)
		case p.Object.Index != 0: // an object with only a GUID is not available here
			c.titles = append(c.titles, p.Object.Index)
		}
	}
}

// addGlobal adds the wanted objects that exist now, except costly ones. whole reports that exactly
// all of them are wanted.
func (c *choice) addGlobal() (whole bool, err error) {
	global, err := c.source.global(c.ctx, c.known)
	if err != nil {
		return false, err
	}

	if c.global {
		whole = !slices.ContainsFunc(c.titles, func(t uint32) bool { return !slices.Contains(global, t) })
		c.titles = append(c.titles, global...)
		return whole, nil
	}

	for _, t := range global {
		if slices.ContainsFunc(c.patterns, func(n *selection.Name) bool { return n.Is(t, "") }) {
			c.titles = append(c.titles, t)
		}
	}
	return false, nil
}

// list returns the title indices as a value name.
func (c *choice) list() (string, error) {
	slices.Sort(c.titles)
	c.titles = slices.Compact(c.titles)
	if len(c.titles) == 0 {
		return nothing, nil
	}
	name := listName(c.titles)
	if len(c.source.valueName(name)) > maxValueName {
		return "",
			fmt.Errorf("%d objects are too many for one query, whose name has at most %d characters: %w",
				len(c.titles), maxValueName, winperf.ErrNotSupported)
	}
	return name, nil
}

// valueName adds the foreign machine, if any, to the name.
func (s *Source) valueName(query string) string {
	switch {
	case s.opt.Foreign == "":
		return query
	case query == "Global":
		return "Foreign " + s.opt.Foreign
	}
	return "Foreign " + s.opt.Foreign + " " + query
}

// userLanguage returns the id of the name tables for a language, English if it is empty or invalid.
func userLanguage(language string) string {
	if id, err := nametable.ParseLanguage(language); err == nil {
		return id
	}
	return nametable.English
}
