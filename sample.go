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
	// Next replaces the contents of s with the next sample. It reuses the memory of s, unless s was
	// kept (see [Sample.Keep]). It decodes nothing, and allocates nothing once its buffers are
	// large enough. At the end of a log it returns io.EOF. After an error s is empty except for
	// Damage, and the next call may succeed.
	Next(ctx context.Context, s *Sample) error
	// Close releases the query's resources. Samples that it filled stay valid.
	Close() error
}

// Sample is the answer of a query for one moment, in one or more parts. The zero Sample is empty
// and ready for use. Only one goroutine at a time may use a Sample.
//
// A Sample owns its memory. It is valid until it is passed to Next again, and permanently after
// [Sample.Keep].
type Sample struct {
	// Schema has the names of all parts; nil if they have none. Displayable values have their names
	// in [Raw].Series.
	Schema *Schema
	// Parts are the answers of the queried interfaces. Most sources return one part. A shared source
	// (see source.Share) combines objects of several samples, with one part for each, so that the
	// number and order of its parts can change.
	Parts []Part
	// Damage lists the errors in data that was skipped: in a log, or in data that other programs
	// publish. Each error names the place. If the list is too long, its last error has the number of
	// the omitted errors. Notices may follow: errors with a method Topic() string that report no
	// damage, for example a published object that is not shown. A program should show one notice per
	// topic and not fail, because every user of the machine can cause notices.
	Damage []error
	// At is the number of bytes of a log that were read, and Of the size of the log; both are 0 if
	// unknown.
	At, Of int64
	// InUse, if the caller of Next sets it, reports whether the caller still reads a block of an
	// earlier sample. A query that returns the same block in several samples refills it only if it
	// is not in use; without InUse it never refills the block.
	InUse func(*Block) bool

	kept   bool
	added  int       // parts since Clear
	blocks []*Block  // blocks of Add, in order; a kept block is replaced
	sizes  []int     // see Like
	within []*Sample // see Within
}

// Part is one answer in a sample, usually the answer of one interface.
type Part struct {
	// Name is the name of the interface if the sample has answers of several.
	Name string
	// Block is the answer; nil for none.
	Block *Block
	// Independent reports whether the part is sampled independently, on its own schedule. Its block may
	// be the same as in the previous sample.
	Independent bool
	// Only are the objects of the block that belong to the sample; nil means all.
	Only []ObjectID
	// Err is the reason why the block or some of its objects are missing: a provider failed or did
	// not answer in time.
	Err error
}

// Clear empties the sample and reuses its memory for the next one. Its contents become invalid,
// unless it was kept.
func (s *Sample) Clear() {
	if s.kept {
		*s = Sample{InUse: s.InUse, blocks: s.blocks, sizes: s.sizes, within: s.within}
		return
	}
	if poison.On {
		s.poison()
	}
	clear(s.Parts)
	clear(s.Damage)
	*s = Sample{
		InUse: s.InUse, Parts: s.Parts[:0], Damage: s.Damage[:0],
		blocks: s.blocks, sizes: s.sizes, within: s.within,
	}
}

// Keep excludes the sample and its blocks from reuse permanently. The next call of Next with the
// same Sample uses other memory; a copy of the Sample stays valid.
func (s *Sample) Keep() {
	s.kept = true
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			b.Keep()
		}
	}
}

// Kept reports whether Keep was called after the sample was filled.
func (s *Sample) Kept() bool { return s.kept }

// Begin empties the sample, adds a part and returns its block. It is for queries whose samples have
// one part. The caller sets the block's Raw.
func (s *Sample) Begin() *Block {
	s.Clear()
	return s.Add()
}

// Add adds a part and returns its block. It is for queries whose samples have several parts. The
// caller sets the block's Raw. The capacity of its Bytes exceeds the size of the previous block at
// this position, so that filling it seldom allocates.
func (s *Sample) Add() *Block {
	k := s.added
	s.added++
	if k == len(s.blocks) {
		s.blocks = append(s.blocks, &Block{})
	}
	size := len(s.blocks[k].Bytes)
	if s.blocks[k].Kept() {
		s.blocks[k] = &Block{}
	}
	if k < len(s.sizes) {
		size = max(size, s.sizes[k])
	}

	b := s.blocks[k]
	b.begin(size)
	s.Parts = append(s.Parts, Part{Block: b})
	return b
}

// Like gives the blocks of the next sample of s enough capacity for the sizes in last. It is for
// programs that fill several samples in turn without package measure.
func (s *Sample) Like(last *Sample) {
	s.sizes = s.sizes[:0]
	for _, b := range last.blocks {
		s.sizes = append(s.sizes, len(b.Bytes))
	}
	for i, part := range last.within {
		if part != nil {
			s.Within(i).Like(part)
		}
	}
}

// Within returns the i-th inner sample of s, for a query that combines other queries. Inner samples are
// reused with s. A query that may abandon an inner call of Next must pass another Sample to it: it
// moves the inner sample to a variable before the call, and back if the call returns in time.
func (s *Sample) Within(i int) *Sample {
	for len(s.within) <= i {
		s.within = append(s.within, nil)
	}
	if s.within[i] == nil {
		s.within[i] = &Sample{}
	}
	return s.within[i]
}

// Raw returns the block of a sample with a single part. The error wraps [ErrNotSupported] if the
// sample has displayable values or not exactly one part. If the part has no block, the error wraps
// Part.Err, or [ErrState] if that is nil.
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

// CheckRaw returns an error that wraps [ErrNotSupported] if the sample has displayable values
// instead of raw values. It is for functions that store, send or show raw values.
func (s *Sample) CheckRaw() error {
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil && b.Format == FormatValues {
			return fmt.Errorf("the source holds displayable values and no raw ones: %w", ErrNotSupported)
		}
	}
	return nil
}

// Block is the bytes of one answer. It does not change while its sample is valid, and after Keep it
// never changes.
type Block struct {
	Raw

	number   uint64
	kept     atomic.Bool
	capacity int // capacity of Bytes before they were filled

	// The decoded bytes, shared by all users of the block.
	decoding sync.Mutex
	contents any
	done     atomic.Bool
	err      error
}

// blockNumber is the number of the latest block of this program.
var blockNumber atomic.Uint64

// begin prepares the block for another answer of about size bytes. The additional capacity is
// limited, because several blocks are kept.
func (b *Block) begin(size int) {
	b.Raw = Raw{Bytes: b.Bytes[:0]}
	b.number, b.err = blockNumber.Add(1), nil
	b.done.Store(false)

	const least, most = 512, 128 << 10
	if needed := size + least + min(size/16, most); size > 0 && cap(b.Bytes) < needed {
		b.Bytes = make([]byte, 0, needed)
	}
	b.capacity = cap(b.Bytes)
}

// Number identifies the block's contents. Other contents, even in the same memory, have another
// number.
func (b *Block) Number() uint64 { return b.number }

// Keep excludes the block from reuse permanently: its bytes no longer change. It may be called from
// several goroutines as long as the block is valid.
func (b *Block) Keep() { b.kept.Store(true) }

// Kept reports whether Keep was called. Users of the block share its computed columns only if Keep was
// called before Decode.
func (b *Block) Kept() bool { return b.kept.Load() }

// Decode decodes the bytes with decode and returns its result. It decodes them once: later callers,
// from any goroutine, get the same result. The argument old is the result for the block's previous
// contents, or nil: decode may reuse its memory.
//
// Decode is for package frame, which decodes blocks for all other packages.
func (b *Block) Decode(decode func(b *Block, old any) (any, error)) (any, error) {
	b.decoding.Lock()
	defer b.decoding.Unlock()
	if !b.done.Load() {
		b.contents, b.err = decode(b, b.contents)
		b.done.Store(true)
	}
	return b.contents, b.err
}

// Decoded returns the result of Decode, or two nils before its first call. A query can use it to
// check whether a returned block was readable.
func (b *Block) Decoded() (contents any, err error) {
	if !b.done.Load() {
		return nil, nil
	}
	return b.contents, b.err
}

// Grew returns the capacity in bytes before the block was filled, and whether the block had to
// grow, which makes a sample slower. It is for programs without package measure and for tests of a
// Query.
func (b *Block) Grew() (capacity int, grew bool) {
	return b.capacity, b.capacity > 0 && len(b.Bytes) > b.capacity
}

// poison overwrites reusable memory, so that tests detect readers of invalid memory.
func (s *Sample) poison() {
	for _, b := range s.blocks {
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

// Block returns a block of existing bytes, such as the content of a file. The bytes must not
// change.
func (raw Raw) Block() *Block { return &Block{Raw: raw, number: blockNumber.Add(1)} }

// Sample returns a sample with raw as its only part.
func (raw Raw) Sample() *Sample {
	return &Sample{Schema: raw.Schema, Parts: []Part{{Block: raw.Block()}}}
}
