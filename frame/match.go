package frame

import (
	"slices"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/titles"
)

// identity lists the counters that identify the instances of an object: positions of definitions, -1
// for none.
type identity struct {
	process, thread, start int32
	// growing are the counters that only rise.
	growing []int32
}

func newIdentity(cs []index.Counter) identity {
	id := identity{process: -1, thread: -1, start: -1}
	for k := range cs {
		c := &cs[k]
		if c.State != index.Readable || c.Type.IsBase() {
			continue
		}

		switch c.Title {
		case titles.IDProcess:
			id.process = int32(k)
		case titles.IDThread:
			id.thread = int32(k)
		case titles.ElapsedTime:
			id.start = int32(k)
		}

		if c.Type.Cumulative() {
			id.growing = append(id.growing, int32(k))
		}
	}
	return id
}

func (id *identity) byStart() bool { return id.process >= 0 && id.start >= 0 }

func (p *Pair) matchInstances() {
	n := p.cur.Len()
	p.begun = false
	if len(p.from) != n {
		p.from = slices.Grow(p.from[:0], n)[:n]
		p.match = slices.Grow(p.match[:0], n)[:n]
		p.settled = nil
	}

	switch {
	case !p.hasPrev || p.cur.Single() != p.prev.Single():
		p.hasPrev, p.settled = false, nil
		for i := range p.from {
			p.from[i], p.match[i] = -1, counter.Unmatched
		}
	case p.identity.byStart() && p.hasKeys():
		p.matchByStart()
	case p.unchanged():
		return
	default:
		p.matchByName()
	}

	p.inPlace, p.allVerified = true, true
	for i, j := range p.from {
		if int(j) != i {
			p.inPlace = false
		}
		if p.match[i] != counter.Verified {
			p.allVerified = false
		}
	}
}

func (p *Pair) hasKeys() bool {
	if p.sameDefs {
		return true
	}
	id := &p.identity
	return p.older[id.process] >= 0 && p.older[id.start] >= 0 && (id.thread < 0 || p.older[id.thread] >= 0)
}

// IsTotal reports whether this is the name of a total over other instances: "_Total", or "0,_Total"
// as in Processor Information.
func IsTotal(name string) bool {
	const total = "_Total"
	at := len(name) - len(total)
	return at >= 0 && strings.EqualFold(name[at:], total) && (at == 0 || name[at-1] == ',')
}

// rejectRestarted drops matches by name or unique id with different start times, except totals, whose
// start time moves.
func (p *Pair) rejectRestarted() {
	k := p.identity.start
	if k < 0 {
		return
	}

	for i, j := range p.from {
		if p.match[i] != counter.Verified && p.match[i] != counter.Unverified {
			continue
		}
		now, ok := p.cur.Raw(i, int(k))
		was, ok2 := p.olderRaw(int(j), k)
		if ok && ok2 && now != was {
			p.from[i], p.match[i] = -1, counter.Unmatched
		}
	}
}

// rejectFallen drops unverified matches with a cumulative counter that fell: a new instance has the
// name.
func (p *Pair) rejectFallen() {
	for i := range p.from {
		if p.match[i] == counter.Unverified && p.fell(i, int(p.from[i])) {
			p.from[i], p.match[i] = -1, counter.Unmatched
		}
	}
}

func (p *Pair) fell(i, j int) bool {
	for _, k := range p.identity.growing {
		now, ok := p.cur.Raw(i, int(k))
		was, ok2 := p.olderRaw(j, k)
		if ok && ok2 && now < was {
			return true
		}
	}
	return false
}

// olderPosition returns the position of definition k in the older object, or a negative number.
func (p *Pair) olderPosition(k int32) int {
	if p.sameDefs {
		return int(k)
	}
	return int(p.older[k])
}

func (p *Pair) olderRaw(j int, k int32) (uint64, bool) {
	at := p.olderPosition(k)
	if at < 0 {
		return 0, false
	}
	return p.prev.Raw(j, at)
}

// Fell reports whether the raw value of counter k of instance i, or its base, is lower than in the
// older frame: it was reset, or it wrapped. [Cooked].Fell reports whether a call is useful.
func (p *Pair) Fell(i, k int) bool {
	j := p.from[i]
	if j < 0 || !p.hasPrev {
		return false
	}
	fell := func(k int32) bool {
		now, ok := p.cur.Raw(i, int(k))
		was, ok2 := p.olderRaw(int(j), k)
		return ok && ok2 && now < was
	}
	base := p.columns[k].base
	return fell(int32(k)) || base >= 0 && fell(base)
}
