package metrics

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/nametable"
)

// Options configure a Mapper. The zero value selects winperf's own names, and all counters and
// instances except totals.
type Options struct {
	// Names are the schemes of names; nil means only Own. The families of a Set are in this order.
	Names []Scheme
	// Totals keeps totals (_Total). Otherwise only totals that a path of Select names without
	// wildcards are kept.
	Totals bool
	// LoneTotals keeps the total of an object that has no other instance. For displayable values,
	// it keeps the total of a counter that has no other instance.
	LoneTotals bool
	// Home is the machine of the series without the label "instance". Series of other machines have
	// this label, with the name of their machine. An empty Home adds no label.
	Home string
	// Select selects counters and instances of the frames by its Paths, and whole objects by
	// Objects, Global and Costly. The zero Selection selects everything.
	Select winperf.Selection
	// Exclude omits the counters and instances that these paths match.
	Exclude []winperf.Path

	// Facts are facts of the machine, for the schemes WindowsExporter and OTel.
	Facts Facts
	// HostValues appends values of the machine to buf, for the scheme WindowsExporter. Each Map calls
	// it, so it must be cheap; several Mappers may call it at the same time. nil has no values.
	HostValues func(buf []HostValue) []HostValue
	// UserName returns the name of a user of the machine, or "", for the scheme WindowsExporter and for
	// groups by user, which otherwise have the user id as name. nil has no names.
	UserName func(id uint64) string
	// Owner returns the owner of a process of the machine by the id of the process, or "", for the scheme
	// WindowsExporter if the sample has no user ids. It is called once for each process. nil has no owners.
	Owner func(id uint64) string
	// CommandLine returns the command line of a process of the machine by its id, or "", for the scheme
	// WindowsExporter. It is called once for each process. nil has no command lines.
	CommandLine func(id uint64) string
	// ControlGroup returns the path of the control group of a process of the machine, or "", for groups by
	// control group. Without a path a process is in the group "other". nil has no paths.
	ControlGroup func(id uint64) string
	// Groups selects the groups of processes, for the scheme Own.
	Groups Grouping
	// Generic are objects of windows_exporter's collector performancecounter, checked with
	// CheckGenerics. Their metrics follow all others.
	Generic []Generic
	// Reserved are metrics from elsewhere in the same output, such as the metrics of the program
	// itself. Map does not add them. It only gives counters other names if Own would use a name of
	// Reserved.
	Reserved []Family
	// NoLegacy omits former metrics of windows_exporter that dashboards still use.
	NoLegacy bool
	// Collectors restricts the scheme WindowsExporter to the metrics of these collectors; nil does not
	// restrict it. Filters selects instances under this scheme.
	Collectors []string
	Filters    []LabelFilter
	// NoKeep means that Map does not keep frames. It is for a caller whose frames stay valid until
	// the next frame is mapped, for example if it maps every cycle of a Measurement. If the
	// previous frame is no longer valid, the error of Map wraps winperf.ErrState.
	NoKeep bool
}

// Mapper converts the samples of one query to metrics. It caches names, labels and totals, and
// reuses its memory: a sample with the same instances as the previous one allocates nothing. A
// Mapper may be used by one goroutine at a time.
//
// Pass every sample of the query in order: counts are lost if a counter passes 2^32 twice between two
// mapped samples.
type Mapper struct {
	opt     Options
	schemes []scheme

	cooker frame.Cooker
	prev   frame.Frame
	names  *nametable.Names
	schema *winperf.Schema // of names made from a schema
	filter filter
	// a sample had several machines: instances get the label machine
	several bool
	stale   bool // names or machine labels changed

	objects []*object // by position in the frame
	before  []*object // scratch: objects of the previous frame
	byKey   map[objectKey]namesakes
	indexed bool // byKey is valid for before
	uses    uint64
	removed removedRows

	groups   *grouped // nil for none
	grouped  bool     // the set has their families
	groupsAt int      // position of these
	in       inputs
	held     map[string]heldValue // by the Mapper that this one continues; nil after the first sample
	seen     seen
	set      Set
	// dated are the positions of families whose value is the time of the sample.
	dated      []int
	hosted     []hostFamily
	hostValues []HostValue // scratch
	// changed requires new families.
	changed bool

	displayed displayable // for frames with displayable values
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
	if opt.Groups.By != ByNone && slices.Contains(m.opt.Names, Own) {
		m.groups = newGrouped(&m.opt)
	}
	m.seen.seed = maphash.MakeSeed()
	return m
}

// Map converts a frame to metrics. names are the Names of its cycle, or nil for the names in its
// schema. Pass the same pointer as long as the names are the same. The Set is valid until the next
// call of Map. Map keeps the frame, to compare it with the next one (see [frame.Frame.Keep] and
// NoKeep in [Options]). Mapping a frame again gives the same result.
//
// Displayable values, for example of text logs, become gauges in base units under winperf's own names,
// with _ratio for percent and _per_second for rates. Texts are skipped.
//
// The error wraps winperf.ErrState if the frame is empty or no longer valid.
func (m *Mapper) Map(f frame.Frame, names *nametable.Names) (*Set, error) {
	return m.MapContext(context.Background(), f, names)
}

// MapContext is like Map but stops when ctx ends. It then returns the error of ctx, and the Mapper
// must not be used again.
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

	m.updateNames(f, names)
	if err := m.update(ctx, f); err != nil {
		return nil, err
	}
	o, hasGroups := m.groupsOf(f)
	if hasGroups {
		m.groups.add(o)
	}
	if m.changed || hasGroups != m.grouped {
		m.grouped = hasGroups
		m.arrange()
		m.changed = false
	}

	m.set.Time = f.Time()
	m.fill()
	m.prev, m.stale = f, false
	return &m.set, nil
}

// updateNames updates names and machines.
func (m *Mapper) updateNames(f frame.Frame, names *nametable.Names) {
	switch schema := f.Schema(); {
	case names == nil && m.names != nil && schema == m.schema:
		names = m.names
	case names == nil:
		names, _ = nametable.FromSchema(schema)
		m.schema = schema
	}
	if names != m.names {
		m.names, m.stale = names, true
		m.filter.resolve(&m.opt, names, f.Schema())
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

func (m *Mapper) update(ctx context.Context, f frame.Frame) error {
	m.uses++
	m.before = append(m.before[:0], m.objects...)
	m.objects = m.objects[:0]
	m.indexed = false
	if err := m.removed.begin(f); err != nil {
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
	err := m.removed.end(m)
	clear(m.before)
	return err
}

// object returns the state of an object: usually the state at the same position, else the first
// state with its key.
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
	if st := m.removed.take(key); st != nil {
		return st
	}
	return &object{objectKey: key}
}

// namesakes are the objects of a sample with the same key, normally one.
type namesakes struct {
	first *object
	n     int
}

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

// foreign returns the label instance of a machine; "" for Home, or if Home is empty.
func (o *Options) foreign(machine string) string {
	machine = strings.TrimLeft(machine, `\`)
	if o.Home == "" || strings.EqualFold(machine, strings.TrimLeft(o.Home, `\`)) {
		return ""
	}
	return machine
}

// apart is the smallest difference between an object's time and its sample's time that is reported,
// because the interfaces of one sample are read in sequence.
const apart = time.Second

// timeOf returns the time of an independently sampled object, else zero.
func timeOf(t time.Time, f frame.Frame) time.Time {
	if d := f.Time().Sub(t); d > -apart && d < apart {
		return time.Time{}
	}
	return t
}
