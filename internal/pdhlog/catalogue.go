package pdhlog

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/winperf/winperf/frame"
)

// The catalogue is the summary at the end of a log of whole objects: the times of the first
// and last sample, the number of samples, and each object's counters and instances of all
// samples.
const (
	catalogueHead    = 32
	catalogueVersion = 0x5FF
	atSamples        = 16
)

// maxCatalogue limits the instances of a catalogue. A log with more instances has no
// catalogue.
const maxCatalogue = 1 << 16

// catalogue collects the content of a log's catalogue.
type catalogue struct {
	first, last int64 // local times as FILETIME
	samples     int
	objects     []catalogueObject // by entry of the counter list
	count       int               // of instances
	full        bool
}

// catalogueObject is one object, in the form of the record.
type catalogueObject struct {
	counters  []frame.Counter
	timeBases []int64
	single    bool
	known     map[string]bool // its instances
	places    []byte          // of each instance, with the offsets of its names
	names     []byte
	seen      *frame.Labels
}

func (c *catalogue) note(p *contents, f frame.Frame, local int64) {
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

func (o *catalogueObject) begin(of frame.Object) {
	o.known, o.single = map[string]bool{}, of.Single()
	for k := range of.NumCounters() {
		d := of.Counter(k)
		o.counters = append(o.counters, d)
		o.timeBases = append(o.timeBases, timeBase(of, &d))
	}
}

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
