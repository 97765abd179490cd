package perfdata

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
)

// Encode returns the block as bytes. See [Block.AppendTo].
func (b *Block) Encode() ([]byte, error) { return b.AppendTo(nil) }

// AppendTo appends the encoded block to dst. An error wraps winperf.ErrBadData: the block
// exceeds 32 bits of length, or the number of an object's instances does not suit its form.
func (b *Block) AppendTo(dst []byte) ([]byte, error) {
	e := encoder{b: dst, start: len(dst)}
	e.head(b)
	header := len(e.b)
	for i := range b.Objects {
		e.object(&b.Objects[i], i)
	}

	e.bytes(b.tail)
	e.length(e.start, datablock.AtTotal)
	e.apply(e.start, header, b.overrides)
	return e.finish("block", dst)
}

// AppendTo appends the encoded object to dst. See [Block.AppendTo].
func (o *Object) AppendTo(dst []byte) ([]byte, error) {
	e := encoder{b: dst, start: len(dst)}
	e.object(o, 0)
	return e.finish("object", dst)
}

type encoder struct {
	b     []byte
	start int // of the encoded block or object in b
	err   error
}

// finish returns dst with the encoded bytes, or dst alone and the first error.
func (e *encoder) finish(what string, dst []byte) ([]byte, error) {
	if n := len(e.b) - e.start; uint64(n) > math.MaxUint32 {
		e.fail("%w: %s of %d bytes, expected at most %d", datablock.ErrLength, what, n, uint32(math.MaxUint32))
	}
	if e.err != nil {
		return dst, e.err
	}
	return e.b, nil
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

// length sets a field of the structure at start to the length of the bytes from start on.
func (e *encoder) length(start, field int) {
	binary.LittleEndian.PutUint32(e.b[start+field:], uint32(len(e.b)-start))
}

func (e *encoder) apply(start, end int, overrides []override) {
	for _, o := range overrides {
		if int64(o.Offset)+4 > int64(end-start) {
			e.fail("%w: override at %d of a structure of %d bytes at byte %d",
				datablock.ErrLength, o.Offset, end-start, start-e.start)
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

// head appends a PERF_DATA_BLOCK with length 0.
func (e *encoder) head(b *Block) {
	f := datablock.HeadFields{
		HeaderLength: uint32(datablock.HeadLen + len(b.name.Bytes)), NumObjects: uint32(len(b.Objects)),
		DefaultObject: b.DefaultObject, SystemTime: b.SystemTime,
		Clocks:     counter.Clocks{PerfTime: b.PerfTime, PerfFreq: b.PerfFreq, Time100ns: b.Time100ns},
		NameOffset: b.name.Offset, NameLength: b.name.Length,
	}
	e.b = f.Append(e.b)
	e.bytes(b.name.Bytes)
}

// object appends an object; pos is its position in the block, for errors. Objects, counters
// and instances begin with zeros: lengths are set later; pointers to names stay 0.
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
		e.fail("%w: object %d (title %d) has form %d and %d instances", datablock.ErrCount, pos, o.Title,
			o.Form, instances)
	}

	start := e.begin()
	e.u32(0, 0, 0, o.Title, 0, o.Help, 0, o.Detail, uint32(len(o.Counters)), uint32(o.DefaultCounter),
		uint32(count), o.CodePage)
	e.u64(uint64(o.Time), uint64(o.Freq))
	if o.Missing != 0 {
		e.u32(datablock.MissingMark, o.Missing)
	}

	e.bytes(o.Extra)
	header := len(e.b)
	e.length(start, datablock.AtObjHeader)
	for i := range o.Counters {
		e.counter(&o.Counters[i])
	}

	e.bytes(o.gap)
	e.length(start, datablock.AtObjDefinition)
	for i := range o.Instances {
		e.instance(&o.Instances[i], o.Form == Multiple)
	}

	e.bytes(o.tail)
	e.length(start, datablock.AtObjTotal)
	e.apply(start, header, o.overrides)
}

func (e *encoder) counter(c *Counter) {
	start := e.begin()
	e.u32(0, c.Title, 0, c.Help, 0, uint32(c.Scale), c.Detail, uint32(c.Type), c.Size, c.Offset)
	e.bytes(c.extra)
	e.length(start, datablock.AtCtrLength)
	e.apply(start, len(e.b), c.overrides)
}

func (e *encoder) instance(in *Instance, named bool) {
	start := e.begin()
	if named {
		e.u32(0, in.ParentObject, in.ParentInstance, uint32(in.UniqueID), in.name.Offset, in.name.Length)
		e.bytes(in.name.Bytes)
		e.length(start, datablock.AtInstLength)
	}
	block := e.begin()
	e.u32(0)
	e.bytes(in.Data)
	e.length(block, 0)
	e.apply(start, len(e.b), in.overrides)
}
