package perfdata

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Encode returns the block as bytes. See [Block.AppendTo].
func (b *Block) Encode() ([]byte, error) { return b.AppendTo(nil) }

// AppendTo appends the encoded block to dst. An error wraps
// winperf.ErrBadData: the block is longer than 32 bits can say, an override is outside
// its structure, or an object does not have the instances that its form
// demands.
func (b *Block) AppendTo(dst []byte) ([]byte, error) {
	e := encoder{b: dst, start: len(dst)}
	start := e.begin()
	e.head(b)
	header := len(e.b)
	for i := range b.Objects {
		e.object(&b.Objects[i], i)
	}

	e.bytes(b.Tail)
	e.length(start, atTotal)
	e.override(start, header, b.Overrides)
	if n := len(e.b) - start; uint64(n) > math.MaxUint32 {
		e.fail("%w: block of %d bytes, want at most %d", errLength, n, uint32(math.MaxUint32))
	}

	if e.err != nil {
		return dst, e.err
	}
	return e.b, nil
}

// AppendTo appends the encoded object to dst, as [Block.AppendTo] does with all of
// a block.
func (o *Object) AppendTo(dst []byte) ([]byte, error) {
	e := encoder{b: dst, start: len(dst)}
	e.object(o, 0)
	if n := len(e.b) - e.start; uint64(n) > math.MaxUint32 {
		e.fail("%w: object of %d bytes, want at most %d", errLength, n, uint32(math.MaxUint32))
	}
	if e.err != nil {
		return dst, e.err
	}
	return e.b, nil
}

// encoder appends structures and keeps the first error.
type encoder struct {
	b     []byte
	start int // of the block in b
	err   error
}

func (e *encoder) begin() int     { return len(e.b) }
func (e *encoder) bytes(b []byte) { e.b = append(e.b, b...) }

func (e *encoder) u32(values ...uint32) {
	for _, v := range values {
		e.b = binary.LittleEndian.AppendUint32(e.b, v)
	}
}

func (e *encoder) u64(values ...uint64) {
	for _, v := range values {
		e.b = binary.LittleEndian.AppendUint64(e.b, v)
	}
}

// length sets a field of the structure at start to the length from there on.
func (e *encoder) length(start, field int) {
	binary.LittleEndian.PutUint32(e.b[start+field:], uint32(len(e.b)-start))
}

// override applies overrides to the structure from start to end.
func (e *encoder) override(start, end int, overrides []Override) {
	for _, o := range overrides {
		if int64(o.Offset)+4 > int64(end-start) {
			e.fail("%w: override at %d of a structure of %d bytes at byte %d", errLength, o.Offset, end-start,
				start-e.start)
			return
		}
		binary.LittleEndian.PutUint32(e.b[start+int(o.Offset):], o.Value)
	}
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("perfdata: "+format, args...)
	}
}

// head appends a PERF_DATA_BLOCK whose length is still 0.
func (e *encoder) head(b *Block) {
	e.u64(signature)
	e.u32(1, version, revision, 0, uint32(headerSize+len(b.Name.Bytes)), uint32(len(b.Objects)),
		uint32(b.DefaultObject))
	for _, v := range b.SystemTime {
		e.b = binary.LittleEndian.AppendUint16(e.b, v)
	}
	e.u32(0) // padding
	e.u64(uint64(b.PerfTime), uint64(b.PerfFreq), uint64(b.Time100ns))
	e.u32(b.Name.Length, b.Name.Offset)
	e.bytes(b.Name.Bytes)
}

func (e *encoder) object(o *Object, pos int) {
	if o.Raw != nil {
		e.bytes(o.Raw)
		return
	}

	count, instances := int32(o.Form), len(o.Instances)
	switch {
	case o.Form == Multiple:
		count = int32(instances)
	case o.Form == Single && instances != 1, o.Form == MetadataSingle && instances > 1,
		o.Form == MetadataMultiple && instances > 0, o.Form < MetadataSingle, o.Form > 0:
		e.fail("%w: object %d (title %d) has form %d and %d instances", errCount, pos, o.Title,
			o.Form, instances)
	}

	start := e.begin()
	e.u32(0, 0, 0, o.Title, 0, o.Help, 0, o.Detail, uint32(len(o.Counters)), uint32(o.DefaultCounter),
		uint32(count), o.CodePage)
	e.u64(uint64(o.Time), uint64(o.Freq))
	if o.Missing != 0 {
		e.u32(missingMark, o.Missing)
	}

	e.bytes(o.Extra)
	header := len(e.b)
	e.length(start, atObjHeader)
	for i := range o.Counters {
		e.counter(&o.Counters[i])
	}

	e.bytes(o.Gap)
	e.length(start, atObjDefinition)
	for i := range o.Instances {
		e.instance(&o.Instances[i], o.Form == Multiple)
	}

	e.bytes(o.Tail)
	e.length(start, atObjTotal)
	e.override(start, header, o.Overrides)
}

func (e *encoder) counter(c *Counter) {
	start := e.begin()
	e.u32(0, c.Title, 0, c.Help, 0, uint32(c.Scale), c.Detail, uint32(c.Type), c.Size, c.Offset)
	e.bytes(c.Extra)
	e.length(start, atCtrLength)
	e.override(start, len(e.b), c.Overrides)
}

func (e *encoder) instance(in *Instance, named bool) {
	start := e.begin()
	if named {
		e.u32(0, in.ParentObject, in.ParentInstance, uint32(in.UniqueID), in.Name.Offset, in.Name.Length)
		e.bytes(in.Name.Bytes)
		e.length(start, atInstLength)
	}
	block := e.begin()
	e.u32(0)
	e.bytes(in.Data)
	e.length(block, 0)
	e.override(start, len(e.b), in.Overrides)
}
