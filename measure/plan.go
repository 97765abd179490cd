package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// plan knows which counters of which instances are wanted. What it found in
// one sample holds for the next one as long as definitions and instances stay
// the same; then making readings is a walk over a list.
type plan struct {
	parts    []part // of the selection
	exclude  []*selection.Path
	rules    []nameRule
	language string
	source   string
	recorded bool // samples may come from different machines

	schema         *winperf.Schema
	names          *nametable.Names // in the language of output
	machine        string
	stale          bool          // names or machine are others than the objects were planned with
	machineChanged bool          // since the frame before
	waiting        bool          // there is no sample yet of what is sampled beside the others
	objects        []*objectPlan // by position in the frame

	// What follows from objects, see arrange.
	order      []*column        // those of all objects, by part
	ends       []int            // scratch
	positions  []int32          // see everyPosition
	kept, runs []int32          // of the planner at hand
	before     []keptSeries     // also
	out        []winperf.Column // of the cycle
	nothing    []nothing
	own        []ownReading
	ownKnown   []*winperf.Series // that were made for own
	readings   int               // how many there are
	given      given             // values that are not of objects
	twoSamples bool              // a wanted counter needs two samples

	cycles uint64 // that were read
}

// part is one part of the selection.
type part struct {
	selection.Part
	own    bool            // a path that is about the measurement itself
	series *winperf.Series // stands for a path that nothing matches
	end    int             // where its readings end
	outEnd int             // where its columns end
	gone   uint64          // the cycle in which an object that it is about went
	beside bool            // its objects are sampled beside the others
	judged bool            // it matched, or was told to match nothing
}

// objectPlan is what is wanted of one object.
type objectPlan struct {
	id     winperf.ObjectID
	of     string // the machine
	at     int    // its position in the frame
	wanted bool   // some part is about the object; otherwise nothing else is set
	layout int
	labels *frame.Labels
	naming naming
	items  []item  // by counter and part
	found  []found // for each part that is about the object
	group  group   // the items' columns

	// What tells series apart, see winperf.SeriesID: of each counter what its
	// series have in common, nil where none was wanted, and of each instance a
	// number that goes with the thing and its name.
	counters  []*winperf.Series
	instances []uint32
	fresh     uint32       // the first number of an instance that is fresh, see makeFresh
	next      uint32       // number that no instance had yet
	hasKeys   bool         // instances may have keys
	keys      []string     // of the instances, as far as they were asked for; see key
	now       frame.Object // of the cycle

	// Of the cycle in which the plan was made, see plan.cycles.
	made    uint64
	touched winperf.AnomalySet // all readings
	arrived []int32            // instances that are new, rising
	renamed []int32            // instances that had another name or number before, rising
}

// item is one counter of some instances, for one part of the selection.
type item struct {
	part      int
	k         int     // position of the counter
	instances []int32 // positions, rising
	object    *objectPlan
	kept      keptSeries
}

// keptSeries are the series of an item, see Column.Series.
type keptSeries struct {
	all      []*winperf.Series // by position, nil where it was not asked for; nil if none was
	complete bool              // all were asked for; those of fresh instances may not be made yet
	spare    []*winperf.Series // memory for the series of the next plan
	given    bool              // a caller may hold all
}

// found is what an object has for a part: OK, NoInstance or NoCounter.
type found struct {
	part   int
	status counter.Status
}

// nothing is the reading of a path that nothing matches.
type nothing struct {
	out     int // the place of its column
	part    int
	status  counter.Status
	reading winperf.Reading
}

func newPlan(sel winperf.Selection, opt Options) plan {
	p := plan{language: opt.Language, source: opt.Source, rules: newNameRules(opt.Names)}
	for _, w := range selection.Parts(sel) {
		part := part{Part: w}
		if w.Path != nil {
			part.own, part.series = isOwn(w.Path.Asked), winperf.NewSeries(w.Path.Asked)
		}
		p.parts = append(p.parts, part)
	}

	for _, path := range opt.Exclude {
		x := selection.NewPath(path)
		p.exclude = append(p.exclude, &x)
	}
	return p
}

// setSchema makes the names of a schema those of the plan and returns what is
// wrong with them, once per schema.
func (p *plan) setSchema(s *winperf.Schema) []error {
	if p.names != nil && s == p.schema {
		return nil
	}
	p.schema, p.stale = s, true
	if s == nil {
		s = &winperf.Schema{}
	}

	names, damage := nametable.FromSchema(s)
	p.names = names
	if p.language != "" {
		p.names = names.In(p.language)
		damage = append(damage, missingLanguage(p.language, names)...)
	}
	p.resolve(selection.ShownTables(p.names))
	return slices.Concat(s.Damage, damage)
}

// wait says which parts are about objects that are sampled beside the others. As long as
// there is no sample of them they have no readings.
func (p *plan) wait(beside []bool) {
	p.waiting = true
	for w := range p.parts {
		p.parts[w].beside = beside[w]
	}
}

// resolve looks up all that is asked for by name.
func (p *plan) resolve(tables *selection.Tables) {
	for i := range p.parts {
		p.parts[i].Resolve(tables)
	}
	for _, x := range p.exclude {
		x.Resolve(tables)
	}
	for i := range p.rules {
		p.rules[i].object.Resolve(tables)
	}
}

// costly reports whether an object is one of the costly ones.
func (p *plan) costly(id winperf.ObjectID) bool {
	return p.schema != nil && slices.Contains(p.schema.Costly, id.Index)
}

// update brings the plan in line with a frame, and notes what changed. As long as the plan
// holds it stays as it is.
func (p *plan) update(ck *frame.Cooker, f frame.Frame, n *notes) {
	p.waiting = p.waiting && !f.Complete() // with the objects that come the plan is made anew
	if name := f.Machine(); name != "" && (p.objects == nil || p.recorded) {
		p.setMachine(name)
	}
	if p.current(ck, f) {
		return
	}

	old := p.objects
	p.planObjects(ck, f, n)
	p.planGiven(f)
	p.noteGone(old, n)
	p.stale, p.machineChanged = false, false
	p.arrange()

	// A path is judged once, in the first sample that can have what it names. What goes later is
	// told as gone.
	for _, x := range p.nothing {
		p.parts[x.part].judge(n, x.status)
	}
	for w := range p.parts {
		if !p.waiting || !p.parts[w].beside {
			p.parts[w].judged = true
		}
	}
}

// planObjects plans the objects of a frame anew, but for those for which the old plan holds, and
// notes what changed in them. Should two objects have one identity, only the first of them goes
// on with what was planned for the object before.
func (p *plan) planObjects(ck *frame.Cooker, f frame.Frame, n *notes) {
	old := p.objects
	taken := make([]bool, len(old))
	p.objects = make([]*objectPlan, f.NumObjects())
	for i := range p.objects {
		o := f.Object(i)
		was := findObject(old, i, o.ID(), o.Machine())
		if was == i && !taken[i] && p.holds(old[i], ck, o) {
			p.objects[i] = old[i]
			taken[i] = true
			continue
		}

		b := planner{plan: p, object: o}
		if was >= 0 && !taken[was] {
			b.old = old[was]
			taken[was] = true
		}

		op := b.make(ck)
		op.at, op.made = i, p.cycles
		if op.wanted {
			op.group.make(op, b.old)
		}
		p.objects[i] = op
		b.compare(op, n, old == nil || o.First(f))
	}
}

// setMachine notes which machine a sample is of.
func (p *plan) setMachine(name string) {
	if name != p.machine {
		p.machine, p.stale, p.machineChanged = name, true, true
		p.nameUnmatched()
	}
}

// lack is the status of a part's path as long as no object of a frame is found for it. A path
// about the measurement itself has its object, but no such counter.
func (w *part) lack() counter.Status {
	if w.own {
		return counter.NoCounter
	}
	return counter.NoObject
}

// nameUnmatched gives the readings of paths that nothing matches the machine of
// all the others, so that logs tell it in every head.
func (p *plan) nameUnmatched() {
	for i := range p.parts {
		part := &p.parts[i]
		if part.Path == nil {
			continue
		}
		path := part.series.Path
		if path.Machine == "" {
			path.Machine = p.machine
		}
		part.series = winperf.NewSeries(path)
	}
}

// findObject returns the position of the machine's object with the identity, tried first
// at the position near; -1 if there is none.
func findObject(objects []*objectPlan, near int, id winperf.ObjectID, machine string) int {
	is := func(o *objectPlan) bool { return o.id == id && o.of == machine }
	if near < len(objects) && is(objects[near]) {
		return near
	}
	return slices.IndexFunc(objects, is)
}

// current reports whether the plan holds for a frame as it is.
func (p *plan) current(ck *frame.Cooker, f frame.Frame) bool {
	if p.stale || p.objects == nil || len(p.objects) != f.NumObjects() || !p.given.holds(f) {
		return false
	}
	for i := range p.objects {
		if !p.holds(p.objects[i], ck, f.Object(i)) {
			return false
		}
	}
	return true
}

// holds reports whether what is planned for an object holds for the one at the
// same position in a newer frame: it has the same definitions and instances. Equal
// labels do not tell: a process may have taken the name and the place of another.
func (p *plan) holds(op *objectPlan, ck *frame.Cooker, o frame.Object) bool {
	if p.stale || op.id != o.ID() || op.of != o.Machine() {
		return false
	}
	if !op.wanted {
		return true
	}
	if op.labels != o.Labels() {
		return false
	}
	if op.group.number == o.Number() { // nothing newer
		return true
	}
	pair := ck.Object(o)
	return op.layout == pair.Layout() && pair.InPlace()
}

// arrange gives every reading its place: by part, then by object, counter and
// instance.
func (p *plan) arrange() {
	p.nothing, p.own, p.twoSamples = p.nothing[:0], p.own[:0], false
	lacks := make([]counter.Status, len(p.parts))
	for w := range lacks {
		lacks[w] = p.parts[w].lack()
	}

	for _, op := range p.objects {
		for _, f := range op.found {
			lacks[f.part] = min(lacks[f.part], f.status) // OK is less than NoInstance, NoCounter, NoObject
		}
	}
	for w := range p.given.parts {
		lacks[w] = min(lacks[w], p.given.parts[w].lack)
	}

	p.byPart()
	next, at, out := 0, 0, 0
	for w := range p.parts {
		begin := at
		if p.parts[w].own {
			at, out = p.arrangeOwn(&p.parts[w], at, out)
		}

		for ; next < len(p.order) && p.order[next].part == w; next++ {
			col := p.order[next]
			col.out = out
			at, out = at+len(col.instances), out+1
			p.twoSamples = p.twoSamples || col.counter().Type.Samples() == 2
		}
		at, out = p.given.arrange(w, at, out)

		awaited := p.waiting && p.parts[w].beside
		if at == begin && p.parts[w].Path != nil && lacks[w] != counter.OK && !awaited {
			p.nothing = append(p.nothing, nothing{out: out, part: w, status: lacks[w]})
			at, out = at+1, out+1
		}
		p.parts[w].end, p.parts[w].outEnd = at, out
	}

	p.readings = at
	p.out = slices.Grow(p.out[:0], out)[:out]
	clear(p.out)
	for _, col := range p.order {
		p.out[col.out] = winperf.Column{Names: col.item, Bits: col.bits, Status: col.status}
	}
}

// byPart puts the columns of each part together in p.order; those of a part stay in
// their order.
func (p *plan) byPart() {
	ends := slices.Grow(p.ends[:0], len(p.parts)+1)[:len(p.parts)+1]
	clear(ends)
	n := 0
	for _, op := range p.objects {
		n += len(op.items)
		for i := range op.items {
			ends[op.items[i].part+1]++
		}
	}

	for w := range p.parts {
		ends[w+1] += ends[w]
	}

	p.order = slices.Grow(p.order[:0], n)[:n]
	for _, op := range p.objects {
		for i := range op.group.columns {
			col := &op.group.columns[i]
			at := &ends[col.part]
			p.order[*at] = col
			*at++
		}
	}
	p.ends = ends
}
