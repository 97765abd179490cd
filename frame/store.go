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

// store is what was made of a block.
type store struct {
	block  *winperf.Block
	number uint64 // of the block
	first  uint64 // number of the first object
	named  []byte // the machine's name as it stands in the block
	name   string // the same as text
	broken error  // why what follows some objects cannot be read
	index  index.Index
	labels []*Labels // per object
	shared shared    // columns cooked of the block
	values Values    // of a block of displayable values

	// While the block is decoded: the frame that it becomes part of, and the labels
	// that the object at hand had in the frame before.
	into   *sheet
	former *Labels

	// Methods, made once because making them allocates.
	options    datablock.Options
	setOptions counterset.Options
}

// objectNumber is the number of the last object of this program.
var objectNumber atomic.Uint64

// decode decodes a block, for all its holders. old is the result for earlier bytes in the same
// memory, which is used again.
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
	st.into, st.former, st.broken = nil, nil, nil
	if b.Kept() {
		st.shared.begin(len(st.index.Objects))
	}
	if len(st.index.Objects) > 0 {
		st.broken, err = err, nil
	}
	return st, err
}

// nameMachine reads the machine's name, which hardly ever is another one.
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

// Poison overwrites the decoded block, for tests; see internal/poison.
func (s *store) Poison() {
	s.index.Poison()
	clear(s.labels)
}

// AppendObjects appends the identities of the objects in a block that was decoded;
// nothing for another one.
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
