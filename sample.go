package winperf

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/winperf/winperf/internal/poison"
)

// Query is a selection compiled for one source.
type Query interface {
	// Next fills s with the next sample, in the memory that s owns: what s held is
	// no longer valid, unless it was kept (see [Sample.Keep]). It decodes
	// nothing; once warm it allocates nothing. At the end of recorded data it
	// returns io.EOF. After an error s holds nothing but Damage, and the next
	// call may succeed.
	Next(ctx context.Context, s *Sample) error
	// Close releases what the query holds. Samples that it filled stay valid.
	Close() error
}

// Sample is the blocks that a query returns for one moment. The zero Sample holds
// nothing. It belongs to one goroutine.
//
// A Sample owns its memory. It is valid until it is given to Next again, and for good once
// [Sample.Keep] was called.
type Sample struct {
	// Schema has the names of all parts; nil for none. Displayable values have names of
	// their own ([Raw].Series).
	Schema *Schema
	// Parts are the answers of all interfaces that were asked. Most sources have
	// one. A part keeps its place from sample to sample.
	Parts []Part
	// Damage is what was passed over to get here: in recorded data, or of what
	// other programs publish. Each error says where. The list is short: of much
	// damage the last error counts what is left out. Behind it there may be notices, which are no damage:
	// errors with a method Topic() string, such as published objects that are not shown. A program should
	// show one notice of each topic and not fail, as any account could cause one.
	Damage []error
	// At is how many bytes of a recording were read, of how many; 0 of 0 where
	// that is not known.
	At, Of int64
	// InUse, if the caller of Next sets it, reports whether the caller still reads a block of
	// an earlier sample. A query that gives the same block in several samples fills it again
	// only if it is not in use; without InUse it never does.
	InUse func(*Block) bool

	kept   bool
	added  int       // parts since Clear
	own    []*Block  // of Add, in its order; one that was kept is replaced
	sizes  []int     // see Like
	within []*Sample // see Within
}

// Part is what one interface of a machine answered.
type Part struct {
	// Name is the interface's, where the sample is of several.
	Name string
	// Block is the answer; nil where there is none.
	Block *Block
	// Beside tells that the part is collected beside the others and at a pace of
	// its own: its block may be that of the sample before, and is then nothing new.
	Beside bool
	// Only are the objects of the block that belong to the sample; nil: all.
	Only []ObjectID
	// Err is why there is no block, or why objects are missing in it: a provider failed or did not answer in
	// time.
	Err error
}

// Clear empties the sample and keeps its memory for the next one. What it held is no longer
// valid, unless it was kept.
func (s *Sample) Clear() {
	if s.kept {
		*s = Sample{InUse: s.InUse, own: s.own, sizes: s.sizes, within: s.within}
		return
	}
	if poison.On {
		s.poison()
	}
	clear(s.Parts)
	clear(s.Damage)
	*s = Sample{
		InUse: s.InUse, Parts: s.Parts[:0], Damage: s.Damage[:0],
		own: s.own, sizes: s.sizes, within: s.within,
	}
}

// Keep takes the sample and all blocks it refers to out of reuse for good. The next call of
// Next with the same Sample fills other memory; a copy of the Sample stays valid.
func (s *Sample) Keep() {
	s.kept = true
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			b.Keep()
		}
	}
}

// Kept reports whether Keep was called since the sample was filled.
func (s *Sample) Kept() bool { return s.kept }

// Begin is for queries that fill a sample of one part. It empties the sample and returns the
// block of the part, whose Raw is to be set.
func (s *Sample) Begin() *Block {
	s.Clear()
	return s.Add()
}

// Add is for queries that fill a sample of several parts. It adds a part and returns its
// block, whose Raw is to be set. Bytes has room for somewhat more than the last block in this
// place held, so that it seldom grows while a sample is taken.
func (s *Sample) Add() *Block {
	k := s.added
	s.added++
	if k == len(s.own) {
		s.own = append(s.own, &Block{})
	}
	size := len(s.own[k].Bytes)
	if s.own[k].Kept() {
		s.own[k] = &Block{}
	}
	if k < len(s.sizes) {
		size = max(size, s.sizes[k])
	}

	b := s.own[k]
	b.begin(size)
	s.Parts = append(s.Parts, Part{Block: b})
	return b
}

// Like gives the next sample in s blocks of the sizes of the last sample, which may have grown
// since s was filled. It is for a loop without package measure that fills several samples in turn,
// as frames need it.
func (s *Sample) Like(last *Sample) {
	s.sizes = s.sizes[:0]
	for _, b := range last.own {
		s.sizes = append(s.sizes, len(b.Bytes))
	}
	for i, part := range last.within {
		if part != nil {
			s.Within(i).Like(part)
		}
	}
}

// Within returns the i-th sample inside s. It is for a query over several other queries, each of
// which fills one. They are filled again when s is. A query that may leave a call of Next behind moves
// the inner sample to a variable for the call, and back when the call has returned in time.
func (s *Sample) Within(i int) *Sample {
	for len(s.within) <= i {
		s.within = append(s.within, nil)
	}
	if s.within[i] == nil {
		s.within[i] = &Sample{}
	}
	return s.within[i]
}

// Raw returns the block of a sample that has one part, as nearly all have. The
// error wraps [ErrNotSupported].
func (s *Sample) Raw() (*Raw, error) {
	if err := s.CheckRaw(); err != nil {
		return nil, err
	}
	if len(s.Parts) != 1 {
		return nil, fmt.Errorf("a sample of %d interfaces is not a single block: %w",
			len(s.Parts), ErrNotSupported)
	}
	p := &s.Parts[0]
	if p.Block == nil {
		return nil, fmt.Errorf("the sample has no block: %w", cmp.Or(p.Err, ErrState))
	}
	return &p.Block.Raw, nil
}

// CheckRaw returns an error that wraps [ErrNotSupported] if the sample has displayable values and no raw
// ones. It is for functions that store, send or show raw values.
func (s *Sample) CheckRaw() error {
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil && b.Format == FormatValues {
			return fmt.Errorf("the source holds displayable values and no raw ones: %w", ErrNotSupported)
		}
	}
	return nil
}

// Block is one answer of one interface. It does not change while the sample that it was filled
// in is valid, or once it was kept.
type Block struct {
	Raw

	number uint64
	kept   atomic.Bool
	room   int // of Bytes before they were filled

	// The decoded bytes, shared by all holders of the block.
	decoding sync.Mutex
	contents any
	done     atomic.Bool
	err      error
}

// blockNumber is the number of the last block of this program.
var blockNumber atomic.Uint64

// begin prepares the block for another answer, with room for one of a size and somewhat more.
// Very large ones do not get a share of it: several are kept.
func (b *Block) begin(size int) {
	b.Raw = Raw{Bytes: b.Bytes[:0]}
	b.number, b.err = blockNumber.Add(1), nil
	b.done.Store(false)

	const little, much = 512, 128 << 10
	if room := size + little + min(size/16, much); size > 0 && cap(b.Bytes) < room {
		b.Bytes = make([]byte, 0, room)
	}
	b.room = cap(b.Bytes)
}

// Number identifies the block's contents. No other contents get the same number, also in the
// same memory.
func (b *Block) Number() uint64 { return b.number }

// Keep takes the block out of reuse for good: its bytes do not change any more. It may be called
// from several goroutines as long as the block is valid.
func (b *Block) Keep() { b.kept.Store(true) }

// Kept reports whether the block was kept. Columns that are cooked of a block which was kept
// before it was decoded are shared by all that have it.
func (b *Block) Kept() bool { return b.kept.Load() }

// Decode decodes the bytes with the function decode and returns its result. It does so once: later
// callers, from any goroutine, get the same result. The argument old of decode is the result for
// earlier bytes in the same memory, nil for none.
//
// It is for package frame, which decodes blocks for all other packages.
func (b *Block) Decode(decode func(b *Block, old any) (any, error)) (any, error) {
	b.decoding.Lock()
	defer b.decoding.Unlock()
	if !b.done.Load() {
		b.contents, b.err = decode(b, b.contents)
		b.done.Store(true)
	}
	return b.contents, b.err
}

// Decoded returns the result of Decode, two nils before its first call. A query can so check whether
// a block that it returned was readable.
func (b *Block) Decoded() (contents any, err error) {
	if !b.done.Load() {
		return nil, nil
	}
	return b.contents, b.err
}

// Grew returns for how many bytes there was room before the block was filled, and
// whether it needed more. It is for a loop without package measure, and for the tests of a
// Query: an answer that needed more took longer.
func (b *Block) Grew() (room int, grew bool) {
	return b.room, b.room > 0 && len(b.Bytes) > b.room
}

// poison overwrites the memory that will be used again, so that a test finds each reader of
// memory that is not valid any more.
func (s *Sample) poison() {
	for _, b := range s.own {
		b.poison()
	}
	for _, part := range s.within {
		if part != nil {
			part.poison()
		}
	}
}

// poison overwrites the block's memory, unless it was kept.
func (b *Block) poison() {
	if b.Kept() {
		return
	}
	poison.Bytes(b.Bytes[:cap(b.Bytes)])
	if old, ok := b.contents.(interface{ Poison() }); ok {
		old.Poison()
	}
}

// Block returns a block of bytes that the caller has already, such as the content of a file. The
// bytes must not change.
func (raw Raw) Block() *Block { return &Block{Raw: raw, number: blockNumber.Add(1)} }

// Sample returns a sample of one part.
func (raw Raw) Sample() *Sample {
	return &Sample{Schema: raw.Schema, Parts: []Part{{Block: raw.Block()}}}
}
