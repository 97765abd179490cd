package capture

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	indexSize    = 40 // of an index' payload without its schemas
	indexedSize  = 16 // of each schema in it
	endSize      = 16
	endRecord    = headSize + endSize
	maxInIndex   = 64 // schemas of one group; more end the group
	maxIndexed   = 2 * maxInIndex
	groupSamples = 128
)

// group is what an index tells about samples that follow one another in the file.
type group struct {
	start    int64 // offset of its first record
	samples  int
	min, max int64 // FILETIME, 0 for unknown
	schemas  []definition
}

// definition is where the latest record of a schema stands.
type definition struct {
	id     uint64
	offset int64
}

// add counts a sample of a time.
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

// use notes that samples of the group need a schema.
func (g *group) use(id uint64, offset int64) {
	i := slices.IndexFunc(g.schemas, func(d definition) bool { return d.id == id })
	if i < 0 {
		g.schemas = append(g.schemas, definition{id, offset})
	} else {
		g.schemas[i].offset = max(g.schemas[i].offset, offset)
	}
}

// append appends the payload of the index.
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

const errIndex = fault("it is no index")

// parseIndex reads the payload of an index at an offset.
func parseIndex(b []byte, offset int64) (g group, before int64, err error) {
	if len(b) < indexSize {
		return g, 0, errIndex
	}
	u64 := func(at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }
	before = u64(0)
	samples, schemas := binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	g = group{start: u64(8), samples: int(samples), min: u64(24), max: u64(32)}
	room := min((offset-g.start)/headSize, math.MaxInt32) // records that fit

	first := before == 0 && g.start == fileHeadSize
	if g.start < fileHeadSize || !first && (before <= 0 || before >= g.start) ||
		int64(samples) > room || int64(schemas)*indexedSize != int64(len(b)-indexSize) {
		return g, 0, errIndex
	}

	for b = b[indexSize:]; len(b) > 0; b = b[indexedSize:] {
		g.schemas = append(g.schemas, definition{u64at(b, 0), int64(u64at(b, 8))})
	}
	return g, before, nil
}

func u64at(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
