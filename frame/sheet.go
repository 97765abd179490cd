package frame

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/winperf/winperf"
)

// sheet is what a frame consists of: decoded blocks, and the objects that count of
// them.
type sheet struct {
	number  atomic.Uint64 // of the frame; 0 while it is no valid one
	kept    atomic.Bool
	schema  *winperf.Schema
	parts   []part
	objects []Object
	formers []Object // see former
	damage  []error
	failed  error // of the parts, joined
	missing bool  // a part beside the others has no block
	lags    bool  // a part is beside the others
	head    int   // the part that tells what holds for the whole

	// While a block is decoded: the frame before. decodeBlock is s.decode, made once
	// because making it allocates.
	before      *sheet
	decodeBlock func(*winperf.Block, any) (any, error)
}

// part is a block with what was made of it.
type part struct {
	*store
	number uint64 // of the block when it was decoded
	beside bool   // the block may be that of the frame before
}

// readable reports whether anything can be read that was collected now.
func (s *sheet) readable() bool {
	for i := range s.parts {
		if p := &s.parts[i]; !p.failed() && !p.beside {
			return true
		}
	}
	return false
}

// add adds a part of the sample.
func (s *sheet) add(from *winperf.Part) {
	if from.Block == nil {
		s.fail(from, from.Err)
		s.missing = s.missing || from.Beside
		return
	}

	contents, err := from.Block.Decode(s.decodeBlock)
	st := contents.(*store) // that is what decode makes

	s.lags = s.lags || from.Beside
	if s.part(st.number) == nil && s.before.part(st.number) == nil { // else it was reported already
		s.fail(from, cmp.Or(err, st.broken))
		s.damage = append(s.damage, st.index.Damage...)
	}

	s.parts = append(s.parts, part{store: st, number: st.number, beside: from.Beside})
	if err == nil && !from.Beside && s.parts[s.head].failed() {
		s.head = len(s.parts) - 1
	}

	for i := range st.index.Objects {
		o := Object{s: st, pos: i, at: len(s.objects)}
		if from.Only == nil || slices.ContainsFunc(from.Only, o.ID().Is) {
			s.objects = append(s.objects, o)
			s.addFormer(o, from.Beside)
		}
	}
}

// part returns the part whose block has a number, nil for none.
func (s *sheet) part(number uint64) *part {
	for i := 0; s != nil && i < len(s.parts); i++ {
		if s.parts[i].number == number {
			return &s.parts[i]
		}
	}
	return nil
}

// refers reports whether the frame refers to the block with a number.
func (s *sheet) refers(number uint64) bool {
	is := func(o Object) bool { return o.s != nil && o.s.number == number }
	return s.part(number) != nil || slices.ContainsFunc(s.formers, is)
}

// addFormer finds the object that one of an independent part is cooked against: the same one of
// the part's last other block.
func (s *sheet) addFormer(o Object, beside bool) {
	var former Object
	if beside {
		former, _ = s.before.same(o)
		if former.s != nil && former.s.number == o.s.number { // nothing new
			former = s.before.former(former)
		}
	}
	s.formers = append(s.formers, former)
}

// former returns the same object of the last block that is another one, of an object of
// a part beside the others: there the frame before may have the same block.
func (s *sheet) former(o Object) Object { return s.formers[o.at] }

// fail notes what is wrong with a part as a whole.
func (s *sheet) fail(from *winperf.Part, err error) {
	if err != nil && from.Name != "" {
		err = fmt.Errorf("%s: %w", from.Name, err)
	}
	if err != nil {
		s.damage, s.failed = append(s.damage, err), errors.Join(s.failed, err)
	}
}

// reset empties the sheet and keeps its memory.
func (s *sheet) reset() {
	clear(s.parts)
	clear(s.objects)
	clear(s.formers)
	clear(s.damage)
	s.parts, s.objects, s.formers, s.damage = s.parts[:0], s.objects[:0], s.formers[:0], s.damage[:0]
	s.schema, s.failed, s.missing, s.lags, s.head = nil, nil, false, false, 0
}

// find returns the position of the object with the title index, tried first at
// the position near; -1 if there is none.
func (s *sheet) find(near int, title uint32) int {
	if s == nil {
		return -1
	}
	if near < len(s.objects) && s.objects[near].def().Title == title {
		return near
	}
	return slices.IndexFunc(s.objects, func(o Object) bool { return o.def().Title == title })
}

// same returns the object of the same machine with the same title index, tried first at
// the same position.
func (s *sheet) same(o Object) (older Object, ok bool) {
	is := func(x Object) bool { return x.def().Title == o.def().Title && x.s.name == o.s.name }
	if s == nil || len(s.objects) == 0 {
		return older, false
	}
	if o.at < len(s.objects) && is(s.objects[o.at]) {
		return s.objects[o.at], true
	}
	if at := slices.IndexFunc(s.objects, is); at >= 0 {
		return s.objects[at], true
	}
	return older, false
}

// failed reports whether nothing of the part can be read.
func (p *part) failed() bool {
	_, err := p.block.Decoded()
	return err != nil
}
