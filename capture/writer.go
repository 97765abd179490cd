package capture

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/zone"
)

// Options for a [Writer]. The zero Options begin a new file.
type Options struct {
	// GroupSamples is the number of samples that share a reference and an entry
	// of the index; 0 means 128. Fewer make seeking finer and the file larger.
	GroupSamples int
	// ID is the file id; 0 is a random one.
	ID uint32
	// Location is the time zone of the machine that the samples are of; nil is one that
	// is not known. It is kept beside the names of samples that have a schema.
	Location *time.Location
	// System is what wrote the samples, as winperf.LogInfo has it; "" is not known. It is
	// kept as the time zone is.
	System string
	// Tail is where an existing file goes on; nil begins a new one. The id is
	// then that of the file.
	Tail *Tail
}

// Writer appends samples to a capture. It serves one goroutine.
//
// Every sample reaches the underlying writer in one call, before Write returns. Nothing
// is flushed to a disk: a caller that wants a sample to survive the loss of power syncs
// the file.
type Writer struct {
	w      io.Writer
	opt    Options
	err    error // the first one of w; nothing is written after it
	closed bool

	file     Tail             // as it is by now, without its schemas
	reopened bool             // the group is what another writer left open
	known    map[uint64]int64 // where the latest record of each schema id stands

	buf      []byte
	payload  []byte
	deflater deflater
	delta    delta
	ref      reference
	refCopy  definitionCopy
	last     lasting
	parts    []byte // of a sample of several
	schema   schemaState
	names    []byte // the payload of a schema that is not in use yet
	zone     []byte // nil where it is not known, or before the first sample
}

// definitionCopy is a definition as it stands in the file, to be written again.
type definitionCopy struct {
	head head
	data []byte
}

// schemaState is the schema of the latest sample.
type schemaState struct {
	of     *winperf.Schema
	id     uint64
	copies int
	copy   definitionCopy
}

// schemaShare is how many bytes of other records there are, at least, for each
// byte of a schema's copies.
const schemaShare = 16

// NewWriter returns a Writer that appends to w, which stands at the beginning
// of an empty file or, with a Tail, at its offset.
func NewWriter(w io.Writer, opt Options) *Writer {
	if opt.GroupSamples <= 0 {
		opt.GroupSamples = groupSamples
	}

	wr := &Writer{w: w, opt: opt, known: map[uint64]int64{}}
	wr.file = Tail{id: cmp.Or(opt.ID, rand.Uint32()), version: version}

	// A file that does not even have its head is begun anew.
	if t := opt.Tail; t != nil && t.Offset >= fileHeadSize {
		wr.file = *t
		wr.reopened = t.group.samples > 0
		for _, d := range t.schemas {
			wr.known[d.id] = d.offset
		}
	}
	return wr
}

// Samples returns the number of samples in the file.
func (w *Writer) Samples() int { return w.file.samples }

// Size returns the length of the file in bytes up to the end of the last
// complete record. After an error it is where the file can be cut off.
func (w *Writer) Size() int64 { return w.file.Offset }

// Write appends a sample of blocks. A block that was in the same part of the sample
// before is not stored again. An error of the underlying writer stays: what stood in
// the file before is whole, and Size tells where it ends. A sample that is too
// large (64 MiB) wraps winperf.ErrNotSupported and costs only itself.
func (w *Writer) Write(s *winperf.Sample) error {
	if err := w.usable(); err != nil {
		return err
	}

	// The group that another writer left open ends before this sample, as does one whose index has
	// no room for a further schema. The first sample of a group has all blocks, as the group must be
	// readable without those before.
	endsGroup := w.reopened || len(w.file.group.schemas) >= maxInIndex
	all := w.file.group.samples == 0 || endsGroup
	raw, err := w.rawOf(s, all)
	if err != nil {
		return err
	}
	if len(raw.Bytes) > maxBytes {
		return fmt.Errorf("capture: a sample of %d bytes, expected at most %d: %w",
			len(raw.Bytes), maxBytes, winperf.ErrNotSupported)
	}

	filetime := sampleTime(s)
	if err := w.prepareSchema(s.Schema, timeOf(filetime)); err != nil {
		return err
	}

	w.begin()
	if endsGroup {
		w.endGroup()
	}

	w.define(raw, s.Schema)
	w.setPayload(raw)
	at := w.file.Offset + int64(len(w.buf))
	w.record(kindSample, uint64(filetime), w.payload)
	if err := w.flush(); err != nil {
		return err
	}

	w.keep(s, at, all)
	w.file.samples++
	w.file.group.add(filetime)
	if w.file.group.samples < w.opt.GroupSamples {
		return nil
	}
	w.endGroup()
	return w.flush()
}

// keep notes where the blocks of a sample stand: all of them, or those that are new.
func (w *Writer) keep(s *winperf.Sample, at int64, all bool) {
	for i := range s.Parts {
		b := s.Parts[i].Block
		if _, unchanged := w.last.of(i, b); !unchanged || all {
			w.last.keep(i, b, at)
		}
	}
	w.last.cut(len(s.Parts))
}

// rawOf returns a sample as one piece: the block of its only part, or all of its
// parts together.
func (w *Writer) rawOf(s *winperf.Sample, all bool) (*winperf.Raw, error) {
	if err := s.CheckRaw(); err != nil {
		return nil, err
	}
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil && b.Format == formatParts {
			return nil, fmt.Errorf("capture: a block of format %d: %w", b.Format, winperf.ErrNotSupported)
		}
	}

	if _, unchanged := w.last.of(0, block(s)); !partsOf(s) && !unchanged {
		return &s.Parts[0].Block.Raw, nil
	}
	if w.file.version < 2 {
		const form = "capture: a file of version %d cannot hold samples of several parts; " +
			"begin a new file: %w"
		return nil, fmt.Errorf(form, w.file.version, winperf.ErrNotSupported)
	}

	b, err := appendParts(w.parts[:0], s, w.last, all)
	w.parts = b
	return &winperf.Raw{Format: formatParts, Bytes: b}, err
}

// block is that of a sample's first part.
func block(s *winperf.Sample) *winperf.Block {
	if len(s.Parts) == 0 {
		return nil
	}
	return s.Parts[0].Block
}

// setPayload makes the payload of a sample: its difference from the reference
// or, where that is longer, its bytes.
func (w *Writer) setPayload(raw *winperf.Raw) {
	if w.ref.suits(raw.Bytes) {
		w.payload = appendSampleHead(w.payload[:0], raw, w.schema.id, w.ref.id)
		w.payload = w.delta.append(w.payload, &w.ref, raw.Bytes)
		if len(w.payload) <= sampleHeadSize+len(raw.Bytes) {
			return
		}
	}
	w.payload = appendSampleHead(w.payload[:0], raw, w.schema.id, 0)
	w.payload = append(w.payload, raw.Bytes...)
}

// Close completes the file with its index. It does not close the underlying
// writer. A capture that was not closed can be read all the same.
func (w *Writer) Close() error {
	if err := w.usable(); err != nil || w.closed {
		return w.err
	}
	w.begin()
	if copied := w.copySchema(true); copied || w.file.group.samples > 0 {
		w.endGroup()
	}

	w.last.cut(0)
	w.closed = true
	end := binary.LittleEndian.AppendUint64(nil, uint64(w.file.lastIndex))
	end = binary.LittleEndian.AppendUint64(end, uint64(w.file.samples))
	w.plain(kindEnd, 0, end)
	return w.flush()
}

func (w *Writer) usable() error {
	if w.closed && w.err == nil {
		return fmt.Errorf("capture: write to a closed capture: %w", winperf.ErrState)
	}
	return w.err
}

// begin puts the beginning of the file in front of its first record.
func (w *Writer) begin() {
	if w.file.Offset == 0 && len(w.buf) == 0 {
		w.buf = appendFileHead(w.buf, w.file.id)
		w.file.group.start = fileHeadSize
	}
}

// define puts the schema and the reference of a sample in front of it, where
// they are new.
func (w *Writer) define(raw *winperf.Raw, s *winperf.Schema) {
	if s != w.schema.of {
		w.copySchema(true) // of the one that was in use
		w.setSchema(s)
	}

	if w.schema.id != 0 {
		w.file.group.use(w.schema.id, w.known[w.schema.id])
	}
	if w.file.group.samples > 0 {
		return
	}

	w.ref.set(0, raw.Bytes)
	if len(raw.Bytes) == 0 {
		return
	}
	w.ref.id = identity(raw.Bytes)
	w.refCopy = w.definition(kindReference, w.ref.id, raw.Bytes, w.refCopy.data)
}

// prepareSchema makes the payload of the schema of a sample, where it is not in use yet.
// A reader must be able to take it.
func (w *Writer) prepareSchema(s *winperf.Schema, at time.Time) error {
	w.names = nil
	if s == nil || s == w.schema.of {
		return nil
	}

	if w.opt.Location != nil && w.zone == nil {
		rules := zone.At(w.opt.Location, at)
		w.zone = rules.Append(nil)
	}

	payload := appendSchema(nil, s)
	if w.zone != nil {
		payload = appendSection(payload, tagZone, w.zone)
	}
	if w.opt.System != "" {
		payload = appendSection(payload, tagSystem, []byte(w.opt.System))
	}
	if len(payload) > maxBytes {
		return fmt.Errorf("capture: names of %d bytes, expected at most %d: %w",
			len(payload), maxBytes, winperf.ErrNotSupported)
	}
	if n := sections(s); n > maxSections {
		return fmt.Errorf("capture: names in %d sections, expected at most %d: %w",
			n, maxSections, winperf.ErrNotSupported)
	}
	w.names = payload
	return nil
}

// setSchema makes s the schema of the samples that follow.
func (w *Writer) setSchema(s *winperf.Schema) {
	if s == nil {
		w.schema = schemaState{}
		return
	}

	payload := w.names
	id := identity(payload)
	if id != w.schema.id {
		w.schema = schemaState{id: id}
		if at, known := w.known[id]; known {
			w.schema.copies = 2 // at least one, and no need for more
			w.file.group.use(id, at)
		} else {
			at := w.file.Offset + int64(len(w.buf))
			w.schema.copy = w.definition(kindSchema, id, payload, nil)
			w.known[id] = at
			w.schema.copies = 1
		}
	}
	w.schema.of = s
}

// definition writes a schema or reference and keeps it for its copy.
func (w *Writer) definition(k kind, id uint64, payload, keep []byte) definitionCopy {
	at := len(w.buf)
	h := w.record(k, id, payload)
	return definitionCopy{h, append(keep[:0], w.buf[at+headSize:]...)}
}

// again writes a definition once more.
func (w *Writer) again(c *definitionCopy) {
	h := c.head
	h.number = w.nextNumber()
	w.buf = append(w.buf, make([]byte, headSize)...)
	h.put(w.buf[len(w.buf)-headSize:])
	w.buf = append(w.buf, c.data...)
}

// copySchema writes the schema again where its last record is far away, or, with last,
// where it goes out of use with only one copy. It reports whether it did.
func (w *Writer) copySchema(last bool) bool {
	s := &w.schema
	if s.id == 0 || len(s.copy.data) == 0 {
		return false
	}

	at := w.file.Offset + int64(len(w.buf))
	far := at-w.known[s.id] >= schemaShare*int64(len(s.copy.data))
	if !far && !(last && s.copies == 1) {
		return false
	}

	w.again(&s.copy)
	w.known[s.id] = at
	w.file.group.use(s.id, at)
	s.copies++
	return true
}

// endGroup writes what stands behind the samples of a group.
func (w *Writer) endGroup() {
	if w.refCopy.head.kind != 0 {
		w.again(&w.refCopy)
		w.refCopy = definitionCopy{data: w.refCopy.data[:0]}
	}
	w.copySchema(false)
	at := w.file.Offset + int64(len(w.buf))
	w.plain(kindIndex, 0, w.file.group.append(nil, w.file.lastIndex))
	w.file.lastIndex = at
	w.file.group = group{start: w.file.Offset + int64(len(w.buf)), schemas: w.file.group.schemas[:0]}
	w.reopened = false
}

// record adds a record with a payload that is compressed to what is to be written.
func (w *Writer) record(k kind, key uint64, payload []byte) head {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, headSize)...)
	var compression uint8
	w.buf, compression = w.deflater.append(w.buf, payload)
	return w.seal(k, compression, key, at, len(payload))
}

// plain adds a record with a payload that is not compressed.
func (w *Writer) plain(k kind, key uint64, payload []byte) {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, headSize)...)
	w.buf = append(w.buf, payload...)
	w.seal(k, stored, key, at, len(payload))
}

// seal writes the head of the record that begins at a place of buf.
func (w *Writer) seal(k kind, compression uint8, key uint64, at, size int) head {
	data := w.buf[at+headSize:]
	h := head{
		kind: k, compression: compression, file: w.file.id, stored: uint32(len(data)), size: uint32(size),
		sum: checksum(data), number: w.nextNumber(), key: key,
	}
	h.put(w.buf[at:])
	return h
}

func (w *Writer) nextNumber() uint64 {
	w.file.number++
	return w.file.number - 1
}

// flush hands on what is to be written.
func (w *Writer) flush() error {
	if w.err != nil {
		return w.err
	}
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}

	if err != nil {
		w.err = err
		return err
	}

	w.file.Offset += int64(n)
	w.buf = w.buf[:0]
	return nil
}
