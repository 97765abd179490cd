package metrics

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Options choose what a Mapper makes. The zero Options are winperf's own names of
// everything but totals.
type Options struct {
	// Names are the schemes whose names are wanted; nil is Own alone. The families of the
	// first come first.
	Names []Scheme
	// Totals keeps instances that sum others up (_Total). Without it they are there only
	// where a path of Select names one without wildcards.
	Totals bool
	// LoneTotals keeps totals where an object has no other instances, and of displayed values a
	// counter, as in a log of which they are all that was recorded.
	LoneTotals bool
	// Home is the machine that who takes the Sets has as the instance of series that do not say another: those
	// of other machines get a label "instance" with theirs. Without it there is none.
	Home string
	// Select is what is wanted of what the frames hold: paths choose counters and
	// instances, everything else whole objects. The zero Selection is all.
	Select winperf.Selection
	// Exclude leaves out what these paths name.
	Exclude []winperf.Path

	// Facts are what the machine knows about itself, for names of other programs.
	Facts Facts
	// Generic are objects of windows_exporter's collector performancecounter, whose metrics come
	// behind those of Names. CheckGenerics says whether they can be.
	Generic []Generic
	// Reserved are metrics that stand beside those of the Sets, of the program itself for one: counters
	// get other names under Own.
	Reserved []Family
	// NoLegacy leaves out what windows_exporter once had and dashboards still ask for.
	NoLegacy bool
	// NoKeep is for a caller whose frames stay valid until the next one is mapped, as those of a
	// Measurement whose every cycle is mapped: Map does not keep them. If the frame before is not valid
	// any more, the error of Map wraps winperf.ErrState.
	NoKeep bool
}

// Mapper makes metrics of the samples of one query. It keeps what it learnt about
// names, labels and wraps, and reuses its memory: a sample with the same instances as
// the one before takes none. It serves one goroutine.
//
// It wants every sample of its query in their order: what a counter did meanwhile is
// lost where two that follow each other here did not there, if it wrapped twice.
type Mapper struct {
	opt     Options
	schemes []scheme

	cooker frame.Cooker
	prev   frame.Frame
	names  *nametable.Names
	schema *winperf.Schema // that names were made of where none were given
	wanted wanted
	// several machines were in one sample: instances are labelled with theirs.
	several bool
	stale   bool // names or labels of machines are others than the objects were made with

	objects []*object // by position in the frame
	before  []*object // scratch: those of the frame before
	byKey   map[objectKey]namesakes
	indexed bool // byKey is that of before
	uses    uint64
	gone    gone

	in   inputs
	seen seen
	set  Set
	// dated are the positions of families whose value is the time of the sample.
	dated []int
	// changed says that families are to be put together anew.
	changed bool

	displayed displayable // of frames that have displayable values
}

// NewMapper returns a Mapper.
func NewMapper(opt Options) *Mapper {
	m := &Mapper{opt: opt}
	if len(opt.Names) == 0 {
		m.opt.Names = []Scheme{Own}
	}
	for _, s := range m.opt.Names {
		m.set.TextOnly = m.set.TextOnly || s == WindowsExporter
		if s := newScheme(s, &m.opt); s != nil {
			m.schemes = append(m.schemes, s)
		}
	}
	if len(opt.Generic) > 0 {
		m.schemes = append(m.schemes, generics{opt.Generic})
		m.set.TextOnly = true
	}
	m.seen.seed = maphash.MakeSeed()
	return m
}

// Map makes metrics of a frame, whose names are those of its cycle; nil stands for those of
// its schema. The same pointer as before tells that no name changed. The Set is
// valid until the next call. Instances are compared with the frame before: Map keeps the frame
// (see [frame.Frame.Keep] and NoKeep in [Options]). A frame that is mapped again gives the same.
//
// Displayable values, as of text logs, become gauges in base units: with _ratio in place of percent and
// _per_second for rates. Texts become nothing. Under every scheme they have winperf's own names. From the
// first frame with values of a second machine on, all have the label machine.
//
// The error wraps winperf.ErrState where the frame is empty or not valid any more.
func (m *Mapper) Map(f frame.Frame, names *nametable.Names) (*Set, error) {
	return m.MapContext(context.Background(), f, names)
}

// MapContext is Map, and stops when ctx ends: the error is the one of ctx, and the Mapper must not be used
// again.
func (m *Mapper) MapContext(ctx context.Context, f frame.Frame, names *nametable.Names) (*Set, error) {
	if f.IsZero() {
		return nil, fmt.Errorf("metrics: %w: the frame is empty", winperf.ErrState)
	}
	if err := m.cooker.Set(m.prev, f, counter.Options{}); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	if m.displayed.has(f, &m.opt, &m.seen) {
		return m.displayed.take(f), nil
	}
	if !m.opt.NoKeep {
		if err := f.Keep(); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}

	m.learn(f, names)
	if err := m.update(ctx, f); err != nil {
		return nil, err
	}
	if m.changed {
		m.arrange()
		m.changed = false
	}

	m.set.Time = f.Time()
	m.fill()
	m.prev, m.stale = f, false
	return &m.set, nil
}

// learn takes note of new names and machines.
func (m *Mapper) learn(f frame.Frame, names *nametable.Names) {
	switch schema := f.Schema(); {
	case names == nil && m.names != nil && schema == m.schema:
		names = m.names
	case names == nil:
		names, _ = nametable.FromSchema(schema)
		m.schema = schema
	}
	if names != m.names {
		m.names, m.stale = names, true
		m.wanted.resolve(&m.opt, names, f.Schema())
	}

	if m.several {
		return
	}
	for o := range f.Objects() {
		if o.Machine() != f.Machine() {
			m.several, m.stale = true, true
			return
		}
	}
}

// update finds what is known about each object of a frame, and learns what is new.
func (m *Mapper) update(ctx context.Context, f frame.Frame) error {
	m.uses++
	m.before = append(m.before[:0], m.objects...)
	m.objects = m.objects[:0]
	m.indexed = false
	if err := m.gone.begin(f); err != nil {
		return err
	}
	for o := range f.Objects() {
		st := m.object(len(m.objects), o)
		st.uses = m.uses
		m.objects = append(m.objects, st)
		m.changed = m.renew(ctx, st, o, f) || m.changed
		if err := ctx.Err(); err != nil {
			return err
		}
	}

	if len(m.before) != len(m.objects) {
		m.changed = true
	}
	err := m.gone.end(m)
	clear(m.before)
	return err
}

// object returns what is known about an object: of that in the same place before, as
// nearly always, or of the first one there was, as frame.Cooker has it.
func (m *Mapper) object(at int, o frame.Object) *object {
	key := objectKey{o.ID(), o.Machine()}
	if at < len(m.before) && m.before[at].uses != m.uses && m.before[at].objectKey == key {
		return m.before[at]
	}

	m.changed = true
	m.indexBefore()
	if was, ok := m.byKey[key]; ok && was.first.uses != m.uses {
		return was.first
	} else if ok {
		return &object{objectKey: key} // the same object twice
	}
	if st := m.gone.take(key); st != nil {
		return st
	}
	return &object{objectKey: key}
}

// namesakes are the objects of one sample that have one key: one, where nothing is wrong.
type namesakes struct {
	first *object
	n     int
}

// indexBefore makes the objects of the sample before be found by their key.
func (m *Mapper) indexBefore() {
	if m.indexed {
		return
	}

	m.indexed = true
	if m.byKey == nil {
		m.byKey = map[objectKey]namesakes{}
	}
	clear(m.byKey)
	for _, st := range m.before {
		was := m.byKey[st.objectKey]
		m.byKey[st.objectKey] = namesakes{cmp.Or(was.first, st), was.n + 1}
	}
}

// foreign returns a machine as the label instance has it; "" for the home, and where there is none.
func (o *Options) foreign(machine string) string {
	machine = strings.TrimLeft(machine, `\`)
	if o.Home == "" || strings.EqualFold(machine, strings.TrimLeft(o.Home, `\`)) {
		return ""
	}
	return machine
}

// apart is how far the time of an object must be from that of its sample to be told:
// the interfaces of one sample are asked one after the other.
const apart = time.Second

// timeOf is the time of an object that was not sampled with its frame.
func timeOf(t time.Time, f frame.Frame) time.Time {
	if d := f.Time().Sub(t); d > -apart && d < apart {
		return time.Time{}
	}
	return t
}
