package linuxhost

import (
	"context"
	"math"
	"slices"

	"github.com/winperf/winperf/provider"
)

const (
	// maxGroupDepth is how many levels below the root groups are shown.
	maxGroupDepth = 8
	// maxGroupName is how long, in bytes, the path of a group that is shown can
	// be: no longer than an instance's name in a counter path may be (pdh.h,
	// PDH_MAX_INSTANCE_NAME).
	maxGroupName = 1024
	// probedGroups is how many groups tell what there is to read.
	probedGroups = 256
)

// The figure of the Control Group object that the code knows.
const groupCPUFull fields = 1

// groupTree is a tree of control groups, as systemd and containers have them. What
// several give is taken from the first: controllers of cgroup v1 lie in trees of
// their own, and what they control v2 cannot count.
type groupTree struct {
	marker string   // a file that the groups of its version have, and not those of the other
	dirs   []string // where it may be mounted
	files  fileTables
}

// mountedTree is one that is there, with the files that count.
type mountedTree struct {
	dir   string
	files []groupFile
}

// groupFile is a file of a control group and the figures that are taken from it.
type groupFile struct {
	*fileTable
	takes fields
}

// groupSource reads the Control Group object.
type groupSource struct {
	known []groupTree
	trees []mountedTree
	root  *group

	// Of the current sample.
	o       *object
	out     provider.ObjectWriter
	probing bool   // it is found out what there is: nothing is written
	given   fields // what the files give that could be read
	groups  int
	query   uint64
	listing Listing
	part    values // of one file
	cur     values // of one group
}

// group is a control group.
type group struct {
	path     string // below the directory of its tree; "" for the root
	name     string // of the instance
	base     string // its name in its parent
	id       uint64 // inode number, in the tree in which it was first found
	depth    int
	hidden   bool         // not wanted, with all below it
	places   []groupPlace // by tree
	children []*group     // by rising base
	seen     uint64       // the query that found it last
}

// groupPlace is a group's directory in a tree. It is there if it has a name.
type groupPlace struct {
	dir   file
	id    uint64
	files []file // by the tree's files

	entries int    // of the directory, which gets more when a controller is enabled
	absent  uint64 // bit i: files[i] was not there, and the directory has not changed since
}

func newGroupSource(sp *spec) source { return &groupSource{known: sp.trees} }

// probe finds out which trees there are and which of their files: a figure
// that no group has now, such as a limit, another one may have later.
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

	r.begin(s, &object{wanted: taken})
	r.probing = true
	_ = r.walk(context.Background(), s, r.root) // fails only when its context ends
	r.probing = false
	return r.given
}

// mount adds a tree that is there and returns what its files give beyond what is
// taken from others.
func (r *groupSource) mount(dir string, files []*fileTable, taken fields) (gives fields) {
	tree := mountedTree{dir: dir}
	for _, t := range files {
		if takes := t.gives &^ taken; takes != 0 {
			tree.files = append(tree.files, groupFile{t, takes})
			gives |= takes
		}
	}
	r.trees = append(r.trees, tree)
	return gives
}

func (r *groupSource) begin(s *session, o *object) {
	r.o = o
	r.given = 0
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

// walk writes a group and all below it. Its files are read before its
// directory: a group whose directory is still there then was there all the
// time, and what it does not have no controller counts.
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

// read reads the wanted figures of a group into r.cur.
func (r *groupSource) read(s *session, g *group) {
	r.cur.have = 0
	for i := range r.trees {
		at := &g.places[i]
		for k := range at.files {
			f := &r.trees[i].files[k]
			if r.o.wanted&f.takes == 0 || at.absent>>k&1 != 0 {
				continue
			}

			text, err := s.reader.read(&at.files[k])
			if err != nil {
				if isGone(err) {
					at.absent |= 1 << k
				}
				continue
			}

			r.given |= f.takes
			r.part.have = 0
			f.read(&r.part, text, &s.units)
			r.cur.take(&r.part, f.takes)
		}
	}

	if g.depth == 0 {
		r.cur.have &^= groupCPUFull // has no meaning for the whole machine
	}
}

// list brings the children of a group up to date and tells whether it is still
// there: a directory that was taken away is empty or cannot be listed.
func (r *groupSource) list(s *session, g *group) (there bool) {
	for i := range r.trees {
		at := &g.places[i]
		if at.dir.name == "" {
			continue
		}

		err := s.reader.list(&at.dir, &r.listing)
		if isShort(err) {
			there = true // as far as is known, with all below it
			r.keep(g)
			continue
		}

		if err != nil || r.listing.Len() == 0 {
			at.close(s)
			at.entries, at.absent = 0, 0
			if g.depth > 0 {
				*at = groupPlace{} // until its parent has it again
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

// keep notes that the children of a group are still there.
func (r *groupSource) keep(g *group) {
	for _, c := range g.children {
		c.seen = r.query
	}
}

// child notes that a group has a child in a tree.
func (r *groupSource) child(s *session, g *group, tree int, e Entry) {
	i, found := slices.BinarySearchFunc(g.children, e.Name, compareBase)
	switch {
	case found:
		if at := &g.children[i].places[tree]; at.dir.name != "" && at.id != e.ID {
			g.children[i].close(s) // what is there now is another one of the same name
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

// enter notes that a group is in a tree.
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

// close closes the files of a group and of all below it.
func (g *group) close(s *session) {
	for i := range g.places {
		g.places[i].close(s)
	}
	for _, c := range g.children {
		c.close(s)
	}
}
