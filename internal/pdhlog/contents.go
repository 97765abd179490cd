package pdhlog

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// contents is the content of a log. The first sample determines it, because the counter list
// precedes the samples.
type contents struct {
	layout   Layout
	selected []*selection.Path
	names    *nametable.Names // the names that resolved selected
	entries  []listEntry
	known    map[string]bool     // paths of the entries, in lower case
	after    map[uint64]struct{} // hashes of late paths
	seed     maphash.Seed
	seen     []seenObject // by position in the frame

	older  frame.Frame // the previous sample, for the places of entries
	cooker *frame.Cooker
}

// listEntry is an entry of the log's counter list and the place of its values.
type listEntry struct {
	Counter
	object  winperf.ObjectID
	counter winperf.CounterID
	single  bool
	only    []winperf.CounterID // of a block that replaces arrays: their counters; nil = the whole object

	labels *frame.Labels // the labels of the fields below
	at     int           // the instance's position, -1 = missing
	match  counter.Match // how the instance was identified
	ended  bool          // the instance is gone for good
	names  []Name        // of an array: all names
}

func (e *listEntry) find(f frame.Frame) (o frame.Object, ok bool) {
	for o := range f.Objects() {
		if o.ID().Is(e.object) && o.Machine() == e.Path.Machine {
			return o, true
		}
	}
	return frame.Object{}, false
}

// seenObject is an object that was already checked for late paths.
type seenObject struct {
	machine  string
	title    uint32
	labels   *frame.Labels
	counters int
}

func seenOf(o frame.Object) seenObject {
	return seenObject{o.Machine(), o.ID().Index, o.Labels(), o.NumCounters()}
}

func newContents(opt *Options) contents {
	p := contents{
		layout: opt.Layout,
		known:  map[string]bool{},
		after:  map[uint64]struct{}{},
		seed:   maphash.MakeSeed(),
		cooker: &frame.Cooker{},
	}
	for _, path := range opt.Paths {
		p.add(path)
	}
	if len(opt.Paths) == 0 {
		p.add(everything("*"))
	}
	return p
}

// everything returns the path of a whole object.
func everything(object string) winperf.Path {
	return winperf.Path{Object: object, Instance: "*", HasInstance: true, Counter: "*"}
}

func (p *contents) add(path winperf.Path) {
	w := selection.NewPath(path)
	p.selected = append(p.selected, &w)
	p.names = nil
}

func (p *contents) late() int { return len(p.after) }

// fix makes the entries from the first frame.
func (p *contents) fix(f frame.Frame, names *nametable.Names) {
	if p.layout == Objects {
		p.addParents(f, names)
	}
	for o := range f.Objects() {
		var added []listEntry
		for _, e := range p.expand(o, names) {
			if key := e.key(); !p.known[key] {
				p.known[key] = true
				added = append(added, e)
			}
		}
		if hasDenied(o, added) {
			added = asBlock(o, added)
		}
		p.entries = append(p.entries, added...)
	}
	p.look(f)
}

// hasDenied reports whether an array of the entries has values that may not be read. The
// items of an array have no status.
func hasDenied(o frame.Object, entries []listEntry) bool {
	for n := range entries {
		e := &entries[n]
		if e.Kind != Array {
			continue
		}
		k, _ := o.FindCounter(e.counter)
		for i := range o.Len() {
			if _, ok := o.Raw(i, k); !ok && o.Lack(i, k) == counter.NotPermitted {
				return true
			}
		}
	}
	return false
}

// hasBlocks reports whether the log contains blocks, which need the name table.
func (p *contents) hasBlocks() bool {
	isBlock := func(e listEntry) bool { return e.Kind == Object }
	return p.layout == Objects || slices.ContainsFunc(p.entries, isBlock)
}

// asBlock replaces arrays by a block of the object, which can mark missing values.
func asBlock(o frame.Object, entries []listEntry) []listEntry {
	path := winperf.Path{Machine: entries[0].Path.Machine, Object: entries[0].Path.Object}
	x := expansion{o: o, path: path}
	x.object()
	for _, e := range entries {
		if e.Kind == Array {
			x.all[0].only = append(x.all[0].only, e.counter)
		} else {
			x.all = append(x.all, e)
		}
	}
	return x.all
}

// addParents adds the parent objects of selected objects, because instance names contain
// the parents' names.
func (p *contents) addParents(f frame.Frame, names *nametable.Names) {
	for o := range f.Objects() {
		if len(p.expand(o, names)) == 0 {
			continue
		}
		for in := range o.Instances() {
			parent, _, ok := in.ParentPlace()
			if !ok {
				break // all its instances are alike
			}
			path := everything(names.Title(parent))
			if !slices.ContainsFunc(p.selected, func(w *selection.Path) bool { return w.Original == path }) {
				p.add(path)
			}
		}
	}
}

// maxLate limits the late paths that are distinguished.
const maxLate = 1 << 17

// note counts the selected paths that are new in a later frame.
func (p *contents) note(f frame.Frame, names *nametable.Names) {
	for i := range f.NumObjects() {
		o := f.Object(i)
		if i < len(p.seen) && p.seen[i] == seenOf(o) {
			continue
		}
		for _, e := range p.expand(o, names) {
			if key := e.key(); e.at >= 0 && !p.known[key] && len(p.after) < maxLate {
				p.after[maphash.String(p.seed, key)] = struct{}{}
			}
		}
	}
	p.look(f)
}

// locate finds the instances of an entry in an object of the current frame.
func (p *contents) locate(e *listEntry, o frame.Object) {
	if e.ended {
		return
	}
	e.locate(o, p.cooker.Object(o))

	// A new instance with this name is then a late one.
	if e.ended {
		delete(p.known, e.key())
		p.seen = p.seen[:0]
	}
}

func (p *contents) look(f frame.Frame) {
	p.seen = p.seen[:0]
	for o := range f.Objects() {
		p.seen = append(p.seen, seenOf(o))
	}
}

func (e *listEntry) key() string { return strings.ToLower(e.Path.String()) }

// expand returns the entries for the selected parts of an object.
func (p *contents) expand(o frame.Object, names *nametable.Names) []listEntry {
	x := expansion{o: o, names: names}
	x.path = winperf.Path{Machine: o.Machine(), Object: names.Title(o.ID().Index)}
	switch selected := p.about(o, names); {
	case p.layout != Objects:
		x.some(selected)
	case len(selected) > 0:
		x.object()
	}
	return x.all
}

func (p *contents) about(o frame.Object, names *nametable.Names) (paths []*selection.Path) {
	if p.names != names {
		p.names = names
		tables := selection.ShownTables(names)
		for _, w := range p.selected {
			w.Resolve(tables)
		}
	}

	for _, w := range p.selected {
		if w.Machine(o.Machine()) && w.Object.Is(o.ID().Index, "") {
			paths = append(paths, w)
		}
	}
	return paths
}

type expansion struct {
	o     frame.Object
	names *nametable.Names
	path  winperf.Path
	all   []listEntry
}

func (x *expansion) object() {
	path := x.path
	path.Counter = "*"
	if !x.o.Single() {
		path.Instance, path.HasInstance = "*", true
	}
	entry := Counter{Kind: Object, Path: path}
	x.all = append(x.all, listEntry{Counter: entry, object: x.o.ID(), single: x.o.Single()})
}

// some makes entries for paths.
func (x *expansion) some(selected []*selection.Path) {
	find, labels := selection.NewFinder(selected, x.o.Single(), selection.Every(x.o.Len())), x.o.Labels()
	if find.NeedsNames() {
		for i := range labels.Len() {
			find.Add(i, labels.Full(i), labels.Occurrence(i))
		}
	}

	for n, instances := range find.Found() {
		w := selected[n]
		if !w.Fits(x.o.Single()) {
			continue
		}

		for k := range x.o.NumCounters() {
			switch {
			case !w.Counter.Is(x.o.Counter(k).ID.Index, ""):
			case x.o.Single() || w.EveryInstance():
				x.whole(k)
			default:
				x.instances(w, k, instances)
			}
		}
	}
}

// instances makes entries of counter k for the instances of a path: the given positions, or
// the instance that the path names without wildcards, which may appear in a later sample.
func (x *expansion) instances(w *selection.Path, k int, instances []int32) {
	labels, path := x.o.Labels(), x.path
	path.HasInstance = true
	for _, at := range instances {
		i, parent := int(at), ""
		if p, ok := x.o.Instance(i).Parent(); ok {
			parent = p.Name()
		}
		path.Instance, path.Index = labels.Full(i), labels.Occurrence(i)
		x.add(k, Single, path, parent)
	}

	if len(instances) == 0 && w.OneInstance() {
		path.Instance, path.Index = w.Original.Instance, w.Original.Index
		before := len(x.all)
		x.add(k, Single, path, "")
		for i := range x.all[before:] {
			x.all[before+i].at = -1
		}
	}
}

// whole makes the entry of a counter of all instances.
func (x *expansion) whole(k int) {
	path, kind := x.path, Single
	if !x.o.Single() {
		path.HasInstance, path.Instance = true, "*"
		kind = Array
	}
	x.add(k, kind, path, "")
}

// add makes an entry of a counter that has a number and is no base.
func (x *expansion) add(k int, kind Kind, path winperf.Path, parent string) {
	c := x.o.Counter(k)
	if c.Type.IsBase() || c.Type.IsText() || c.Size != 4 && c.Size != 8 {
		return
	}
	if j, ok := x.o.FindCounter(c.ID); !ok || j != k {
		return // a second definition of the same counter
	}

	path.Counter = x.names.Title(c.ID.Index)
	x.all = append(x.all, listEntry{
		Counter: Counter{
			Kind: kind, Path: path, Parent: parent, Type: c.Type, TimeBase: timeBase(x.o, &c), Scale: c.Scale,
		},
		object: x.o.ID(), counter: c.ID, single: x.o.Single(),
	})
}

// timeBase returns the frequency of the clock that a counter uses, or of the performance
// counter.
func timeBase(o frame.Object, c *frame.Counter) int64 {
	if c.Freq >= 0 && o.Len() > 0 {
		own, _ := o.Raw(0, c.Freq)
		return int64(own)
	}
	clocks, clock := o.Clocks(), c.Type.Clock()
	if clock == counter.NoClock {
		clock = counter.TickClock
	}
	_, perSecond := clocks.At(clock)
	return perSecond
}

// locate finds the instances of an entry in an object; pair compares it with the previous
// sample. An entry follows its instance even if it is renamed, and ends with it.
func (e *listEntry) locate(o frame.Object, pair *frame.Pair) {
	labels := o.Labels()
	was := -1
	if !e.single && e.Kind != Array && e.labels != nil {
		was = e.at
	}
	if e.labels == labels && (was < 0 || e.stays(pair)) {
		return
	}

	e.labels, e.at, e.names = labels, -1, nil
	if was >= 0 {
		e.follow(pair, was, labels.Len())
		return
	}

	if e.single {
		if o.Len() > 0 {
			e.at = 0
		}
		return
	}

	if e.Kind == Array {
		for i := range labels.Len() {
			name := appendUTF16Z(nil, labels.Full(i))
			e.names = append(e.names, name[:len(name)-2])
		}
		return
	}

	for i := range labels.Len() {
		if labels.Occurrence(i) == e.Path.Index && strings.EqualFold(labels.Full(i), e.Path.Instance) {
			e.at = i
			return
		}
	}
}

// stays reports whether the entry's instance is certain to be at the same place, if the
// names of the instances are unchanged.
func (e *listEntry) stays(pair *frame.Pair) bool {
	switch e.match {
	case counter.Unmatched: // not checked yet
		return false
	case counter.Verified: // another instance may have its name
		return pair.InPlace()
	}
	return true
}

// follow finds the instance that had a place in the previous sample. If it is gone and
// instances are identified independently of their names, the entry ends.
func (e *listEntry) follow(pair *frame.Pair, was, n int) {
	identities := e.match == counter.Verified
	for i := range n {
		from, match := pair.From(i)
		identities = identities || match == counter.Verified
		if from == was {
			e.at, e.match = i, match
		}
	}
	e.ended = e.at < 0 && identities
}
