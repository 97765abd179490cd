package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// chooser assigns each object of a selection to the first member whose sample has it. Two objects
// are the same if they share a name in any language.
type chooser struct {
	composed *composed
	sel      winperf.Selection
	parts    []selection.Part // of sel
	served   map[string]bool  // names of objects that a member serves, in lower case
	reached  []bool           // by part: a member serves the object that its path names in full
	units    []*unit
	errs     []error
	working  int  // members that could be queried
	idle     bool // only objects named in full are wanted, and the first member has none of them
	unsure   bool // the objects of the first member are unknown because of an error
}

// Compile implements winperf.Source. It takes a sample of each member to find the objects that the
// member has.
//
// Objects of the registry are read from there, all in one sample, because a system lock serializes
// all registry queries anyway. Counter sets that the registry lacks get one query each, so that a
// provider that fails or hangs affects only its own set. PDH serves objects that paths name in full
// and neither of the others has. If neither of the others is available, PDH serves everything.
func (c *composed) Compile(ctx context.Context, sel winperf.Selection) (winperf.Query, error) {
	parts := selection.Parts(sel)
	ch := &chooser{
		composed: c, sel: sel, parts: parts,
		served: map[string]bool{}, reached: make([]bool, len(parts)),
	}
	for _, m := range c.members {
		if err := ch.query(ctx, m); err != nil {
			ch.close()
			return nil, err
		}
	}

	if ch.working == 0 {
		return nil, errors.Join(ch.errs...)
	}
	if len(ch.units) > 1 && ch.idle {
		if err := ch.units[0].query.Close(); err != nil {
			c.note(ch.units[0].name, "close", err, 1, 0)
		}
		ch.units = ch.units[1:]
	}
	return newComposedQuery(c, ch.units), nil
}

func (ch *chooser) close() {
	for _, u := range ch.units {
		_ = u.query.Close() // Compile returns the error of the choice instead
	}
}

// query queries a member for objects that are not served yet. It returns only errors about the
// selection, and the error of ctx.
func (ch *chooser) query(ctx context.Context, m *member) error {
	c := ch.composed
	if m.fallback && ch.working > 0 && (ch.unsure || !ch.wanting()) || !ch.open() {
		return nil
	}

	src, err := c.open(ctx, m)
	if err == nil {
		switch {
		case m.fallback && ch.working > 0:
			err = ch.whole(ctx, m, src, ch.missing())
		case m.apart:
			if err = ch.sets(ctx, m, src); err == nil && len(ch.units) == 0 {
				err = ch.whole(ctx, m, src, ch.sel) // an empty selection, for the clocks
			}
		default:
			err = ch.whole(ctx, m, src, ch.sel)
		}
	}

	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, winperf.ErrNoMachine):
		return err
	case err != nil:
		if ch.errs = append(ch.errs, err); m.serves() {
			c.note(m.name, "compile", err, 1, 0)
		}
	default:
		ch.working++
	}
	return nil
}

// wanting reports whether a path names an object that no member has yet.
func (ch *chooser) wanting() bool { return len(ch.missing().Paths) > 0 }

// open reports whether another member may have wanted objects.
func (ch *chooser) open() bool {
	if ch.working == 0 || ch.sel.Global || ch.wanting() {
		return true
	}
	return slices.ContainsFunc(ch.parts,
		func(p selection.Part) bool { return !p.Object.GUID.IsZero() || p.ByPattern() })
}

// named reports whether the selection has only objects that paths name in full.
func (ch *chooser) named() bool {
	return !slices.ContainsFunc(ch.parts,
		func(p selection.Part) bool { return p.Path == nil || p.ByPattern() })
}

// resolve looks the names of the selection up in the names of a member.
func (ch *chooser) resolve(names *nametable.Names) {
	tables := selection.NewTables(names)
	for i := range ch.parts {
		ch.parts[i].Resolve(tables)
	}
}

// missing returns the paths in full that no member serves yet.
func (ch *chooser) missing() winperf.Selection {
	sel := winperf.Selection{Metadata: ch.sel.Metadata}
	for i, p := range ch.parts {
		if p.Path != nil && !ch.reached[i] && !p.ByPattern() {
			sel.Paths = append(sel.Paths, p.Path.Original)
		}
	}
	return sel
}

// whole makes a member serve a selection by one query.
func (ch *chooser) whole(ctx context.Context, m *member, src winperf.Source, sel winperf.Selection) error {
	q, err := src.Compile(ctx, sel)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}

	objects, err := ch.probe(ctx, q)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), q.Close())
	}

	first := len(ch.units) == 0
	if objects == 0 && !first {
		return errors.Join(err, q.Close())
	}

	if first {
		ch.unsure = err != nil
		ch.idle = err == nil && objects == 0 && ch.named()
	}
	ch.units = append(ch.units, newUnit(m.name, q)) // even if it fails now, because it may recover
	return nil
}

// probe takes a sample and notes its objects.
func (ch *chooser) probe(ctx context.Context, q winperf.Query) (objects int, err error) {
	ctx, cancel := context.WithTimeout(ctx, ch.composed.limit)
	defer cancel()
	var sample winperf.Sample

	if err := q.Next(ctx, &sample); err != nil {
		return 0, err
	}
	var pool frame.Pool
	f, err := pool.Decode(&sample, frame.Frame{})
	if err != nil || f.NumObjects() == 0 { // a damaged sample serves the objects before the damage
		return 0, err
	}
	names, _ := nametable.FromSchema(schemaOf(f))
	ch.resolve(names)
	for o := range f.Objects() {
		ch.serve(names, o.ID().Index)
		for i := range ch.parts {
			if ch.parts[i].Selects(selection.Object{ID: o.ID()}) == selection.InFull {
				ch.reached[i] = true
			}
		}
	}

	for _, costly := range schemaOf(f).Costly { // they exist, but are not in this sample
		ch.serve(names, costly)
	}
	return f.NumObjects(), nil
}

func schemaOf(f frame.Frame) *winperf.Schema {
	if s := f.Schema(); s != nil {
		return s
	}
	return &winperf.Schema{}
}

// serve notes all names of an object.
func (ch *chooser) serve(names *nametable.Names, title uint32) {
	for _, name := range allNames(names, title) {
		ch.served[strings.ToLower(name)] = true
	}
}

// allNames returns the names of a title in all languages.
func allNames(names *nametable.Names, title uint32) (all []string) {
	for _, id := range names.Languages() {
		table, _ := names.Tables(id)
		if name, ok := table.Name(title); ok {
			all = append(all, name)
		}
	}
	return all
}

// sets makes a member serve every wanted counter set that is not served yet, by a separate query
// each.
func (ch *chooser) sets(ctx context.Context, m *member, src winperf.Source) error {
	schema, err := src.Schema(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}

	names, _ := nametable.FromSchema(schema)
	ch.resolve(names)
	for _, set := range schema.Sets {
		served := func(name string) bool { return ch.served[strings.ToLower(name)] }
		sel, selected := ch.ofSet(set)
		if !selected || slices.ContainsFunc(allNames(names, set.Title), served) {
			continue
		}

		name := m.name + " " + names.Title(set.Title)
		q, err := src.Compile(ctx, sel)
		if ctx.Err() != nil || errors.Is(err, winperf.ErrNoMachine) {
			return err
		}
		if err != nil {
			ch.composed.note(name, "compile", err, 1, 0)
			continue
		}
		ch.units = append(ch.units, newUnit(name, q))
	}
	return nil
}

// ofSet returns the part of the selection for a counter set.
func (ch *chooser) ofSet(set winperf.CounterSet) (sel winperf.Selection, selected bool) {
	id := winperf.ObjectID{Index: set.Title, GUID: set.GUID}
	sel.Metadata = ch.sel.Metadata
	for i, p := range ch.parts {
		switch {
		case p.Requests(selection.Object{ID: id}) == selection.NoMatch:
			continue
		case p.Path == nil:
			sel.Objects = []winperf.ObjectID{id}
		default:
			ch.reached[i] = true
			path := p.Path.Original
			path.Object = "#" + strconv.FormatUint(uint64(set.Title), 10)
			sel.Paths = append(sel.Paths, path)
		}
		selected = true
	}
	return sel, selected
}
