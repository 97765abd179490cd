package frame

import (
	"sync"

	"github.com/winperf/winperf/counter"
)

// maxVariants is the maximum number of pairs with one newer object that share columns. Readers with
// equal intervals have the same older frame.
const maxVariants = 4

// shared holds the computed columns of a block with several readers (it was kept before it was
// decoded), by object: cookers of the same two blocks compute each column once.
type shared struct {
	on      bool
	objects []sharedObject
}

// sharedObject is locked while a reader computes a column.
type sharedObject struct {
	mu       sync.Mutex
	variants []variant
}

type variant struct {
	prev    uint64 // 0 for none
	opt     counter.Options
	columns []sharedColumn // by position of the counter
}

type sharedColumn struct {
	done bool
	Cooked
}

func (s *shared) begin(n int) {
	s.on, s.objects = true, make([]sharedObject, n)
}

// take returns shared columns, computing missing ones. rest are the columns left to compute: all if
// there are too many pairs.
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

// variant returns nil if there are too many pairs.
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
