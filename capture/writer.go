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
	// GroupSamples is the number of samples that share a reference and an index record; 0
	// means 128. Smaller groups make seeking faster and the file larger.
	GroupSamples int
	// ID is the file id; 0 means a random one.
	ID uint32
	// Location is the time zone of the samples' machine; nil is unknown. It is stored in
	// the schemas: a file of samples without a schema lacks it.
	Location *time.Location
	// System is the writer of the samples, as in winperf.LogInfo; "" is unknown. It is
	// stored like Location.
	System string
	// Tail is the end of an existing file to append to; nil begins a new one. ID is then
	// ignored.
	Tail *Tail
}

// Writer appends samples to a capture. It must be used by one goroutine.
//
// Every sample reaches the underlying writer in one call, before Write returns. The Writer
// does not sync files. If samples must survive a power failure, the caller must sync them.
type Writer struct {
	w      io.Writer
	opt    Options
	err    error // the first error of w; nothing is written after it
	closed bool

	file     Tail             // current state, without its schemas
	reopened bool             // another writer began the current group
	known    map[uint64]int64 // offset of the latest record of each schema id

	buf      []byte
	payload  []byte
	deflater deflater
	delta    delta
	ref      reference
	refCopy  definitionCopy
	last     lasting
	parts    []byte // of a sample with several parts
	schema   schemaState
	names    []byte // the payload of a new schema
	zone     []byte // nil if unknown, or before the first sample
}

// definitionCopy is a definition as stored in the file, to be written again.
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

// schemaShare is the least number of other bytes for each byte of a schema's copies.
const schemaShare = 16

// NewWriter returns a Writer that appends to w. w must be at the beginning of an empty file
// or at the offset of the Tail.
func NewWriter(w io.Writer, opt Options) *Writer {
	if opt.GroupSamples <= 0 {
		opt.GroupSamples = groupSamples
	}

	wr := &Writer{w: w, opt: opt, known: map[uint64]int64{}}
	wr.file = Tail{id: cmp.Or(opt.ID, rand.Uint32()), version: version}

	// A file without a complete file head is begun again.
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

// Size returns the length of the file in bytes up to the end of the last complete record.
// After an error, the file can be truncated there.
func (w *Writer) Size() int64 { return w.file.Offset }

// Write appends a sample. A block that is unchanged since the previous sample of the group
// is not stored again. After an error of the underlying writer, all calls return it;
// earlier samples are complete up to Size. A sample that is too large (64 MiB) is not
// written; the error wraps winperf.ErrNotSupported, and the next sample can be written.
func (w *Writer) Write(s *winperf.Sample) error {
	if err := w.usable(); err != nil {
		return err
	}

	// A group begun by another writer ends before this sample, as does one whose index
	// cannot hold another schema. The first sample of a group stores all blocks, because
	// each group must be readable alone.
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

// keep registers the offsets of the blocks of a sample: all, or the new ones.
func (w *Writer) keep(s *winperf.Sample, at int64, all bool) {
	for i := range s.Parts {
		b := s.Parts[i].Block
		if _, unchanged := w.last.of(i, b); !unchanged || all {
			w.last.keep(i, b, at)
		}
	}
	w.last.cut(len(s.Parts))
}

// rawOf returns a sample as one sequence of bytes: the block of its only part, or all
// parts.
func (w *Writer) rawOf(s *winperf.Sample, all bool) (*winperf.Raw, error) {
	if err := s.CheckRaw(); err != nil {
		return nil, err
	}
	for i := range s.Parts {
		if b := s.Parts[i].Block; b != nil && b.Format == formatParts {
			return nil, fmt.Errorf("capture: a block of format %d: %w", b.Format, winperf.ErrNotSupported)
		}
	}

	if _, unchanged := w.last.of(0, block(s)); !needsParts(s) && !unchanged {
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

func block(s *winperf.Sample) *winperf.Block {
	if len(s.Parts) == 0 {
		return nil
	}
	return s.Parts[0].Block
}

// setPayload encodes a sample as its difference from the reference or, if that is longer,
// as its bytes.
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

// Close completes the file with its index. It does not close the underlying writer. A
// capture that is not closed is readable, too.
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

// begin writes the file head before the first record.
func (w *Writer) begin() {
	if w.file.Offset == 0 && len(w.buf) == 0 {
		w.buf = appendFileHead(w.buf, w.file.id)
		w.file.group.start = fileHeadSize
	}
}

// define writes the schema and the reference of a sample if they are new.
func (w *Writer) define(raw *winperf.Raw, s *winperf.Schema) {
	if s != w.schema.of {
		w.copySchema(true) // the previous schema
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

// prepareSchema encodes the schema of a sample if it is new, and checks the limits of
// readers.
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

// setSchema makes s the schema of the following samples.
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
			w.schema.copies = 2 // has a copy, needs no more
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

func (w *Writer) again(c *definitionCopy) {
	h := c.head
	h.number = w.nextNumber()
	w.buf = append(w.buf, make([]byte, headSize)...)
	h.put(w.buf[len(w.buf)-headSize:])
	w.buf = append(w.buf, c.data...)
}

// copySchema writes the schema again if its last record is far away, or, with last, if it
// has only one copy. It reports whether it did.
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

// endGroup writes the records behind the samples of a group.
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

func (w *Writer) record(k kind, key uint64, payload []byte) head {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, headSize)...)
	var compression uint8
	w.buf, compression = w.deflater.append(w.buf, payload)
	return w.seal(k, compression, key, at, len(payload))
}

func (w *Writer) plain(k kind, key uint64, payload []byte) {
	at := len(w.buf)
	w.buf = append(w.buf, make([]byte, headSize)...)
	w.buf = append(w.buf, payload...)
	w.seal(k, stored, key, at, len(payload))
}

// seal writes the head of the record that begins at a place of the buffer.
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

// flush writes the buffer.
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
