package winperf

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Query is a selection compiled for one source.
type Query interface {
	// Next gives up what s holds and fills it with the next sample. It decodes
	// nothing; once warm it allocates nothing. At the end of recorded data it
	// returns io.EOF. After an error s holds nothing but Damage, and the next
	// call may succeed.
	Next(ctx context.Context, s *Sample) error
	// Close releases what the query holds. Samples that it gave stay valid.
	Close() error
}

// Sample is the blocks that a query returns for one moment. The zero Sample holds
// nothing. It belongs to one goroutine.
type Sample struct {
	// Schema has the names of all parts; nil for none. Displayable values have names of
	// their own ([Raw].Series).
	Schema *Schema
	// Parts are the answers of all interfaces that were asked. Most sources have
	// one. A part keeps its place from sample to sample.
	Parts []Part
	// Damage is what was passed over to get here: in recorded data, or of what
	// other programs publish. Each error says where. The list is short: of much
	// damage the last error counts what is left out. Of what is published on this
	// machine there may be notices behind it (publish.Notice), which are no damage.
	Damage []error
	// At is how many bytes of a recording were read, of how many; 0 of 0 where
	// that is not known.
	At, Of int64
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
	// Err is why there is no block, or why objects are missing in it: a provider failed or did not answer in time.
	Err error
}

// Release gives up the blocks and empties the sample, whose memory is used again.
func (s *Sample) Release() {
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil {
			_ = b.Release() // the sample's own hold
		}
	}
	clear(s.Parts)
	clear(s.Damage)
	*s = Sample{Parts: s.Parts[:0], Damage: s.Damage[:0]}
}

// Begin is for queries that fill a sample of one part. It gives up what the sample
// held and returns the block of the part, whose Raw is to be set. Where that fails
// Release takes it back.
func (s *Sample) Begin(blocks *Blocks) *Block {
	s.Release()
	return s.Add(blocks)
}

// Add is for queries that fill a sample of several parts. It adds a part and returns
// its block, whose Raw is to be set. Bytes has room for somewhat more than the last
// block of the pool held, so that it seldom grows while a sample is taken.
func (s *Sample) Add(blocks *Blocks) *Block {
	b := blocks.Get()
	b.reserve(blocks.last())
	s.Parts = append(s.Parts, Part{Block: b})
	return b
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

// Block is one answer of one interface. It does not change once a query gave it,
// and is counted: its holders can read it for as long as needed, and its memory
// serves another when nobody holds it. Forgetting to release it is harmless.
type Block struct {
	Raw
	// Shared tells that several readers will decode and cook the block. What they
	// make of it is then made once.
	Shared bool

	pool    *Blocks
	room    int          // of Bytes before they were filled
	holders atomic.Int32 // 0: nobody

	// What a reader made of the bytes, once for all holders of the block.
	decoding sync.Mutex
	contents Contents
	done     atomic.Bool
	err      error
}

// Contents is what was made of a block's bytes. Forget is called when nobody holds
// the block any more; the memory may serve the next one.
type Contents interface{ Forget() }

// Retain adds a holder.
func (b *Block) Retain() { b.holders.Add(1) }

// Release gives up one hold. The block must not be read after. Releasing more
// often than it is held is an error that wraps [ErrReleased].
func (b *Block) Release() error {
	switch n := b.holders.Add(-1); {
	case n < 0:
		b.holders.Add(1)
		return fmt.Errorf("release of a block: %w", ErrReleased)
	case n == 0 && b.pool != nil:
		b.pool.put(b)
	}
	return nil
}

// Decode returns what decode made of the bytes, or why nothing can be read. The
// first caller has them decoded, for all holders of the block. decode is
// given what was made of an earlier block in the same memory, nil for none.
//
// It is for package frame, which decodes blocks for everybody else.
func (b *Block) Decode(decode func(b *Block, old Contents) (Contents, error)) (Contents, error) {
	b.decoding.Lock()
	defer b.decoding.Unlock()
	if !b.done.Load() {
		b.contents, b.err = decode(b, b.contents)
		b.done.Store(true)
		if b.pool != nil {
			b.pool.note(len(b.Bytes))
		}
	}
	return b.contents, b.err
}

// Outcome reports whether the block was decoded by now, what was made of it, and why
// nothing could be read. A query that gave it learns so whether it was worth
// anything.
func (b *Block) Outcome() (done bool, contents Contents, err error) {
	if !b.done.Load() {
		return false, nil, nil
	}
	return true, b.contents, b.err
}

// Grew returns for how many bytes there was room before the block was filled, and
// whether it needed more.
func (b *Block) Grew() (room int, grew bool) {
	return b.room, b.room > 0 && len(b.Bytes) > b.room
}

// Blocks hands out blocks and takes their memory back. The zero Blocks is ready
// for use and may be used from several goroutines.
type Blocks struct {
	mu   sync.Mutex
	free []*Block
	size int // of the last one that was filled
}

// maxFreeBlocks bounds the memory that is kept for later blocks. A reader of one
// source needs two or three.
const maxFreeBlocks = 8

// Get returns an empty block that is held once.
func (p *Blocks) Get() *Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b *Block
	if n := len(p.free); n > 0 {
		b = p.free[n-1]
		p.free[n-1] = nil
		p.free = p.free[:n-1]
	} else {
		b = &Block{pool: p}
	}

	b.room = cap(b.Bytes)
	b.holders.Store(1)
	return b
}

// last is the size of the last block that was filled.
func (p *Blocks) last() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.size
}

// note notes how large a block is.
func (p *Blocks) note(size int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > 0 {
		p.size = size
	}
}

// put takes a block back.
func (p *Blocks) put(b *Block) {
	if !b.done.Load() { // else that is known, and later blocks may be of another size
		p.note(len(b.Bytes))
	}
	b.Raw = Raw{Bytes: b.Bytes[:0]}
	b.Shared, b.err = false, nil
	b.done.Store(false)
	if b.contents != nil {
		b.contents.Forget()
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFreeBlocks {
		p.free = append(p.free, b)
	}
}

// reserve makes room for a block that is somewhat larger than the last one. What very
// large ones get more is no share of them: several are kept.
func (b *Block) reserve(size int) {
	const little, much = 512, 256 << 10
	more := little + min(size/16, much)
	if size > 0 && cap(b.Bytes) < size+more {
		b.Bytes = make([]byte, 0, size+2*more)
	}
	b.room = cap(b.Bytes)
}

// Block returns a block of bytes that somebody has already, such as those of a
// file. It belongs to no Blocks.
func (raw Raw) Block() *Block {
	b := &Block{Raw: raw}
	b.holders.Store(1)
	return b
}

// Sample returns a sample of one part.
func (raw Raw) Sample() *Sample {
	return &Sample{Schema: raw.Schema, Parts: []Part{{Block: raw.Block()}}}
}
