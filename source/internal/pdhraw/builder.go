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

// Builder makes the blocks of one machine. It keeps what it learned from one
// sample to the next: while the instances stay the same a block is a copy with
// new numbers, and nothing is allocated.
//
// A sample is made of a [Builder.Begin], what it holds, and a [Builder.Append].
type Builder struct {
	machine  string
	perfFreq int64
	objects  []*object
	entries  []*entry // by counter; nil is left out
	bad      func(text string)

	wanted func(name string, title uint32) bool
	join   joiner
}

// Counter is a counter whose raw values samples hold: of one instance, or of
// several.
type Counter struct {
	// Path says which. Path.Instance is parent/name; of several it is a pattern.
	Path  winperf.Path
	Array bool // of several instances, which each sample names
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
	Denied bool // there is a value, and whoever read had no right to it
	Absent bool // there is no such instance, or no such object
}

// Options for New.
type Options struct {
	// PerfFreq is the frequency of the machine's performance counter where the
	// counters do not tell.
	PerfFreq int64
	// ValueClocks tells that values which do not have the clock that the others of
	// their object have are right all the same: theirs stands behind them then
	// (datablock.ValueClock). Otherwise they are taken for damaged.
	ValueClocks bool
	// Bad is told of what has to be left out.
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

// Select makes the blocks hold no more than the objects that a selection may
// want. Whole objects that are parents of those are there too.
func (b *Builder) Select(parts []selection.Part) {
	b.wanted = func(name string, title uint32) bool {
		o := selection.Object{ID: winperf.ObjectID{Index: title}, Name: name}
		return slices.ContainsFunc(parts, func(p selection.Part) bool {
			return p.Wants(o) != selection.Unwanted
		})
	}
}

// Machine returns the name of the machine.
func (b *Builder) Machine() string { return b.machine }

// Begin begins a sample: as long as nothing else is said of a counter it has no
// value.
func (b *Builder) Begin() {
	b.join.parts = b.join.parts[:0]
	for _, o := range b.objects {
		o.begin(b.wanted == nil || b.wanted(o.name, o.title))
	}
}

// Set gives the counter at a position its value.
func (b *Builder) Set(counter int, v Value) {
	if e := b.entries[counter]; e != nil && e.row >= 0 {
		e.object.values[e.first] = v
	}
}

// Item gives the array at a position one more value: that of an instance, whose
// name is in UTF-16LE without a NUL. The instances of an array come one after the
// other.
func (b *Builder) Item(counter int, name []byte, v Value) {
	if e := b.entries[counter]; e != nil && e.row < 0 {
		e.object.item(e, name, v)
	}
}

// Block adds a block of whole objects. object is the name of the only one, ""
// where it is not known.
func (b *Builder) Block(object string, block []byte) { b.join.add(object, block, b.bad) }

// Append appends the block of the sample.
func (b *Builder) Append(dst []byte, at time.Time) []byte {
	clocks := b.look(at)
	start := len(dst)
	dst = b.appendHead(dst, clocks, at)
	dst, count := b.join.append(dst, b, clocks)
	for _, o := range b.objects {
		if !o.wanted {
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

// AppendDefinitions appends a block of the wanted objects without instances and
// values.
func (b *Builder) AppendDefinitions(dst []byte, at time.Time) ([]byte, error) {
	start, count := len(dst), 0
	dst = b.appendHead(dst, counter.Clocks{PerfFreq: b.perfFreq, Time100ns: winperf.ToFiletime(at)}, at)
	for _, o := range b.objects {
		if b.wanted != nil && !b.wanted(o.name, o.title) {
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

// look takes in what a sample has for each object, and returns the clocks that
// most of them share.
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

// appendHead appends a PERF_DATA_BLOCK. Its system time is UTC, as in the answer
// to a live query.
func (b *Builder) appendHead(dst []byte, c counter.Clocks, at time.Time) []byte {
	if b.machine == "" && len(b.join.parts) > 0 {
		b.machine = b.join.parts[0].head.Machine()
	}
	return datablock.AppendHead(dst, &datablock.Head{Machine: b.machine, SystemTime: at.UTC(), Clocks: c})
}
