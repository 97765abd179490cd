package frame

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
)

// Pool makes frames of samples and takes their memory back. The zero Pool is
// ready for use and may be used from several goroutines.
type Pool struct {
	mu   sync.Mutex
	free []*sheet
	last uint64 // number of the frame that was handed out last
}

// maxFree bounds the memory that a pool keeps for later frames. A reader of
// one source needs two frames.
const maxFree = 8

// get returns an empty frame that is held once.
func (p *Pool) get() Frame {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *sheet
	if n := len(p.free); n > 0 {
		s = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		s = &sheet{pool: p}
		s.decodeBlock = s.decode
	}
	p.last++
	s.state.Store(p.last<<refBits | 1)
	return Frame{sheet: s, number: p.last}
}

func (p *Pool) put(s *sheet) {
	s.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < maxFree {
		p.free = append(p.free, s)
	}
}

// Decode checks and indexes the bytes of a sample's parts, as far as nobody did,
// and returns them as one frame, which holds their blocks. Strings of before, if it
// is a frame of the same query that was decoded earlier and is held, are shared where
// their bytes are unchanged.
//
// The error says that nothing of the sample can be read. What cost less is in
// Damage: a part that is missing or damaged as a whole (objects before the damage
// can be read all the same), or some of its objects.
func (p *Pool) Decode(sample *winperf.Sample, before Frame) (Frame, error) {
	f := p.get()
	s := f.sheet
	s.schema, s.before = sample.Schema, before.sheet
	for i := range sample.Parts {
		s.add(&sample.Parts[i])
	}
	s.before = nil
	if s.failed != nil && !s.readable() {
		err := s.failed
		return Frame{}, errors.Join(err, f.Release())
	}
	return f, nil
}

// readable tells whether anything can be read that was collected now.
func (s *sheet) readable() bool {
	for i := range s.parts {
		if p := &s.parts[i]; !p.failed() && !p.beside {
			return true
		}
	}
	return false
}

// Frame is one sample. It is a small handle: pass it by value. The zero Frame
// is empty and stands for "no sample".
type Frame struct {
	*sheet
	number uint64 // of this frame among those of its pool
}

// sheet is what a frame consists of: decoded blocks, and the objects that count of
// them.
type sheet struct {
	pool    *Pool
	state   atomic.Uint64 // the frame's number and how many hold it; 0 when it is free
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
	decodeBlock func(*winperf.Block, winperf.Contents) (winperf.Contents, error)
}

// part is a block with what was made of it.
type part struct {
	*store
	beside bool // the block may be that of the frame before
}

const (
	refBits = 16
	refMask = 1<<refBits - 1
)

// add adds a part of the sample.
func (s *sheet) add(from *winperf.Part) {
	if from.Block == nil {
		s.fail(from, from.Err)
		s.missing = s.missing || from.Beside
		return
	}
	contents, err := from.Block.Decode(s.decodeBlock)
	st := contents.(*store) // that is what decode makes

	from.Block.Retain()
	s.lags = s.lags || from.Beside
	if s.part(st) == nil && s.before.part(st) == nil { // else it was told already
		s.fail(from, cmp.Or(err, st.broken))
		s.damage = append(s.damage, st.index.Damage...)
	}
	s.parts = append(s.parts, part{store: st, beside: from.Beside})
	if err == nil && !from.Beside && s.parts[s.head].failed() {
		s.head = len(s.parts) - 1
	}
	for i := range st.index.Objects {
		o := Object{s: st, pos: i, at: len(s.objects)}
		if from.Only == nil || slices.ContainsFunc(from.Only, func(id winperf.ObjectID) bool { return o.ID().Is(id) }) {
			s.objects = append(s.objects, o)
			s.addFormer(o, from.Beside)
		}
	}
}

// part returns the part that a block is, nil for none.
func (s *sheet) part(st *store) *part {
	for i := 0; s != nil && i < len(s.parts); i++ {
		if s.parts[i].store == st {
			return &s.parts[i]
		}
	}
	return nil
}

// addFormer finds what an object of a part beside the others is cooked against: the same
// one of its last other block, which it holds.
func (s *sheet) addFormer(o Object, beside bool) {
	var former Object
	if beside {
		former, _ = s.before.same(o)
		if former.s == o.s { // nothing new
			former = s.before.former(former)
		}
	}
	if former.s != nil {
		former.s.block.Retain()
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

// reset gives up what the frame holds.
func (s *sheet) reset() {
	for _, p := range s.parts {
		_ = p.block.Release() // the frame's own hold
	}
	for _, o := range s.formers {
		if o.s != nil {
			_ = o.s.block.Release()
		}
	}
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

// store is what was made of a block.
type store struct {
	block  *winperf.Block
	number uint64 // of the block among those in the same memory
	named  []byte // the machine's name as it stands in the block
	name   string // the same as text
	broken error  // why what follows some objects cannot be read
	index  index.Index
	labels []*Labels // per object
	shared shared    // columns cooked of the block

	// While the block is decoded: the frame that it becomes part of, and the labels
	// that the object at hand had in the frame before.
	into   *sheet
	former *Labels

	// Methods, made once because making them allocates.
	options    perfdata.Options
	setOptions counterset.Options
}

// decode decodes a block, for all who hold it.
func (s *sheet) decode(b *winperf.Block, old winperf.Contents) (winperf.Contents, error) {
	st, ok := old.(*store)
	if !ok {
		st = &store{}
		st.options = perfdata.Options{Known: st.knownNames, Object: st.label}
		st.setOptions = counterset.Options{Known: st.knownInstances, Object: st.label}
	}
	st.block, st.into = b, s
	st.number++
	err := st.decode()
	st.nameMachine()
	st.into, st.former, st.broken = nil, nil, nil
	if b.Shared {
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

// failed tells that nothing of the part can be read.
func (p *part) failed() bool {
	_, _, err := p.block.Outcome()
	return err != nil
}

func (s *store) decode() (err error) {
	s.labels = s.labels[:0]
	switch s.block.Format {
	case winperf.FormatV1:
		s.options.Quirks = s.block.Quirks
		err = perfdata.Decode(s.block.Bytes, &s.index, s.options)
	case winperf.FormatV2:
		err = s.decodeSets()
	default:
		s.index.Reset()
		return fmt.Errorf("decode: format %d: %w", s.block.Format, winperf.ErrNotSupported)
	}
	s.labelParents()
	return err
}

// Forget implements winperf.Contents.
func (s *store) Forget() {
	s.shared.end()
	s.index.Reset()
	clear(s.labels)
	s.labels = s.labels[:0]
}

// AppendObjects appends the identities of the objects in a block that was decoded;
// nothing for another one.
func AppendObjects(ids []winperf.ObjectID, b *winperf.Block) []winperf.ObjectID {
	_, contents, _ := b.Outcome()
	st, ok := contents.(*store)
	if !ok {
		return nil
	}
	for i := range st.index.Objects {
		ids = append(ids, Object{s: st, pos: i}.ID())
	}
	return ids
}

// IsZero tells whether the Frame is the zero Frame.
func (f Frame) IsZero() bool { return f.sheet == nil }

// Schema has the names of the sample's objects and counters; nil where there are
// none.
func (f Frame) Schema() *winperf.Schema { return f.schema }

// Blocks returns the sample as the system gave it: the blocks of its parts, as far
// as there are any. They are held by the frame.
func (f Frame) Blocks() iter.Seq[*winperf.Block] {
	return func(yield func(*winperf.Block) bool) {
		if f.IsZero() {
			return
		}
		for i := range f.parts {
			if !yield(f.parts[i].block) {
				return
			}
		}
	}
}

// Retain adds a holder: the memory goes back to the pool only when every
// holder has called Release.
func (f Frame) Retain() error {
	for !f.IsZero() {
		w := f.state.Load()
		if w>>refBits != f.number {
			return fmt.Errorf("retain: %w", winperf.ErrReleased)
		}
		if w&refMask == refMask {
			return fmt.Errorf("retain: %d holders already", refMask)
		}
		if f.state.CompareAndSwap(w, w+1) {
			break
		}
	}
	return nil
}

// Release gives up one hold. The frame must not be read after; forgetting to
// release is harmless, as the garbage collector takes what no one holds.
// Releasing more often than the frame is held is an error that wraps
// winperf.ErrReleased, also when the memory serves another frame meanwhile.
func (f Frame) Release() error {
	for !f.IsZero() {
		w := f.state.Load()
		if w>>refBits != f.number {
			return winperf.ErrReleased
		}
		next := w - 1
		last := next&refMask == 0
		if last {
			next = 0
		}
		if f.state.CompareAndSwap(w, next) {
			if last {
				f.pool.put(f.sheet)
			}
			break
		}
	}
	return nil
}

// Damage is what was found wrong with parts of the sample. It is empty for
// nearly every sample and bounded for the others.
func (f Frame) Damage() []error { return f.damage }

// spokesman is the index of the part that speaks for the sample, nil where there is
// none.
func (f Frame) spokesman() *index.Index {
	if f.IsZero() || len(f.parts) == 0 {
		return nil
	}
	return &f.parts[f.head].index
}

// Clocks are the times of the sample, those of objects left out: of its first part
// that can be read. Objects tell their own (see [Object.Clocks]).
func (f Frame) Clocks() counter.Clocks {
	if ix := f.spokesman(); ix != nil {
		return ix.Clocks
	}
	return counter.Clocks{}
}

// Time is when the sample was taken, in UTC.
func (f Frame) Time() time.Time { return winperf.FromFiletime(f.Clocks().Time100ns) }

// Machine is the name of the machine as the sample gives it. Those of a log of several
// machines are of the first one (see [Object.Machine]).
func (f Frame) Machine() string {
	if f.spokesman() == nil {
		return ""
	}
	return f.parts[f.head].name
}

// Quirks are those of the part whose clocks are the frame's.
func (f Frame) Quirks() winperf.Quirks {
	if f.spokesman() == nil {
		return 0
	}
	return f.parts[f.head].block.Quirks
}

// NumObjects is the number of objects.
func (f Frame) NumObjects() int {
	if f.IsZero() {
		return 0
	}
	return len(f.objects)
}

// Complete tells whether all that is collected beside the others is there.
func (f Frame) Complete() bool { return !f.missing }

// Object returns the object at position i, 0 ≤ i < NumObjects.
func (f Frame) Object(i int) Object { return f.objects[i] }

// Objects returns all objects in the order of the sample.
func (f Frame) Objects() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for i := range f.NumObjects() {
			if !yield(f.Object(i)) {
				return
			}
		}
	}
}

// Find returns the first object with the identity.
func (f Frame) Find(id winperf.ObjectID) (o Object, ok bool) {
	for i := range f.NumObjects() {
		if o := f.Object(i); o.ID().Is(id) {
			return o, true
		}
	}
	return Object{}, false
}
