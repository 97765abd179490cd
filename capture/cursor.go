package capture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/winperf/winperf"
)

// Cursor reads the samples of a File in order. Its memory is limited to a few samples,
// whatever the size of the file: the current record, its reference, its schema and the
// decoded sample, 64 MiB each at most. It must be used by one goroutine.
type Cursor struct {
	f *File
	w walk // over the samples
	d walk // over references and schemas

	seen     []definition // the latest references passed, and the references up to aheadEnd
	ref      []byte
	refID    uint64 // 0 for none
	missing  uint64 // a reference that is unreadable
	aheadEnd int64
	payload  []byte
	inflater inflater

	joined []byte // the record of a sample with several parts
	last   lasting
	owners []*winperf.Sample // each of a block that may be in several such samples
	reader *winperf.Sample   // the current sample
	back   int               // how many earlier records may still be read before the first sample after a seek

	schema keptSchema // of the previous sample

	damage   []error
	unlisted int

	omit func(time.Time) bool // nil omits nothing
}

// Cursor returns a Cursor in front of the first sample.
func (f *File) Cursor() *Cursor {
	c := &Cursor{f: f, w: walk{f: f, at: f.start()}, d: walk{f: f}}
	c.w.damage = c.note
	if f.headless {
		c.w.number = -1
	}
	return c
}

// maxDamage limits the damage listed between two calls of Damage.
const maxDamage = 16

func (c *Cursor) note(d *winperf.DataError) {
	if len(c.damage) >= maxDamage {
		c.unlisted++
		return
	}
	c.damage = append(c.damage, d)
}

// unreadable reports a record that cannot be read.
func (c *Cursor) unreadable(h *head, what string, err error) {
	msg := fmt.Sprintf("%s cannot be read: %v", what, err)
	c.note(&winperf.DataError{Offset: h.offset, Len: h.end() - h.offset, Msg: msg})
}

// Omit makes Next skip the samples for whose times omit returns true, without reading them. nil omits
// none.
func (c *Cursor) Omit(omit func(time.Time) bool) { c.omit = omit }

// Damage returns the damage found since the previous call. If much is damaged, the last
// error counts the unlisted places.
func (c *Cursor) Damage() []error {
	damage := c.damage
	if c.unlisted > 0 {
		more := fmt.Sprintf("%d more places before this one are damaged", c.unlisted)
		damage = append(damage, &winperf.DataError{Offset: c.w.at, Msg: more})
	}
	c.damage, c.unlisted = nil, 0
	return damage
}

// Position returns the Cursor's offset in the file.
func (c *Cursor) Position() int64 { return c.w.at }

// Zone returns the time zone of the machine of the current sample: its name in standard
// time, and its rules. They are "" and nil if unknown.
func (c *Cursor) Zone() (name string, loc *time.Location) {
	z := c.schema.zone
	if z == nil {
		return "", nil
	}
	return z.Name(), z.Location()
}

// System returns the program or system that wrote the current sample, or "".
func (c *Cursor) System() string { return c.schema.system }

// Next fills s with the next sample, in the memory that s owns. At the end it returns
// io.EOF. It skips damage, which Damage returns. Errors are from the underlying reader or
// ctx; Next can then be called again.
func (c *Cursor) Next(ctx context.Context, s *winperf.Sample) error {
	s.Clear()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		h, err := c.step()
		if err != nil {
			return err
		}
		if h.kind != kindSample {
			continue
		}
		if c.omit != nil && h.key != 0 && c.omit(winperf.FromFiletime(int64(h.key))) {
			c.back = maxParts    // the next sample may repeat blocks of omitted ones
			c.w.field = headRead // the payloads between heads are not read
			continue
		}

		c.w.field = 0
		err = c.sample(&h, s)
		if err == nil {
			return nil
		}

		// After an error of the reader, the next call reads the same record again.
		s.Clear()
		if !isDamage(err) {
			c.w.at, c.w.number = h.offset, int64(h.number)
			return err
		}

		c.unreadable(&h, "sample"+at(&h), err)
		if err := c.w.skip(&h); err != nil {
			return err
		}
	}
}

// at returns the time of a sample, for messages.
func at(h *head) string {
	if h.key == 0 {
		return ""
	}
	return " of " + winperf.FromFiletime(int64(h.key)).Format(time.RFC3339Nano)
}

// step reads the next record head and registers definitions. It reports damaged records, except
// while the cursor seeks and w.damage is nil.
func (c *Cursor) step() (head, error) {
	h, err := c.w.next()
	if err != nil {
		return h, err
	}

	if h.kind != kindSample && c.w.damage != nil {
		_, err := c.w.payload(&h)
		if isDamage(err) {
			c.unreadable(&h, h.kind.String(), err)
			return h, c.w.skip(&h)
		}
		if err != nil {
			c.w.at, c.w.number = h.offset, int64(h.number)
			return h, err
		}
	}

	switch h.kind {
	case kindReference:
		c.see(&h)
	case kindSchema:
		c.f.mu.Lock()
		c.f.addSchema(h.key, h.offset)
		c.f.mu.Unlock()
	}
	return h, nil
}

// see registers the offset of a reference.
func (c *Cursor) see(h *head) {
	const most = 24
	if d := (definition{h.key, h.offset}); !slices.Contains(c.seen, d) {
		c.seen = append(c.seen[max(0, len(c.seen)+1-most):], d)
	}
}

// read returns the payload of a record without compression, in dst's memory if large
// enough.
func (c *Cursor) read(w *walk, h *head, dst []byte) ([]byte, error) {
	b, err := w.payload(h)
	switch {
	case err != nil:
		return dst, err
	case h.compression == stored:
		return append(dst[:0], b...), nil
	}
	return c.inflater.append(dst[:0], b, int(h.size))
}

func (c *Cursor) sample(h *head, s *winperf.Sample) error {
	raw := winperf.Raw{Bytes: c.joined[:0]}
	schema, err := c.raw(&c.w, h, &raw)
	c.joined = raw.Bytes
	if err == nil && raw.Format == formatParts {
		err = c.parts(h, s)
	} else if err == nil {
		b := s.Begin()
		b.Bytes, c.joined = raw.Bytes, b.Bytes[:0]
		raw.Bytes = b.Bytes
		b.Raw = raw
		c.last.keep(0, b, h.offset)
		c.last.cut(1)
	}

	if err == nil {
		s.Schema, err = c.schemaOf(schema)
	}
	if err != nil {
		return err
	}

	c.back = 0
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil && b.Schema != s.Schema {
			b.Schema = s.Schema
		}
	}
	return nil
}

// raw reads the bytes of a sample's record and returns the identity of its schema.
func (c *Cursor) raw(w *walk, h *head, raw *winperf.Raw) (schema uint64, err error) {
	payload, err := c.read(w, h, c.payload)
	if err != nil {
		return 0, err
	}

	if h.compression != stored {
		c.payload = payload
	}
	s, body, err := parseSampleHead(payload, raw)
	if err != nil {
		return 0, err
	}

	if s.reference == 0 {
		if len(body) != s.length {
			return 0, errSample
		}
		if cap(raw.Bytes) < len(body) { // with the same spare memory as a reused block
			raw.Bytes = make([]byte, 0, len(body)+min(len(body)/8+1024, mebibyte))
		}
		raw.Bytes = append(raw.Bytes[:0], body...)
		return s.schema, nil
	}

	if err := c.setReference(s.reference); err != nil {
		return 0, err
	}
	raw.Bytes, err = apply(raw.Bytes[:0], c.ref, body, s.length)
	return s.schema, err
}

const mebibyte = 1 << 20

const errUnchanged = fault("it repeats a block of an earlier sample, which cannot be read")

// parts splits the joined blocks of a sample. For an unchanged block it uses the block of the
// previous sample, or reads it from the earlier record that contains it.
func (c *Cursor) parts(h *head, s *winperf.Sample) error {
	c.reader = s
	heads, err := parseParts(c.joined, s, c.block)
	if err != nil {
		return err
	}

	for i := range heads {
		block, offset := &s.Parts[i].Block, h.offset
		if heads[i].flags&partOmitted != 0 {
			offset = heads[i].offset
		}

		switch {
		case heads[i].flags&partUnchanged != 0 && c.last.has(i, heads[i].offset):
			*block = c.last[i].block
			if !c.owns(*block) {
				(*block).Keep() // an earlier sample owns its memory
			}
		case heads[i].flags&partOmitted != 0 && *block == nil:
			if err = c.earlier(heads, s, i); err != nil {
				return err
			}
		}
		c.last.keep(i, *block, offset)
	}
	c.last.cut(len(heads))
	return nil
}

// maxBlocks limits the reused blocks. Samples of known systems need fewer.
const maxBlocks = 32

// block returns a block for a part that later samples may share. It reuses a block that
// neither the caller nor the cursor needs.
func (c *Cursor) block() *winperf.Block {
	s := c.reader
	if s.InUse == nil || len(s.Parts) > maxBlocks {
		return winperf.Raw{}.Block()
	}

	here := func(b *winperf.Block) bool {
		return slices.ContainsFunc(s.Parts, func(p winperf.Part) bool { return p.Block == b })
	}
	for _, owner := range c.owners {
		b := owner.Parts[0].Block
		if b.Kept() || !s.InUse(b) && !c.last.holds(b) && !here(b) {
			return owner.Begin()
		}
	}

	owner := &winperf.Sample{}
	if len(c.owners) < maxBlocks {
		c.owners = append(c.owners, owner)
	}
	return owner.Begin()
}

// owns reports whether the memory of b may be used again.
func (c *Cursor) owns(b *winperf.Block) bool {
	return slices.ContainsFunc(c.owners, func(o *winperf.Sample) bool { return o.Parts[0].Block == b })
}

// earlier reads the block of a part from an earlier sample of the group, after a seek,
// together with the following parts in that record. Other samples have their blocks
// already; this limits the records that a malicious file can cause to be read.
func (c *Cursor) earlier(heads []partHead, s *winperf.Sample, first int) error {
	offset := heads[first].offset
	if c.back == 0 {
		return errUnchanged
	}

	c.back--
	h, ok, err := c.d.head(offset)
	if err != nil {
		return err
	}
	if !ok || h.kind != kindSample || offset >= c.w.at {
		return errUnchanged
	}

	var old winperf.Sample
	if err := c.reread(&h, &old); err != nil {
		return err
	}

	for i := first; i < len(heads); i++ {
		if heads[i].flags&partOmitted == 0 || heads[i].offset != offset {
			continue
		}
		if i >= len(old.Parts) || old.Parts[i].Block == nil {
			return errUnchanged
		}
		s.Parts[i].Block = old.Parts[i].Block
	}
	return nil
}

// reread reads the blocks of an earlier sample with several parts.
func (c *Cursor) reread(h *head, s *winperf.Sample) error {
	other := Cursor{f: c.f, w: walk{f: c.f, at: h.end()}, d: walk{f: c.f}, seen: c.seen}
	raw := winperf.Raw{}
	if _, err := other.raw(&other.d, h, &raw); err != nil {
		return err
	}
	if raw.Format != formatParts {
		s.Parts = append(s.Parts, winperf.Part{Block: raw.Block()})
		return nil
	}
	_, err := parseParts(raw.Bytes, s, winperf.Raw{}.Block)
	return err
}

const errMissing = fault("the sample that it is a difference from cannot be read")

// setReference loads a reference from a record before the current one. If that is damaged, it
// loads a copy from later in the group.
func (c *Cursor) setReference(id uint64) error {
	if c.refID == id {
		return nil
	}
	if c.missing == id {
		return errMissing
	}

	for range 2 { // earlier references first, then later ones
		for _, d := range slices.Backward(c.seen) {
			if d.id != id {
				continue
			}
			if ok, err := c.readReference(id, d.offset); ok || err != nil {
				return err
			}
		}
		if err := c.lookAhead(); err != nil {
			return err
		}
	}
	c.missing = id
	return errMissing
}

// lookAhead finds the references in the rest of the group, once.
func (c *Cursor) lookAhead() error {
	if c.w.at < c.aheadEnd {
		return nil
	}

	w := walk{f: c.f, at: c.w.at}
	for {
		h, err := w.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || h.kind == kindIndex {
			c.aheadEnd = w.at
			return nil
		}
		if h.kind == kindReference {
			c.see(&h)
		}
	}
}

// readReference reads the reference at an offset. ok is false if it is damaged.
func (c *Cursor) readReference(id uint64, offset int64) (ok bool, err error) {
	c.refID = 0 // c.ref is overwritten
	c.ref, err = c.definition(offset, c.ref)
	if isDamage(err) {
		return false, nil // reported when the walk passes it
	}
	if err == nil {
		c.refID = id
	}
	return err == nil, err
}

// definition reads the record at a known offset.
func (c *Cursor) definition(offset int64, dst []byte) ([]byte, error) {
	h, ok, err := c.d.head(offset)
	if err != nil {
		return dst, err
	}
	if !ok {
		return dst, errChecksum
	}
	return c.read(&c.d, &h, dst)
}

// schemaOf returns the schema with an identity, nil for 0. An unreadable schema is empty
// and lists the damage.
func (c *Cursor) schemaOf(id uint64) (*winperf.Schema, error) {
	if id == 0 {
		c.schema = keptSchema{}
	}
	if id == c.schema.id {
		return c.schema.Schema, nil
	}

	c.f.mu.Lock()
	defer c.f.mu.Unlock()
	if i := slices.IndexFunc(c.f.cached, func(known keptSchema) bool { return known.id == id }); i >= 0 {
		c.schema = c.f.cached[i]
		return c.schema.Schema, nil
	}

	s, err := c.readSchema(id)
	if err != nil {
		return nil, err
	}
	s.id = id
	c.f.keep(s)
	c.schema = s
	return s.Schema, nil
}

// readSchema reads a schema from its first undamaged record.
func (c *Cursor) readSchema(id uint64) (s keptSchema, err error) {
	for _, offset := range c.f.schemas[id] {
		payload, err := c.definition(offset, nil)
		if err == nil {
			s, err = parseSchema(payload)
		}
		if err == nil || !isDamage(err) {
			return s, err
		}
	}
	lost := &winperf.DataError{Offset: c.w.at, Msg: "the names of the following samples cannot be read"}
	return keptSchema{Schema: &winperf.Schema{Damage: []error{lost}}}, nil
}
