package pdhblock

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/pdhlog"
	"github.com/winperf/winperf/perfdata"
)

// joiner puts the blocks of one sample, one for each object, together to one
// block. The objects are taken over byte for byte.
type joiner struct {
	parts []part
}

// part is one object of a stored block.
type part struct {
	name   string // of the object in the list, "" where it is not known
	block  []byte // the whole block
	object []byte
	clocks counter.Clocks
	parent uint32 // title index of the object that its instances have their parents in
}

// collect finds the objects of the blocks in a sample.
func (j *joiner) collect(b *Builder, values []pdhlog.BLGValue) {
	j.parts = j.parts[:0]
	for _, i := range b.blocks {
		j.add(&values[i], b.bad)
	}
	if !b.orphans {
		return
	}
	for i := range values {
		if v := &values[i]; v.Counter == nil {
			j.add(v, b.bad)
		}
	}
}

// add finds the objects of one block. One that is not whole ends it.
func (j *joiner) add(v *pdhlog.BLGValue, bad func(text string)) {
	if len(v.Block) < blockSize {
		return
	}
	p := part{block: v.Block, clocks: headClocks(v.Block)}
	if v.Counter != nil {
		p.name = v.Counter.Path.Object
	}
	le := binary.LittleEndian
	at, end := uint64(le.Uint32(v.Block[atHeaderLength:])), min(uint64(len(v.Block)), uint64(le.Uint32(v.Block[atTotal:])))
	if at < blockSize || at > end {
		bad(fmt.Sprintf("the block of %s: a head of %d bytes in %d; it is left out", p.name, at, end))
		return
	}
	objects := le.Uint32(v.Block[atNumObjects:])
	for n := range objects {
		var length uint64
		if end-at >= objectSize {
			length = uint64(le.Uint32(v.Block[at:]))
		}
		if length < objectSize || length > end-at {
			bad(fmt.Sprintf("the block of %s: object %d of %d at %d has %d bytes in %d; it is left out", p.name, n+1, objects, at, length, end-at))
			return
		}
		p.object = v.Block[at : at+length]
		p.parent = parentOf(p.object)
		j.parts = append(j.parts, p)
		at += length
	}
}

// parentOf returns the title index of the object that the first instance has
// its parent in, 0 for none.
func parentOf(object []byte) uint32 {
	const atDefinitions, atInstances, atParent = 4, 40, 4
	le := binary.LittleEndian
	at := le.Uint32(object[atDefinitions:])
	if int32(le.Uint32(object[atInstances:])) <= 0 || uint64(at)+atParent+4 > uint64(len(object)) {
		return 0
	}
	return le.Uint32(object[at+atParent:])
}

// append appends all objects that are wanted, and returns how many. One that was
// not taken at the time of the head carries its own.
func (j *joiner) append(dst []byte, b *Builder, head counter.Clocks) (_ []byte, count int) {
	for i := range j.parts {
		p := &j.parts[i]
		if !j.wanted(p, b) {
			continue
		}
		count++
		if p.clocks != head {
			dst = perfdata.AppendObject(dst, p.object, p.clocks)
			continue
		}
		dst = append(dst, p.object...)
	}
	return dst, count
}

// wanted tells whether an object is wanted, or another one that is has its
// parents in it.
func (j *joiner) wanted(p *part, b *Builder) bool {
	if b.wanted == nil || p.name == "" || b.wanted(p.name, p.title()) {
		return true
	}
	for i := range j.parts {
		q := &j.parts[i]
		if q.parent != 0 && q.parent == p.title() && (q.name == "" || b.wanted(q.name, q.title())) {
			return true
		}
	}
	return false
}

func (p *part) title() uint32 { return binary.LittleEndian.Uint32(p.object[atObjectTitle:]) }

// machine is the name of the machine in the head of the block, "" where it has
// none.
func (p *part) machine() string {
	le := binary.LittleEndian
	at, n := uint64(le.Uint32(p.block[atNameOffset:])), uint64(le.Uint32(p.block[atNameLength:]))
	if at < blockSize || at+n > uint64(len(p.block)) {
		return ""
	}
	return wire.Text(p.block[at:at+n], wire.UTF16LE)
}

// headClocks are the clocks in the head of a block.
func headClocks(b []byte) counter.Clocks {
	le := binary.LittleEndian
	return counter.Clocks{
		PerfTime:  int64(le.Uint64(b[atPerfTime:])),
		PerfFreq:  int64(le.Uint64(b[atPerfTime+8:])),
		Time100ns: int64(le.Uint64(b[atPerfTime+16:])),
	}
}
