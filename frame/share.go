package frame

import (
	"sync"

	"github.com/winperf/winperf/counter"
)

// maxVariants bounds how many pairs with one newer object keep their columns.
// Readers at the same interval have the same older frame.
const maxVariants = 4

// shared holds the cooked columns of a block that several readers have (it was kept before it
// was decoded), by object: cookers that cook the same two blocks compute every column once.
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
	prev    uint64 // number of the older object, 0 for none
	opt     counter.Options
	columns []sharedColumn // by position of the counter
}

type sharedColumn struct {
	done bool
	Cooked
}

// begin makes room for n objects.
func (s *shared) begin(n int) {
	s.on, s.objects = true, make([]sharedObject, n)
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
		one := [1]Cooked{{K: k, Bits: make([]uint64, n), Status: make([]counter.Status, n)}}
		p.cook(one[:])
		kept.Cooked, kept.done = one[0], true
	}
	return &kept.Cooked
}

// variant returns the columns of a pair, nil if there are too many pairs.
func (o *sharedObject) variant(p *Pair) *variant {
	var prev uint64
	if p.hasPrev {
		prev = p.prev.Number()
	}

	for i := range o.variants {
		v := &o.variants[i]
		if v.prev == prev && v.opt == p.cooker.opt {
			return v
		}
	}

	if len(o.variants) == maxVariants {
		return nil
	}
	columns := make([]sharedColumn, len(p.columns))
	o.variants = append(o.variants, variant{prev: prev, opt: p.cooker.opt, columns: columns})
	return &o.variants[len(o.variants)-1]
}
