package linuxhost

import (
	"context"
	"math"
	"slices"

	"github.com/winperf/winperf/provider"
)

const (
	// maxGroupDepth is the number of levels shown below the root.
	maxGroupDepth = 8
	// maxGroupName is the limit of instance names in counter paths, in bytes (pdh.h,
	// PDH_MAX_INSTANCE_NAME).
	maxGroupName = 1024
	// probedGroups is the number of groups that probe reads.
	probedGroups = 256
)

const groupCPUFull fields = 1

// groupTree is a tree of control groups. The first tree that provides a field is used. A cgroup v1
// controller has its own tree.
type groupTree struct {
	marker string   // a file that only this cgroup version has
	dirs   []string // possible mount points
	files  fileTables
}

type mountedTree struct {
	dir   string
	files []groupFile
}

// groupFile is a file and the fields to read from it.
type groupFile struct {
	*fileTable
	takes fields
}

// groupSource reads the Control Group object.
type groupSource struct {
	known []groupTree
	trees []mountedTree
	root  *group

	// For the current sample:
	o         *object
	out       provider.ObjectWriter
	probing   bool   // write nothing
	available fields // fields that could be read
	groups    int
	query     uint64
	listing   Listing
	part      values // fields of one file
	cur       values // fields of one group
}

type group struct {
	path     string // relative to the root of its tree; "" for the root
	name     string
	base     string // last element of path
	id       uint64 // inode number in the first tree that had it
	depth    int
	hidden   bool         // not shown, with all groups below
	places   []groupPlace // by tree
	children []*group     // sorted by base
	seen     uint64       // the last query that found it
}

// groupPlace is a group's directory in a tree, if dir has a name.
type groupPlace struct {
	dir   file
	id    uint64
	files []file // in the order of the tree's files

	entries int    // enabling a controller adds entries to the directory
	absent  uint64 // bit i: files[i] does not exist in this directory
}

func newGroupSource(sp *spec) source { return &groupSource{known: sp.trees} }

// probe detects trees and files. Fields that no group has now, such as a limit, may appear later.
func (r *groupSource) probe(s *session) fields {
	var taken fields
	for _, tree := range r.known {
		for _, dir := range tree.dirs {
			if there, _ := s.exists(dir + "/" + tree.marker); there {
				taken |= r.mount(dir, tree.files, taken)
			}
		}
	}

	r.root = &group{name: "/", places: make([]groupPlace, len(r.trees))}
	for i := range r.trees {
		r.enter(r.root, i, 1)
	}

	r.begin(s, &object{needed: taken})
	r.probing = true
	_ = r.walk(context.Background(), s, r.root) // fails only if the context ends
	r.probing = false
	return r.available
}

// mount adds a tree. It returns the fields of its files that are not taken.
func (r *groupSource) mount(dir string, files []*fileTable, taken fields) (provides fields) {
	tree := mountedTree{dir: dir}
	for _, t := range files {
		if takes := t.provides &^ taken; takes != 0 {
			tree.files = append(tree.files, groupFile{t, takes})
			provides |= takes
		}
	}
	r.trees = append(r.trees, tree)
	return provides
}

func (r *groupSource) begin(s *session, o *object) {
	r.o = o
	r.available = 0
	r.groups = 0
	r.query = s.queries
}

func (r *groupSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	r.begin(s, o)
	r.out = w.Object(o.layout)
	if err := r.walk(ctx, s, r.root); err != nil {
		return err
	}
	r.out.End()
	return nil
}

// walk writes a group and the groups below it. If the directory still exists after a file was
// missing, no controller counts its fields.
func (r *groupSource) walk(ctx context.Context, s *session, g *group) error {
	if r.groups%64 == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	if g.hidden || r.probing && r.groups == probedGroups {
		return nil
	}

	r.read(s, g)
	if !r.list(s, g) {
		return nil
	}

	r.groups++
	if !r.probing {
		r.out.Instance(provider.Instance{Name: g.name, UniqueID: int32(g.id & math.MaxInt32),
			HasUniqueID: g.depth > 0})
		r.o.write(&r.out, &r.cur)
	}

	for _, child := range g.children {
		if err := r.walk(ctx, s, child); err != nil {
			return err
		}
	}
	return nil
}

func (r *groupSource) read(s *session, g *group) {
	r.cur.have = 0
	for i := range r.trees {
		at := &g.places[i]
		for k := range at.files {
			f := &r.trees[i].files[k]
			if r.o.needed&f.takes == 0 || at.absent>>k&1 != 0 {
				continue
			}

			text, err := s.reader.read(&at.files[k])
			if err != nil {
				if isMissing(err) {
					at.absent |= 1 << k
				}
				continue
			}

			r.available |= f.takes
			r.part.have = 0
			f.read(&r.part, text, &s.units)
			r.cur.take(&r.part, f.takes)
		}
	}

	if g.depth == 0 {
		r.cur.have &^= groupCPUFull // meaningless for the whole machine
	}
}

// list updates the children of g and reports whether g still exists. A deleted directory is empty
// or cannot be listed.
func (r *groupSource) list(s *session, g *group) (there bool) {
	for i := range r.trees {
		at := &g.places[i]
		if at.dir.name == "" {
			continue
		}

		err := s.reader.list(&at.dir, &r.listing)
		if isShort(err) {
			there = true // assume that it exists, with all groups below
			r.keep(g)
			continue
		}

		if err != nil || r.listing.Len() == 0 {
			at.close(s)
			at.entries, at.absent = 0, 0
			if g.depth > 0 {
				*at = groupPlace{} // until its parent lists it again
			}
			continue
		}

		there = true
		if n := r.listing.Len(); n != at.entries {
			at.entries = n
			at.absent = 0
		}

		for k := range r.listing.Len() {
			if e := r.listing.At(k); e.Dir && g.depth < maxGroupDepth {
				r.child(s, g, i, e)
			}
		}
	}

	g.children = slices.DeleteFunc(g.children, func(c *group) bool {
		if c.seen == r.query {
			return false
		}
		c.close(s)
		return true
	})
	return there
}

func (r *groupSource) keep(g *group) {
	for _, c := range g.children {
		c.seen = r.query
	}
}

// child updates a child of a group from a directory entry.
func (r *groupSource) child(s *session, g *group, tree int, e Entry) {
	i, found := slices.BinarySearchFunc(g.children, e.Name, compareBase)
	switch {
	case found:
		if at := &g.children[i].places[tree]; at.dir.name != "" && at.id != e.ID {
			g.children[i].close(s) // another group
			g.children[i] = r.newGroup(s, g, e)
		}
	case len(g.path)+1+len(e.Name) > maxGroupName:
		return
	default:
		g.children = slices.Insert(g.children, i, r.newGroup(s, g, e))
	}

	c := g.children[i]
	c.seen = r.query
	if c.places[tree].dir.name == "" {
		r.enter(c, tree, e.ID)
	}
}

func compareBase(g *group, name []byte) int {
	switch { // strings.Compare would need a copy
	case g.base < string(name):
		return -1
	case g.base > string(name):
		return 1
	}
	return 0
}

func (r *groupSource) newGroup(s *session, parent *group, e Entry) *group {
	base := string(e.Name)
	path := parent.path + "/" + base
	return &group{
		path: path, name: fileName([]byte(path)), base: base, id: e.ID,
		depth: parent.depth + 1, places: make([]groupPlace, len(r.trees)),
		hidden: s.groups != nil && !s.groups(path),
	}
}

func (r *groupSource) enter(g *group, tree int, id uint64) {
	dir := r.trees[tree].dir + g.path
	at := &g.places[tree]
	*at = groupPlace{dir: file{name: dir}, id: id, files: make([]file, len(r.trees[tree].files))}
	for i, f := range r.trees[tree].files {
		at.files[i].name = dir + "/" + f.name
	}
}

func (p *groupPlace) close(s *session) {
	s.reader.close(&p.dir.h)
	for i := range p.files {
		s.reader.close(&p.files[i].h)
	}
}

func (g *group) close(s *session) {
	for i := range g.places {
		g.places[i].close(s)
	}
	for _, c := range g.children {
		c.close(s)
	}
}
