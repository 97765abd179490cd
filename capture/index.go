package capture

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	indexSize    = 40 // of the payload without its schemas
	indexedSize  = 16
	endSize      = 16
	endRecord    = headSize + endSize
	maxInIndex   = 64 // schemas of one group; more end the group
	maxIndexed   = 2 * maxInIndex
	groupSamples = 128
)

// group describes consecutive samples of the file, as an index stores it.
type group struct {
	start    int64 // offset of its first record
	samples  int
	min, max int64 // FILETIME, 0 for unknown
	schemas  []definition
}

// definition is the place of the latest record of a schema or reference.
type definition struct {
	id     uint64
	offset int64
}

func (g *group) add(time int64) {
	g.samples++
	if time == 0 {
		return
	}
	if g.min == 0 || time < g.min {
		g.min = time
	}
	g.max = max(g.max, time)
}

// use registers a schema that samples of the group need.
func (g *group) use(id uint64, offset int64) {
	i := slices.IndexFunc(g.schemas, func(d definition) bool { return d.id == id })
	if i < 0 {
		g.schemas = append(g.schemas, definition{id, offset})
	} else {
		g.schemas[i].offset = max(g.schemas[i].offset, offset)
	}
}

func (g *group) append(b []byte, before int64) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(before))
	b = binary.LittleEndian.AppendUint64(b, uint64(g.start))
	b = binary.LittleEndian.AppendUint32(b, uint32(g.samples))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(g.schemas)))
	b = binary.LittleEndian.AppendUint64(b, uint64(g.min))
	b = binary.LittleEndian.AppendUint64(b, uint64(g.max))
	for _, d := range g.schemas {
		b = binary.LittleEndian.AppendUint64(b, d.id)
		b = binary.LittleEndian.AppendUint64(b, uint64(d.offset))
	}
	return b
}

const errIndex = fault("it is not an index")

func parseIndex(b []byte, offset int64) (g group, before int64, err error) {
	p := fieldReader{rest: b}
	before = int64(p.u64())
	g.start = int64(p.u64())
	samples, schemas := p.u32(), p.u32()
	g.samples, g.min, g.max = int(samples), int64(p.u64()), int64(p.u64())

	most := min((offset-g.start)/headSize, math.MaxInt32) // the most records that fit
	first := before == 0 && g.start == fileHeadSize
	if p.bad || g.start < fileHeadSize || !first && (before <= 0 || before >= g.start) ||
		int64(samples) > most || int64(schemas)*indexedSize != int64(len(p.rest)) {
		return group{}, 0, errIndex
	}

	for range schemas {
		g.schemas = append(g.schemas, definition{p.u64(), int64(p.u64())})
	}
	return g, before, nil
}

func u64at(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
