package frame

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

type store struct {
	block   *winperf.Block
	number  uint64
	first   uint64
	named   []byte // in the block
	name    string
	damaged error // error after some readable objects
	index   index.Index
	labels  []*Labels // per object
	shared  shared
	values  Values

	// During decoding: the frame of the block, and the previous labels of the current object.
	into     *sheet
	previous *Labels

	// Method values, stored to avoid allocations.
	options    datablock.Options
	setOptions counterset.Options
}

// objectNumber is the number of the newest object.
var objectNumber atomic.Uint64

// decode reuses the memory of old, the result for earlier bytes.
func (s *sheet) decode(b *winperf.Block, old any) (any, error) {
	st, ok := old.(*store)
	if !ok {
		st = &store{}
		st.options = datablock.Options{Known: st.knownNames, Object: st.label}
		st.setOptions = counterset.Options{Known: st.knownNames, Object: st.label}
	}

	st.block, st.into, st.number = b, s, b.Number()
	err := st.decode()
	if b.Format != winperf.FormatValues {
		st.nameMachine()
	}
	count := uint64(len(st.index.Objects))
	st.first = objectNumber.Add(count) - count + 1
	st.into, st.previous, st.damaged = nil, nil, nil
	if b.Kept() {
		st.shared.begin(len(st.index.Objects))
	}
	if len(st.index.Objects) > 0 {
		st.damaged, err = err, nil
	}
	return st, err
}

// nameMachine reads the machine's name if it changed.
func (s *store) nameMachine() {
	name := s.index.Data[s.index.Machine.Off:][:s.index.Machine.Len]
	if s.name == "" || !bytes.Equal(name, s.named) {
		s.named, s.name = append(s.named[:0], name...), s.index.MachineName()
	}
}

func (s *store) decode() (err error) {
	s.labels = s.labels[:0]
	if s.values.there {
		s.values.forget()
		s.name = ""
	}

	switch s.block.Format {
	case winperf.FormatV1:
		s.options.Quirks = s.block.Quirks
		err = datablock.Decode(s.block.Bytes, &s.index, s.options)
	case winperf.FormatV2:
		err = s.decodeSets()
	case winperf.FormatValues:
		return s.decodeValues()
	default:
		s.index.Reset()
		return fmt.Errorf("decode: format %d: %w", s.block.Format, winperf.ErrNotSupported)
	}

	s.labelParents()
	return err
}

func (s *store) Poison() {
	s.index.Poison()
	clear(s.labels)
}

// AppendObjects appends the identities of the objects in a decoded block; nothing for a block that is
// not decoded.
func AppendObjects(ids []winperf.ObjectID, b *winperf.Block) []winperf.ObjectID {
	contents, _ := b.Decoded()
	st, ok := contents.(*store)
	if !ok {
		return ids
	}
	for i := range st.index.Objects {
		ids = append(ids, Object{s: st, pos: i}.ID())
	}
	return ids
}
