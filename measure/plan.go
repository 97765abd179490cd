package measure

import (
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/nametable"
)

// plan holds the selected counters and instances of a frame. It is valid for the next frame if
// definitions and instances are the same; then only the values are computed.
type plan struct {
	parts    []part // of the selection
	exclude  []*selection.Path
	rules    []nameRule
	language string
	source   string
	recorded bool // samples may be of several machines

	schema         *winperf.Schema
	names          *nametable.Names // in the language of the readings
	machine        string
	stale          bool // names or machine changed
	machineChanged bool
	waiting        bool          // the costly objects have no sample yet
	objects        []*objectPlan // by position in the frame

	order      []*column // by part
	ends       []int     // scratch
	positions  []int32   // see everyPosition
	kept, runs []int32
	before     []keptSeries
	out        []winperf.Column // of the cycle
	nothing    []nothing
	self       []selfReading
	selfKnown  []*winperf.Series
	readings   int
	displayed  displayed
	twoSamples bool // a counter needs two samples

	cycles uint64
}

type part struct {
	selection.Part
	self        bool            // of the object winperf
	series      *winperf.Series // of a path without a match
	end         int
	outEnd      int
	removed     uint64 // the last cycle in which one of its objects was removed
	independent bool   // see Options.CostlyTogether
	checked     bool   // a missing match was noted, or need not be noted
}

// objectPlan holds the selected counters of one object.
type objectPlan struct {
	id        winperf.ObjectID
	of        string
	at        int  // its position in the frame
	requested bool // if false, the following fields are empty
	layout    int
	labels    *frame.Labels
	naming    naming
	items     []item // by counter and part
	found     []found
	group     group

	// Identities of series, see winperf.SeriesID: for each counter the common fields of its series,
	// nil if not selected; for each instance a number that is unique for the instance and its name.
	counters  []*winperf.Series
	instances []uint32
	fresh     uint32       // first number of the instances that are new, see makeFresh
	next      uint32       // next unused number
	hasKeys   bool         // instances can have keys
	keys      []string     // of the instances, filled on request; see key
	now       frame.Object // of the cycle

	// Of the cycle in which the plan was made, see plan.cycles.
	made    uint64
	touched winperf.AnomalySet // for all readings
	arrived []int32            // new instances, ascending
	renamed []int32            // instances with another name or number than before, ascending
}

type item struct {
	part      int
	k         int     // position of the counter
	instances []int32 // positions, ascending
	object    *objectPlan
	kept      keptSeries
}

type keptSeries struct {
	all       []*winperf.Series // by position, nil if not requested; nil if none was
	complete  bool              // all were requested; series of new instances may be missing
	spare     []*winperf.Series // memory for the next plan
	handedOut bool              // a caller may hold the slice all
}

// found is the status of an object for a part: OK, NoInstance or NoCounter.
type found struct {
	part   int
	status counter.Status
}

// nothing is the reading of a path without a match.
type nothing struct {
	out     int
	part    int
	status  counter.Status
	reading winperf.Reading
}

func newPlan(sel winperf.Selection, opt Options) plan {
	p := plan{language: opt.Language, source: opt.Source, rules: newNameRules(opt.Names)}
	for _, w := range selection.Parts(sel) {
		part := part{Part: w}
		if w.Path != nil {
			part.self, part.series = isSelf(w.Path.Original), winperf.NewSeries(w.Path.Original)
		}
		p.parts = append(p.parts, part)
	}

	for _, path := range opt.Exclude {
		x := selection.NewPath(path)
		p.exclude = append(p.exclude, &x)
	}
	return p
}

// setSchema returns the errors of the names, once per schema.
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

// markIndependent marks parts as independent. They have no readings until the first sample of their
// objects.
func (p *plan) markIndependent(independent []bool) {
	p.waiting = true
	for w := range p.parts {
		p.parts[w].independent = independent[w]
	}
}

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

func (p *plan) costly(id winperf.ObjectID) bool {
	return p.schema != nil && slices.Contains(p.schema.Costly, id.Index)
}

func (p *plan) update(ck *frame.Cooker, f frame.Frame, n *notes) {
	p.waiting = p.waiting && !f.Complete()
	if name := f.Machine(); name != "" && (p.objects == nil || p.recorded) {
		p.setMachine(name)
	}
	if p.current(ck, f) {
		return
	}

	old := p.objects
	p.planObjects(ck, f, n)
	p.planDisplayed(f)
	p.noteRemoved(old, n)
	p.stale, p.machineChanged = false, false
	p.arrange()

	// A path is checked once, in the first sample that can contain its object.
	for _, x := range p.nothing {
		p.parts[x.part].noteUnmatched(n, x.status)
	}
	for w := range p.parts {
		if !p.waiting || !p.parts[w].independent {
			p.parts[w].checked = true
		}
	}
}

// planObjects plans the objects without a valid plan. If two objects have one identity, only the
// first continues the previous plan.
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
		if op.requested {
			op.group.make(op, b.old)
		}
		p.objects[i] = op
		b.compare(op, n, old == nil || o.First(f))
	}
}

func (p *plan) setMachine(name string) {
	if name != p.machine {
		p.machine, p.stale, p.machineChanged = name, true, true
		p.nameUnmatched()
	}
}

// lack returns the status of a path when no object matches.
func (w *part) lack() counter.Status {
	if w.self {
		return counter.NoCounter
	}
	return counter.NoObject
}

// nameUnmatched adds the machine to unmatched paths, because all columns of a log have the machine
// in their paths.
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

// findObject checks the position near first. It returns -1 if the object is missing.
func findObject(objects []*objectPlan, near int, id winperf.ObjectID, machine string) int {
	is := func(o *objectPlan) bool { return o.id == id && o.of == machine }
	if near < len(objects) && is(objects[near]) {
		return near
	}
	return slices.IndexFunc(objects, is)
}

func (p *plan) current(ck *frame.Cooker, f frame.Frame) bool {
	if p.stale || p.objects == nil || len(p.objects) != f.NumObjects() || !p.displayed.holds(f) {
		return false
	}
	for i := range p.objects {
		if !p.holds(p.objects[i], ck, f.Object(i)) {
			return false
		}
	}
	return true
}

// holds reports whether a plan is valid for the object at the same position in a newer frame. Equal
// names do not suffice: a process may have the name and position of an ended one.
func (p *plan) holds(op *objectPlan, ck *frame.Cooker, o frame.Object) bool {
	if p.stale || op.id != o.ID() || op.of != o.Machine() {
		return false
	}
	if !op.requested {
		return true
	}
	if op.labels != o.Labels() {
		return false
	}
	if op.group.number == o.Number() {
		return true
	}
	pair := ck.Object(o)
	return op.layout == pair.Layout() && pair.InPlace()
}

// arrange assigns positions to all readings: by part, object, counter and instance.
func (p *plan) arrange() {
	p.nothing, p.self, p.twoSamples = p.nothing[:0], p.self[:0], false
	lacks := make([]counter.Status, len(p.parts))
	for w := range lacks {
		lacks[w] = p.parts[w].lack()
	}

	for _, op := range p.objects {
		for _, f := range op.found {
			lacks[f.part] = min(lacks[f.part], f.status) // OK is less than NoInstance, NoCounter, NoObject
		}
	}
	for w := range p.displayed.parts {
		lacks[w] = min(lacks[w], p.displayed.parts[w].lack)
	}

	p.byPart()
	next, at, out := 0, 0, 0
	for w := range p.parts {
		begin := at
		if p.parts[w].self {
			at, out = p.arrangeSelf(&p.parts[w], at, out)
		}

		for ; next < len(p.order) && p.order[next].part == w; next++ {
			col := p.order[next]
			col.out = out
			at, out = at+len(col.instances), out+1
			p.twoSamples = p.twoSamples || col.counter().Type.Samples() == 2
		}
		at, out = p.displayed.arrange(w, at, out)

		awaited := p.waiting && p.parts[w].independent
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
