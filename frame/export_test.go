package frame

import "github.com/winperf/winperf/counter"

// Len is the number of instances of the newer object.
func (p *Pair) Len() int { return p.len() }

// Position is the object's position in its frame.
func (o Object) Position() int { return o.at }

// Both returns the older and the newer object of a pair, and the options that they are cooked with.
func (p *Pair) Both() (prev, cur Object, opt counter.Options) { return p.prev, p.cur, p.cooker.opt }
