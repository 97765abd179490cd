package frame

import (
	"slices"
	"sync"

	"github.com/winperf/winperf/counter"
)

// maxVariants bounds how many pairs with one newer object keep their columns.
// Readers at the same interval have the same older frame.
const maxVariants = 4

// shared holds the cooked columns of a block that several readers have
// (winperf.Block.Shared), by object: cookers that cook the same two blocks compute
// every column once.
type shared struct {
	on      bool
	objects []sharedObject
}

// sharedObject holds the cooked columns of one object. A reader that comes while
// another one cooks a column waits for it and finds it done.
type sharedObject struct {
	mu       sync.Mutex
	variants []variant
}

// variant are the columns of one pair of objects.
type variant struct {
	prev    *store // that the older object stands in, nil for none
	number  uint64 // of its block
	pos     int    // its position there
	opt     counter.Options
	columns []sharedColumn // by position of the counter
}

type sharedColumn struct {
	done bool
	Cooked
}

// begin makes room for n objects, with the memory of earlier frames.
func (s *shared) begin(n int) {
	s.on = true
	for len(s.objects) < n {
		s.objects = append(s.objects, sharedObject{})
	}
}

// end forgets all columns.
func (s *shared) end() {
	if !s.on {
		return
	}
	s.on = false
	for i := range s.objects {
		o := &s.objects[i]
		for j := range o.variants {
			v := &o.variants[j]
			v.prev = nil
			for k := range v.columns {
				c := &v.columns[k]
				*c = sharedColumn{Cooked: Cooked{Bits: c.Bits[:0], Status: c.Status[:0]}}
			}
		}
		o.variants = o.variants[:0]
	}
}

// take gives out columns that are kept, and cooks those that are not yet. It
// returns the columns that are left to cook: all of them where there are too many
// pairs already.
func (s *shared) take(p *Pair, cols []Cooked) (rest []Cooked) {
	o := &s.objects[p.cur.pos]
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.variant(p)
	if v == nil {
		return cols
	}

	for i := range cols {
		c := &cols[i]
		kept := v.column(p, c.K)
		if c.Only == nil {
			*c = *kept
			continue
		}
		c.Kind, c.Unit, c.o, c.Fell = kept.Kind, kept.Unit, kept.o, kept.Fell
		for m, at := range c.Only {
			c.Bits[m], c.Status[m] = kept.Bits[at], kept.Status[at]
		}
	}
	return nil
}

// column returns the whole column at position k, which is cooked once.
func (v *variant) column(p *Pair, k int) *Cooked {
	kept := &v.columns[k]
	if !kept.done {
		n := p.len()
		one := [1]Cooked{{
			K: k, Bits: slices.Grow(kept.Bits[:0], n)[:n], Status: slices.Grow(kept.Status[:0], n)[:n],
		}}
		p.cook(one[:])
		kept.Cooked, kept.done = one[0], true
	}
	return &kept.Cooked
}

// variant returns the columns of a pair, nil if there are too many pairs.
func (o *sharedObject) variant(p *Pair) *variant {
	var prev *store
	number, pos := uint64(0), 0
	if p.hasPrev {
		prev, number, pos = p.prev.s, p.prev.s.number, p.prev.pos
	}

	for i := range o.variants {
		v := &o.variants[i]
		if v.prev == prev && v.number == number && v.pos == pos && v.opt == p.cooker.opt {
			return v
		}
	}

	n := len(o.variants)
	if n == maxVariants {
		return nil
	}

	o.variants = slices.Grow(o.variants, 1)[:n+1] // what is behind the end has memory to use again
	v := &o.variants[n]
	v.prev, v.number, v.pos, v.opt = prev, number, pos, p.cooker.opt
	v.columns = slices.Grow(v.columns[:0], len(p.columns))[:len(p.columns)]
	for k := range v.columns {
		v.columns[k].done = false // also of a frame that did not come to its end
	}
	return v
}
