package pdhraw

import (
	"slices"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/perfdata"
)

// Builder builds the blocks of one machine. While the instances stay the same, a block is a copy of
// the previous one with new numbers, and nothing is allocated.
//
// For each sample call [Builder.Begin], then the methods that add values, then [Builder.Append].
type Builder struct {
	machine  string
	perfFreq int64
	objects  []*object
	entries  []*entry // by counter; nil is omitted
	bad      func(text string)

	selects func(name string, title uint32) bool
	join    joiner
}

// Counter is a counter whose raw values are in samples, for one instance or for several.
type Counter struct {
	// Path names the counter. Path.Instance is parent/name; for an array it is a pattern.
	Path  winperf.Path
	Array bool // several instances, which each sample names
	// ObjectTitle and Title are the title indices of the object and the counter.
	ObjectTitle, Title uint32
	Type               counter.Type
	Scale              int32
	TimeBase           int64 // ticks per second of the clock that the type uses
}

// Value is a raw value (PDH_RAW_COUNTER of pdh.h).
type Value struct {
	First  int64
	Second int64  // see counter.Type.Second
	Multi  uint32 // the number of components of a multi-timer
	Valid  bool
	Denied bool // the value exists, but the reader had no right to it
	Absent bool // the instance or the object does not exist
}

// Options configure New.
type Options struct {
	// PerfFreq is the frequency of the machine's performance counter, used if the counters do not
	// give it.
	PerfFreq int64
	// ValueClocks accepts values whose clock differs from the clock of their object; their clock
	// then follows them in the block (datablock.ValueClock). Without it they are damage.
	ValueClocks bool
	// Bad is called with a description of everything that is omitted.
	Bad func(text string)
}

// New returns a Builder for counters of one machine.
func New(machine string, counters []Counter, opt Options) *Builder {
	b := &Builder{machine: machine, perfFreq: opt.PerfFreq, bad: opt.Bad}
	b.objects = sortObjects(counters, opt.ValueClocks, func(i int, text string) {
		b.bad(counters[i].Path.String() + ": " + text + "; it is left out")
	})
	b.entries = make([]*entry, len(counters))
	for _, o := range b.objects {
		for i := range o.entries {
			b.entries[o.entries[i].counter] = &o.entries[i]
		}
	}
	return b
}

// Select restricts the blocks to objects that a selection may want. Whole objects that are their
// parents are included.
func (b *Builder) Select(parts []selection.Part) {
	b.selects = func(name string, title uint32) bool {
		o := selection.Object{ID: winperf.ObjectID{Index: title}, Name: name}
		return slices.ContainsFunc(parts, func(p selection.Part) bool {
			return p.Selects(o) != selection.NoMatch
		})
	}
}

// Machine returns the name of the machine.
func (b *Builder) Machine() string { return b.machine }

// Begin begins a sample in which no counter has a value yet.
func (b *Builder) Begin() {
	b.join.parts = b.join.parts[:0]
	for _, o := range b.objects {
		o.begin(b.selects == nil || b.selects(o.name, o.title))
	}
}

// Set sets the value of the counter at a position.
func (b *Builder) Set(counter int, v Value) {
	if e := b.entries[counter]; e != nil && e.row >= 0 {
		e.object.values[e.first] = v
	}
}

// Item appends the value of an instance to the array at a position. name is in UTF-16LE without a
// NUL. The items of an array must be added in order.
func (b *Builder) Item(counter int, name []byte, v Value) {
	if e := b.entries[counter]; e != nil && e.row < 0 {
		e.object.item(e, name, v)
	}
}

// Block adds a block of whole objects. object is the name of its only object, or "" if unknown.
func (b *Builder) Block(object string, block []byte) { b.join.add(object, block, b.bad) }

// Append appends the block of the sample.
func (b *Builder) Append(dst []byte, at time.Time) []byte {
	clocks := b.look(at)
	start := len(dst)
	dst = b.appendHead(dst, clocks, at)
	dst, count := b.join.append(dst, b, clocks)
	for _, o := range b.objects {
		if !o.selected {
			continue
		}
		before := len(dst)
		if dst = o.append(dst, clocks, b.bad); len(dst) > before {
			count++
		}
	}
	datablock.FinishBlock(dst[start:], count)
	return dst
}

// AppendDefinitions appends a block of the wanted objects without instances or values.
func (b *Builder) AppendDefinitions(dst []byte, at time.Time) ([]byte, error) {
	start, count := len(dst), 0
	dst = b.appendHead(dst, counter.Clocks{PerfFreq: b.perfFreq, Time100ns: winperf.ToFiletime(at)}, at)
	for _, o := range b.objects {
		if b.selects != nil && !b.selects(o.name, o.title) {
			continue
		}
		form := perfdata.MetadataSingle
		if o.multi {
			form = perfdata.MetadataMultiple
		}

		object := o.definitions(form)
		object.Layout(false)
		var err error
		if dst, err = object.AppendTo(dst); err != nil {
			return dst[:start], err
		}
		count++
	}
	datablock.FinishBlock(dst[start:], count)
	return dst, nil
}

// look examines the values of a sample for each object, and returns the clocks that most objects
// share.
func (b *Builder) look(at time.Time) counter.Clocks {
	var ticks, utc, freq vote
	for i := range b.join.parts {
		c := &b.join.parts[i].clocks
		ticks.add(c.PerfTime)
		utc.add(c.Time100ns)
		freq.add(c.PerfFreq)
	}

	for _, o := range b.objects {
		o.look()
		if v := &o.votes[counter.TickClock]; v.seen {
			ticks.add(v.v)
		}
		if v := &o.votes[counter.Clock100ns]; v.seen {
			utc.add(v.v)
		}
		if f := o.frequency(counter.TickClock); f != 0 {
			freq.add(f)
		}
	}

	c := counter.Clocks{PerfTime: ticks.v, PerfFreq: b.perfFreq, Time100ns: winperf.ToFiletime(at)}
	if utc.seen {
		c.Time100ns = utc.v
	}
	if freq.seen {
		c.PerfFreq = freq.v
	}
	return c
}

// appendHead appends a PERF_DATA_BLOCK. Its system time is UTC, as in a sample of a live source.
func (b *Builder) appendHead(dst []byte, c counter.Clocks, at time.Time) []byte {
	if b.machine == "" && len(b.join.parts) > 0 {
		b.machine = b.join.parts[0].head.Machine()
	}
	return datablock.AppendHead(dst, &datablock.Head{Machine: b.machine, SystemTime: at.UTC(), Clocks: c})
}
