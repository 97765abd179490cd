package perftest

import (
	"encoding/binary"
	"unicode/utf16"
)

var le = binary.LittleEndian

// object is one object of a block.
type object struct {
	title     uint32
	counters  []definition
	instances []*instance
	single    bool // a single block without a name
}

// instance is one instance of an object.
type instance struct {
	id       uint64 // identity: equal in two samples only for the same instance
	name     string
	parent   uint32 // title index of the parent object, 0 = none
	position uint32 // of the parent instance
	pid, tid uint32
	threads  int
	start    int64 // FILETIME
	encoded  []byte
}

// writeBlock appends a block.
func writeBlock(b []byte, m moment, objects []*object) []byte {
	start := len(b)
	machine := utf16Name("REFERENCE")
	b = append(b, 'P', 0, 'E', 0, 'R', 0, 'F', 0)
	header := uint32(pad8(88 + len(machine)))
	for _, v := range []uint32{1, 1, 1, 0, header, uint32(len(objects)), 230} {
		b = le.AppendUint32(b, v)
	}

	for _, v := range []uint16{2024, 1, 1, 1, 0, 0, uint16(m.step / 60 % 60), uint16(m.step % 60)} {
		b = le.AppendUint16(b, v)
	}
	b = le.AppendUint32(b, 0)                                      // padding
	for _, v := range []int64{m.time - bootTime, second, m.time} { // a performance counter of 10 MHz
		b = le.AppendUint64(b, uint64(v))
	}

	b = le.AppendUint32(b, uint32(len(machine)))
	b = le.AppendUint32(b, 88)
	b = padded(append(b, machine...))
	for _, o := range objects {
		b = o.write(b, m)
	}
	le.PutUint32(b[start+20:], uint32(len(b)-start))
	return b
}

// write appends an object.
func (o *object) write(b []byte, m moment) []byte {
	start := len(b)
	count := int32(len(o.instances))
	if o.single {
		count = -1
	}

	defLength := uint32(64 + 40*len(o.counters))
	for _, v := range []uint32{
		0, defLength, 64, o.title, 0, o.title + 1, 0, 100, uint32(len(o.counters)), 0, uint32(count), 0,
	} {
		b = le.AppendUint32(b, v)
	}

	b = le.AppendUint64(b, uint64(m.time))
	b = le.AppendUint64(b, uint64(second))
	offsets, length := o.layout()
	for i, c := range o.counters {
		for _, v := range []uint32{
			40, c.title, 0, c.title + 1, 0, 0, 100, uint32(c.typ), c.size, offsets[i],
		} {
			b = le.AppendUint32(b, v)
		}
	}

	for _, in := range o.instances {
		if !o.single {
			b = in.write(b)
		}
		b = o.writeValues(b, m, in, offsets, length)
	}
	le.PutUint32(b[start:], uint32(len(b)-start))
	return b
}

// layout returns the positions of the values in a counter block, and its length.
func (o *object) layout() (offsets []uint32, length int) {
	next := uint32(4)
	for _, c := range o.counters {
		next = (next + c.size - 1) / c.size * c.size
		offsets = append(offsets, next)
		next += c.size
	}
	return offsets, pad8(int(next))
}

// write appends a PERF_INSTANCE_DEFINITION and its name.
func (in *instance) write(b []byte) []byte {
	if in.encoded == nil {
		in.encoded = utf16Name(in.name)
	}

	const (
		head       = 24         // bytes before the name
		noUniqueID = 0xFFFFFFFF // PERF_NO_UNIQUE_ID
	)
	length, nameLength := uint32(pad8(head+len(in.encoded))), uint32(len(in.encoded))
	for _, v := range []uint32{length, in.parent, in.position, noUniqueID, head, nameLength} {
		b = le.AppendUint32(b, v)
	}
	return padded(append(b, in.encoded...))
}

// writeValues appends a counter block.
func (o *object) writeValues(b []byte, m moment, in *instance, offsets []uint32, length int) []byte {
	start := len(b)
	b = append(b, make([]byte, length)...)
	block := b[start:]
	le.PutUint32(block, uint32(length))

	for i, c := range o.counters {
		v := c.model(m, in, hash(in.id, uint64(c.title)))
		if c.size == 4 {
			le.PutUint32(block[offsets[i]:], uint32(v))
		} else {
			le.PutUint64(block[offsets[i]:], v)
		}
	}
	return b
}

func pad8(n int) int { return (n + 7) &^ 7 }

// padded extends b to a multiple of 8, the alignment of blocks.
func padded(b []byte) []byte { return append(b, make([]byte, pad8(len(b))-len(b))...) }

func utf16Name(s string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s + "\x00")) {
		b = le.AppendUint16(b, u)
	}
	return b
}
