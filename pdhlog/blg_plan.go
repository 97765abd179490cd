package pdhlog

import (
	"hash/maphash"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// blgPlan knows what a log keeps: fixed by the first sample, as the list of
// counters stands before the samples.
type blgPlan struct {
	layout  BLGLayout
	wanted  []blgWanted
	entries []blgPlanned
	known   map[string]bool     // paths of the entries, in lower case
	after   map[uint64]struct{} // hashes of those that came later
	seed    maphash.Seed
	seen    []blgSeen // by position in the frame
}

// blgWanted is a path that chooses what is kept.
type blgWanted struct {
	path    winperf.Path
	matcher winperf.Matcher
}

// blgPlanned is an entry of the log's counter list and where its values are.
type blgPlanned struct {
	BLGCounter
	object  winperf.ObjectID
	counter winperf.CounterID
	single  bool // the object has no instances

	labels *frame.Labels // that the rest was found for
	at     int           // the instance's position, -1 = not there
	names  []BLGName     // of an array: all names
}

// blgSeen is an object as it was when it was looked at for what is new in it.
type blgSeen struct {
	title    uint32
	labels   *frame.Labels
	counters int
}

func newBLGPlan(opt *BLGOptions) blgPlan {
	p := blgPlan{layout: opt.Layout, known: map[string]bool{}, after: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
	for _, path := range opt.Paths {
		p.wanted = append(p.wanted, blgWanted{path, path.Matcher()})
	}
	return p
}

func (p *blgPlan) late() int { return len(p.after) }

// fix makes the entries from what the first frame has.
func (p *blgPlan) fix(f frame.Frame, names *nametable.Names) {
	if p.layout == BLGObjects && len(p.wanted) > 0 {
		p.wantParents(f, names)
	}
	for o := range f.Objects() {
		for _, e := range p.expand(f, o, names) {
			if key := e.key(); !p.known[key] {
				p.known[key] = true
				p.entries = append(p.entries, e)
			}
		}
	}
	p.look(f)
}

// wantParents makes the plan keep also the objects that the instances of those
// that are kept have their parents in: without them they lose a part of their
// names.
func (p *blgPlan) wantParents(f frame.Frame, names *nametable.Names) {
	for o := range f.Objects() {
		if len(p.expand(f, o, names)) == 0 {
			continue
		}
		for in := range o.Instances() {
			parent, _, ok := in.ParentPlace()
			if !ok {
				break // its instances are of one kind
			}
			path := winperf.Path{Object: names.Title(parent), Instance: "*", HasInstance: true, Counter: "*"}
			if !slices.ContainsFunc(p.wanted, func(w blgWanted) bool { return w.path == path }) {
				p.wanted = append(p.wanted, blgWanted{path, path.Matcher()})
			}
		}
	}
}

// maxLate bounds how many late paths are told apart.
const maxLate = 1 << 17

// note counts what a later frame has that was asked for and is not kept.
func (p *blgPlan) note(f frame.Frame, names *nametable.Names) {
	for i := range f.NumObjects() {
		o := f.Object(i)
		if i < len(p.seen) && p.seen[i].is(o) {
			continue
		}
		for _, e := range p.expand(f, o, names) {
			if key := e.key(); !p.known[key] && len(p.after) < maxLate {
				p.after[maphash.String(p.seed, key)] = struct{}{}
			}
		}
	}
	p.look(f)
}

// look remembers what the objects of a frame have.
func (p *blgPlan) look(f frame.Frame) {
	p.seen = p.seen[:0]
	for o := range f.Objects() {
		p.seen = append(p.seen, blgSeen{o.ID().Index, o.Labels(), o.NumCounters()})
	}
}

func (s *blgSeen) is(o frame.Object) bool {
	return s.title == o.ID().Index && s.labels == o.Labels() && s.counters == o.NumCounters()
}

// key is the entry's path, equal for equal ones.
func (e *blgPlanned) key() string { return strings.ToLower(e.Path.String()) }

// expand returns the entries for all that is wanted of an object.
func (p *blgPlan) expand(f frame.Frame, o frame.Object, names *nametable.Names) []blgPlanned {
	x := blgExpansion{o: o, names: names, english: names.In(nametable.English)}
	x.path = winperf.Path{Machine: f.Machine(), Object: names.Title(o.ID().Index)}
	if p.layout == BLGObjects {
		return x.object(p.wanted)
	}
	if len(p.wanted) == 0 {
		return x.everything()
	}
	for i := range p.wanted {
		x.wanted(&p.wanted[i])
	}
	return x.all
}

// blgExpansion makes entries of one object.
type blgExpansion struct {
	o       frame.Object
	names   *nametable.Names
	english *nametable.Names
	path    winperf.Path
	all     []blgPlanned
}

// isObject tells whether a path is about the object.
func (x *blgExpansion) isObject(w *blgWanted) bool {
	return w.matcher.Machine(x.path.Machine) &&
		(w.matcher.Object(x.path.Object) || w.matcher.Object(x.english.Title(x.o.ID().Index)))
}

// object makes the entry of the whole object.
func (x *blgExpansion) object(wanted []blgWanted) []blgPlanned {
	if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w blgWanted) bool { return x.isObject(&w) }) {
		return nil
	}
	path := x.path
	path.Counter = "*"
	if !x.o.Single() {
		path.Instance, path.HasInstance = "*", true
	}
	return []blgPlanned{{BLGCounter: BLGCounter{Kind: BLGObject, Path: path}, object: x.o.ID(), single: x.o.Single()}}
}

// everything makes entries of all counters.
func (x *blgExpansion) everything() []blgPlanned {
	for k := range x.o.NumCounters() {
		x.whole(k)
	}
	return x.all
}

// wanted makes entries of what a path names.
func (x *blgExpansion) wanted(w *blgWanted) {
	if !x.isObject(w) {
		return
	}
	single := x.o.Single()
	if single && w.matcher.WantsInstance() && !w.matcher.Instance("", 0) || !single && !w.matcher.WantsInstance() {
		return
	}
	for k := range x.o.NumCounters() {
		title := x.o.Counter(k).ID.Index
		if !w.matcher.Counter(x.names.Title(title)) && !w.matcher.Counter(x.english.Title(title)) {
			continue
		}
		if single || w.path.Instance == "*" && w.path.Index <= 0 {
			x.whole(k)
			continue
		}
		x.instances(w, k)
	}
}

// instances makes entries of a counter for the instances that a path names.
func (x *blgExpansion) instances(w *blgWanted, k int) {
	labels := x.o.Labels()
	found := false
	for i := range labels.Len() {
		if !w.matcher.Instance(labels.Full(i), labels.Occurrence(i)) {
			continue
		}
		found = true
		path := x.path
		path.HasInstance, path.Instance, path.Index = true, labels.Full(i), labels.Occurrence(i)
		if parent, ok := x.o.Instance(i).Parent(); ok {
			x.add(k, BLGSingle, path, parent.Name())
			continue
		}
		x.add(k, BLGSingle, path, "")
	}
	if !found && !strings.ContainsAny(w.path.Instance, "*?") && w.path.Index >= 0 {
		path := x.path
		path.HasInstance, path.Instance, path.Index = true, w.path.Instance, w.path.Index
		x.add(k, BLGSingle, path, "") // it may come
	}
}

// whole makes the entry of a counter of all instances.
func (x *blgExpansion) whole(k int) {
	path, kind := x.path, BLGSingle
	if !x.o.Single() {
		path.HasInstance, path.Instance = true, "*"
		kind = BLGArray
	}
	x.add(k, kind, path, "")
}

// add makes an entry of a counter that has a number and is no base.
func (x *blgExpansion) add(k int, kind BLGKind, path winperf.Path, parent string) {
	c := x.o.Counter(k)
	if c.Type.IsBase() || c.Type.IsText() || c.Size != 4 && c.Size != 8 {
		return
	}
	if j, ok := x.o.FindCounter(c.ID); !ok || j != k {
		return // a second definition of the same counter
	}
	path.Counter = x.names.Title(c.ID.Index)
	x.all = append(x.all, blgPlanned{
		BLGCounter: BLGCounter{
			Kind: kind, Path: path, Parent: parent, Type: c.Type, TimeBase: timeBase(x.o, &c), Scale: c.Scale,
		},
		object: x.o.ID(), counter: c.ID, single: x.o.Single(),
	})
}

// timeBase is the frequency of the clock that a counter uses, of the performance
// counter where it uses none.
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

// locate finds the instances of an entry in an object.
func (e *blgPlanned) locate(o frame.Object) {
	labels := o.Labels()
	if e.labels == labels {
		return
	}
	e.labels, e.at, e.names = labels, -1, nil
	if e.single {
		if o.Len() > 0 {
			e.at = 0
		}
		return
	}
	if e.Kind == BLGArray {
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
