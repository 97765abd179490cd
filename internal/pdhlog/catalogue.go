package pdhlog

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/winperf/winperf/frame"
)

// The catalogue is the summary at the end of a log of whole objects: when the first and the
// last sample were taken, how many there are, and of each object the counters and all
// instances that any sample has.
const (
	catalogueHead    = 32
	catalogueVersion = 0x5FF
	atSamples        = 16
)

// maxCatalogue bounds how many instances a catalogue lists; a log with more has none.
const maxCatalogue = 1 << 16

// catalogue collects what the catalogue of a log tells.
type catalogue struct {
	first, last int64 // local times as FILETIME
	samples     int
	objects     []catalogueObject // by entry of the counter list
	count       int               // of instances
	full        bool
}

// catalogueObject is one object, in the form in which it stands in the record.
type catalogueObject struct {
	counters  []frame.Counter
	timeBases []int64
	single    bool
	known     map[string]bool // its instances
	places    []byte          // of each instance, with the offsets of its names
	names     []byte
	seen      *frame.Labels
}

// note collects what a frame has.
func (c *catalogue) note(p *plan, f frame.Frame, local int64) {
	c.samples++
	c.last = local
	for len(c.objects) < len(p.entries) {
		c.objects = append(c.objects, catalogueObject{single: true})
	}

	for i := range p.entries {
		to := &c.objects[i]
		o, found := p.entries[i].find(f)
		if !found || c.full || to.seen == o.Labels() {
			continue
		}

		to.seen = o.Labels()
		if to.known == nil {
			to.begin(o)
		}
		if !to.single {
			c.instances(to, o)
		}
	}
}

// begin notes what an object has when it is there first.
func (o *catalogueObject) begin(of frame.Object) {
	o.known, o.single = map[string]bool{}, of.Single()
	for k := range of.NumCounters() {
		d := of.Counter(k)
		o.counters = append(o.counters, d)
		o.timeBases = append(o.timeBases, timeBase(of, &d))
	}
}

// instances notes the instances of an object that are new.
func (c *catalogue) instances(to *catalogueObject, o frame.Object) {
	le := binary.LittleEndian
	for in := range o.Instances() {
		key := strings.ToLower(in.Full()) + "#" + strconv.Itoa(in.Occurrence())
		if to.known[key] {
			continue
		}
		if c.count++; c.count > maxCatalogue {
			c.full = true
			return
		}

		to.known[key] = true
		to.places = le.AppendUint32(to.places, to.name(in.Name()))
		to.places = le.AppendUint32(to.places, uint32(in.Occurrence()))
		parent := uint32(1<<32 - 1)
		if p, ok := in.Parent(); ok && p.Name() != "" {
			parent = to.name(p.Name())
		}
		to.places = le.AppendUint32(to.places, parent)
		to.places = le.AppendUint32(to.places, 1<<32-1)
	}
}

// name adds a name and returns its offset.
func (o *catalogueObject) name(s string) uint32 {
	at := len(o.names)
	o.names = appendUTF16Z(o.names, s)
	return uint32(at)
}

// append appends the catalogue as a record.
func (c *catalogue) append(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = le.AppendUint64(b, uint64(c.first))
	b = le.AppendUint64(b, uint64(c.last))
	for _, v := range [...]int{c.samples, len(c.objects), 0, catalogueVersion} {
		b = le.AppendUint32(b, uint32(v))
	}

	for i := range c.objects {
		b = c.objects[i].append(b)
	}
	le.PutUint32(b[start+24:], uint32(len(b)-start))
	return b
}

// append appends the record of one object: a table for each column of its counters, then
// the instances.
func (o *catalogueObject) append(b []byte) []byte {
	le := binary.LittleEndian
	start := len(b)
	b = appendRecordHead(b, Object)
	instances := uint32(1<<32 - 1)
	if !o.single {
		instances = uint32(len(o.known))
	}

	b = le.AppendUint32(b, instances)
	b = le.AppendUint32(b, uint32(len(o.counters)))
	for _, c := range o.counters {
		b = le.AppendUint32(b, c.ID.Index)
	}
	for _, c := range o.counters {
		b = le.AppendUint32(b, uint32(c.Type))
	}

	b = pad8(b, start)
	for _, v := range o.timeBases {
		b = le.AppendUint64(b, uint64(v))
	}
	for _, c := range o.counters {
		b = le.AppendUint32(b, uint32(c.Scale))
	}
	b = pad8(b, start)
	return endRecord(append(append(b, o.places...), o.names...), start)
}
