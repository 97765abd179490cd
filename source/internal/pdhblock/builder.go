package pdhblock

import (
	"slices"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/perfdata"
)

// Builder makes the blocks of one machine. It keeps what it learned from one
// sample to the next: while the instances stay the same a block is a copy with
// new numbers, and nothing is allocated.
type Builder struct {
	machine  string
	perfFreq int64
	titles   *Titles
	objects  []*object
	blocks   []int // entries of the list that are whole objects
	orphans  bool  // blocks that belong to no entry are the machine's
	bad      func(text string)

	wanted func(name string, title uint32) bool
	join   joiner
}

// Machines returns the machines of a list of counters and the positions of
// their entries, in the order in which the list has them. Entries that could not
// be read are left out.
func Machines(list []pdhlog.BLGCounter) (names []string, entries [][]int) {
	at := map[string]int{}
	for i := range list {
		if list[i].Kind == 0 {
			continue
		}
		key := strings.ToLower(list[i].Path.Machine)
		n, found := at[key]
		if !found {
			n = len(names)
			at[key] = n
			names, entries = append(names, list[i].Path.Machine), append(entries, nil)
		}
		entries[n] = append(entries[n], i)
	}
	return names, entries
}

// New returns a Builder for the entries of a list, given by their positions, all
// of one machine. perfFreq is the frequency of the machine's performance
// counter where the list does not tell. bad is told of what has to be left out.
func New(list []pdhlog.BLGCounter, entries []int, perfFreq int64, titles *Titles, bad func(text string)) *Builder {
	b := &Builder{perfFreq: perfFreq, titles: titles, bad: bad}
	var values []int
	for _, i := range entries {
		b.machine = list[i].Path.Machine
		if list[i].Kind == pdhlog.BLGObject {
			b.blocks = append(b.blocks, i)
			continue
		}
		values = append(values, i)
	}
	b.objects = plan(list, values, titles, func(i int, text string) {
		bad(list[i].Path.String() + ": " + text + "; it is left out")
	})
	return b
}

// Select makes the blocks hold no more than the objects that a selection may
// want. Whole objects that are parents of those are there too.
func (b *Builder) Select(sel winperf.Selection) {
	if sel.Global {
		return
	}
	var patterns []winperf.Pattern
	for _, p := range sel.Paths {
		if strings.HasPrefix(p.Object, "#") {
			return // a name by its title index, which whole objects only know themselves
		}
		patterns = append(patterns, winperf.CompilePattern(p.Object))
	}
	b.wanted = func(name string, title uint32) bool {
		return slices.ContainsFunc(sel.Objects, func(id winperf.ObjectID) bool { return id.Index == title }) ||
			slices.ContainsFunc(patterns, func(p winperf.Pattern) bool { return p.Match(name) })
	}
}

// Orphans makes the blocks hold also the data blocks of samples whose place in the
// list is not known.
func (b *Builder) Orphans() { b.orphans = true }

// Machine returns the name of the machine.
func (b *Builder) Machine() string { return b.machine }

// Append appends the block of a sample, whose values stand in the order of the
// list.
func (b *Builder) Append(dst []byte, at time.Time, values []pdhlog.BLGValue) []byte {
	b.join.collect(b, values)
	clocks := b.look(at, values)
	start := len(dst)
	dst = b.appendHead(dst, clocks, at)
	dst, count := b.join.append(dst, b, clocks)
	for _, o := range b.objects {
		if b.wanted != nil && !b.wanted(o.name, o.title) {
			continue
		}
		before := len(dst)
		if dst = o.append(dst, values, clocks, b.bad); len(dst) > before {
			count++
		}
	}
	perfdata.FinishBlock(dst[start:], count)
	return dst
}

// look takes in what a sample has for each object, and returns the clocks that
// most of them share.
func (b *Builder) look(at time.Time, values []pdhlog.BLGValue) counter.Clocks {
	var ticks, utc, freq vote
	for i := range b.join.parts {
		c := &b.join.parts[i].clocks
		ticks.add(c.PerfTime)
		utc.add(c.Time100ns)
		freq.add(c.PerfFreq)
	}
	for _, o := range b.objects {
		o.look(values)
		if v := &o.sample.votes[pdhlog.SecondTicks]; v.seen {
			ticks.add(v.v)
		}
		if v := &o.sample.votes[pdhlog.Second100ns]; v.seen {
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
	return perfdata.AppendHead(dst, &perfdata.Head{Machine: b.machine, SystemTime: at.UTC(), Clocks: c})
}
