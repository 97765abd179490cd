package pdhlog

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// BLGCatalogue is the summary at the end of a log of whole objects. A log without
// an orderly end has none, nor has one of single counters.
type BLGCatalogue struct {
	First, Last int64 // local times of the first and the last sample, as FILETIME
	Samples     int
	Objects     []BLGCatalogueObject // one for each entry of the counter list
}

// BLGCatalogueObject tells what the log has of one object.
type BLGCatalogueObject struct {
	Counters []BLGCatalogueCounter
	// Instances are all that any sample has; nil for an object without
	// instances.
	Instances []BLGCatalogueInstance
}

// BLGCatalogueCounter is one counter of an object.
type BLGCatalogueCounter struct {
	Title    uint32 // title index
	Type     counter.Type
	TimeBase int64
	Scale    int32
}

// BLGCatalogueInstance is one instance of an object.
type BLGCatalogueInstance struct {
	Name   string
	Parent string // "" for none
	Index  int    // which of several of the same name
}

const (
	blgCatalogueHead    = 32
	blgCatalogueVersion = 0x5FF
	blgCataloguePlace   = 16 // of an instance in its table
)

// parseCatalogue reads a catalogue; the error says what is wrong with it.
func parseCatalogue(b []byte) (*BLGCatalogue, error) {
	le := binary.LittleEndian
	if len(b) < blgCatalogueHead {
		return nil, fmt.Errorf("a catalogue of %d bytes, expected %d at least", len(b), blgCatalogueHead)
	}

	c := &BLGCatalogue{First: int64(le.Uint64(b)), Last: int64(le.Uint64(b[8:])), Samples: int(le.Uint32(b[16:]) & (1<<31 - 1))}
	objects := int(le.Uint32(b[20:]) & (1<<31 - 1))
	at := blgCatalogueHead
	for range objects {
		if len(b)-at < blgRecordHead || !isRecordHead(b, at) {
			return nil, fmt.Errorf("no record of object %d of %d at %d of a catalogue of %d bytes", len(c.Objects)+1, objects, at, len(b))
		}
		length := int64(le.Uint32(b[at+4:]))
		if length < blgRecordHead+8 || length > int64(len(b)-at) {
			return nil, fmt.Errorf("a record of %d bytes at %d of a catalogue of %d bytes", length, at, len(b))
		}

		var o BLGCatalogueObject
		if !o.parse(b[at:][:length]) {
			return nil, fmt.Errorf("object %d of a catalogue has more counters or instances than its %d bytes can hold, or a name outside of them", len(c.Objects)+1, length)
		}
		c.Objects = append(c.Objects, o)
		at += int(length)
	}
	return c, nil
}

// parse reads the record of one object and reports whether it is sound.
func (o *BLGCatalogueObject) parse(b []byte) bool {
	le := binary.LittleEndian
	instances := int64(int32(le.Uint32(b[8:])))
	n := int64(le.Uint32(b[12:]))
	const perCounter = 4 + 4 + 8 + 4
	if n > int64(len(b)-16)/perCounter {
		return false
	}

	k := int(n)
	titles, types := b[16:], b[16+4*k:]
	bases := align8(16 + 8*k)
	table := align8(bases + 12*k)
	if table > len(b) {
		return false
	}

	o.Counters = make([]BLGCatalogueCounter, k)
	for i := range o.Counters {
		o.Counters[i] = BLGCatalogueCounter{
			Title:    le.Uint32(titles[4*i:]),
			Type:     counter.Type(le.Uint32(types[4*i:])),
			TimeBase: int64(le.Uint64(b[bases+8*i:])),
			Scale:    int32(le.Uint32(b[bases+8*k+4*i:])),
		}
	}

	if instances < 0 {
		return true
	}
	if instances > int64(len(b)-table)/blgCataloguePlace {
		return false
	}
	return o.parseInstances(b[table:], int(instances))
}

func (o *BLGCatalogueObject) parseInstances(b []byte, n int) bool {
	le := binary.LittleEndian
	names := newBLGNames(b[blgCataloguePlace*n:])
	text := func(at int64) (string, bool) {
		raw, ok := names.at(at)
		return wire.Text(raw, wire.UTF16LE), ok
	}
	o.Instances = make([]BLGCatalogueInstance, n)

	for i := range o.Instances {
		place := b[blgCataloguePlace*i:]
		in := &o.Instances[i]
		ok := false
		if in.Name, ok = text(int64(le.Uint32(place))); !ok {
			return false
		}

		in.Index = int(int32(le.Uint32(place[4:])))
		if parent := int64(int32(le.Uint32(place[8:]))); parent >= 0 {
			if in.Parent, ok = text(parent); !ok {
				return false
			}
		}
	}
	return true
}

// append appends the catalogue as a record.
func (c *BLGCatalogue) append(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = le.AppendUint64(b, uint64(c.First))
	b = le.AppendUint64(b, uint64(c.Last))
	for _, v := range [...]int{c.Samples, len(c.Objects), 0, blgCatalogueVersion} {
		b = le.AppendUint32(b, uint32(v))
	}

	for i := range c.Objects {
		b = c.Objects[i].append(b)
	}
	le.PutUint32(b[start+24:], uint32(len(b)-start))
	return b
}

func (o *BLGCatalogueObject) append(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = appendRecordHead(b, BLGObject)
	instances := int32(-1)
	if o.Instances != nil {
		instances = int32(len(o.Instances))
	}

	b = le.AppendUint32(b, uint32(instances))
	b = le.AppendUint32(b, uint32(len(o.Counters)))
	for _, c := range o.Counters {
		b = le.AppendUint32(b, c.Title)
	}

	for _, c := range o.Counters {
		b = le.AppendUint32(b, uint32(c.Type))
	}
	b = pad8(b, start)
	for _, c := range o.Counters {
		b = le.AppendUint64(b, uint64(c.TimeBase))
	}

	for _, c := range o.Counters {
		b = le.AppendUint32(b, uint32(c.Scale))
	}
	b = pad8(b, start)
	b = o.appendInstances(b)
	return endRecord(b, start)
}

func (o *BLGCatalogueObject) appendInstances(b []byte) []byte {
	le := binary.LittleEndian
	var names []byte
	name := func(s string) uint32 {
		at := len(names)
		names = appendUTF16Z(names, s)
		return uint32(at)
	}

	for _, in := range o.Instances {
		b = le.AppendUint32(b, name(in.Name))
		b = le.AppendUint32(b, uint32(in.Index))
		parent := uint32(1<<32 - 1)
		if in.Parent != "" {
			parent = name(in.Parent)
		}
		b = le.AppendUint32(b, parent)
		b = le.AppendUint32(b, 1<<32-1)
	}
	return append(b, names...)
}
