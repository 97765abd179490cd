package frame

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/winperf/winperf"
)

// sheet is the content of a frame.
type sheet struct {
	number          atomic.Uint64 // number of the frame; 0 while invalid
	kept            atomic.Bool
	schema          *winperf.Schema
	parts           []part
	objects         []Object
	previousObjects []Object
	damage          []error
	failed          error // of the parts, joined
	missing         bool  // an independent part has no block
	hasIndependent  bool
	head            int // the part whose clocks and machine are the frame's

	// During decoding: the previous frame; decodeBlock is s.decode, stored to avoid an allocation.
	before      *sheet
	decodeBlock func(*winperf.Block, any) (any, error)
}

type part struct {
	*store
	number      uint64 // of the block when it was decoded
	independent bool   // the block may be the previous frame's
}

func (s *sheet) readable() bool {
	for i := range s.parts {
		if p := &s.parts[i]; !p.failed() && !p.independent {
			return true
		}
	}
	return false
}

func (s *sheet) add(from *winperf.Part) {
	if from.Block == nil {
		s.fail(from, from.Err)
		s.missing = s.missing || from.Independent
		return
	}

	contents, err := from.Block.Decode(s.decodeBlock)
	st := contents.(*store)

	s.hasIndependent = s.hasIndependent || from.Independent
	if s.part(st.number) == nil && s.before.part(st.number) == nil {
		s.fail(from, cmp.Or(err, st.damaged))
		s.damage = append(s.damage, st.index.Damage...)
	}

	s.parts = append(s.parts, part{store: st, number: st.number, independent: from.Independent})
	if err == nil && !from.Independent && s.parts[s.head].failed() {
		s.head = len(s.parts) - 1
	}

	for i := range st.index.Objects {
		o := Object{s: st, pos: i, at: len(s.objects)}
		if from.Only == nil || slices.ContainsFunc(from.Only, o.ID().Is) {
			s.objects = append(s.objects, o)
			s.addPrevious(o, from.Independent)
		}
	}
}

func (s *sheet) part(number uint64) *part {
	for i := 0; s != nil && i < len(s.parts); i++ {
		if s.parts[i].number == number {
			return &s.parts[i]
		}
	}
	return nil
}

func (s *sheet) refers(number uint64) bool {
	is := func(o Object) bool { return o.s != nil && o.s.number == number }
	return s.part(number) != nil || slices.ContainsFunc(s.previousObjects, is)
}

func (s *sheet) addPrevious(o Object, independent bool) {
	var previous Object
	if independent {
		previous, _ = s.before.same(o)
		if previous.s != nil && previous.s.number == o.s.number {
			previous = s.before.previousOf(previous)
		}
	}
	s.previousObjects = append(s.previousObjects, previous)
}

// previousOf returns the object that addPrevious stored.
func (s *sheet) previousOf(o Object) Object { return s.previousObjects[o.at] }

func (s *sheet) fail(from *winperf.Part, err error) {
	if err != nil && from.Name != "" {
		err = fmt.Errorf("%s: %w", from.Name, err)
	}
	if err != nil {
		s.damage, s.failed = append(s.damage, err), errors.Join(s.failed, err)
	}
}

func (s *sheet) reset() {
	clear(s.parts)
	clear(s.objects)
	clear(s.previousObjects)
	clear(s.damage)
	s.parts, s.damage = s.parts[:0], s.damage[:0]
	s.objects, s.previousObjects = s.objects[:0], s.previousObjects[:0]
	s.schema, s.failed, s.missing, s.hasIndependent, s.head = nil, nil, false, false, 0
}

// find returns the position of the object, checking near first; -1 if it is missing.
func (s *sheet) find(near int, title uint32) int {
	if s == nil {
		return -1
	}
	if near < len(s.objects) && s.objects[near].def().Title == title {
		return near
	}
	return slices.IndexFunc(s.objects, func(o Object) bool { return o.def().Title == title })
}

// same returns the object of the same machine and title index.
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

func (p *part) failed() bool {
	_, err := p.block.Decoded()
	return err != nil
}
