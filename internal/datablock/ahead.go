package datablock

import (
	"slices"

	"github.com/winperf/winperf/internal/index"
)

// extend lengthens s by n elements, to be set by the caller. New memory is allocated once
// for all objects from o on.
func extend[T any](s []T, n uint32, d *decoder, o *index.Object, of func(contents) uint32) []T {
	if uint64(cap(s)-len(s)) < uint64(n) {
		s = slices.Grow(s, max(int(n), int(of(d.ahead(o.Off)))))
	}
	return s[:len(s)+int(n)]
}

// contents limits the content of a number of objects.
type contents struct{ definitionBytes, counters, instances uint32 }

func definitionBytes(r contents) uint32 { return r.definitionBytes }
func counters(r contents) uint32        { return r.counters }
func instances(r contents) uint32       { return r.instances }

// ahead sums the headers of the objects from off on. It limits each count by the object's
// length.
func (d *decoder) ahead(off uint32) (r contents) {
	end := uint32(len(d.b))
	for end-off >= ObjectLen {
		length := u32(d.b, int(off)+AtObjTotal)
		if length < ObjectLen || length > end-off {
			break
		}

		def := max(min(u32(d.b, int(off)+AtObjDefinition), length), ObjectLen)
		definitions := def - ObjectLen
		r.definitionBytes += definitions
		r.counters += min(u32(d.b, int(off)+AtObjNumCounters), definitions/CounterLen)

		if n := i32(d.b, int(off)+AtObjNumInstances); n >= 0 {
			r.instances += min(uint32(n), (length-def)/(InstanceLen+blockSize))
		} else {
			r.instances += min(1, (length-def)/blockSize)
		}
		off += length
	}
	return r
}
