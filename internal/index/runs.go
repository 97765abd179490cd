package index

import (
	"encoding/binary"
	"runtime"
)

// RunLen is the number of instances read at once: few enough for the values of all counters to fit
// a processor's cache, and enough to amortise the fixed cost of a column. 256 to 1024 are about
// equal, 128 takes a tenth more with slow memory. It is a multiple of 4.
const RunLen = 256

// Run holds values of one counter of up to RunLen instances.
type Run [RunLen]uint64

// Field is the offset and size of a value in every block of its object, see [Counter].
type Field struct{ Value, Size uint32 }

// ReadRuns reads the values of some counters of instances of an object: fields[k] of the instance
// at position at[i] into runs[k][i]. at has at most RunLen elements. For a negative at[i] the
// result is undefined. The fields must belong to Readable counters.
//
// The sample is read in order: if it is larger than a processor's caches, this takes two thirds of
// the time of reading column after column.
func (ix *Index) ReadRuns(runs []Run, fields []Field, obj int, at []int32) {
	o := &ix.Objects[obj]
	instances := ix.Instances[o.Instance0:o.InstanceEnd]
	if at = at[:min(len(at), RunLen)]; len(at) == 0 || len(instances) == 0 {
		return
	}

	if first, last := max(at[0], 0), max(at[len(at)-1], 0); first <= last && last < first+2*RunLen {
		ix.fetch(instances[first : last+1]) // which are adjacent
	}

	need := uint32(0)
	for _, f := range fields {
		need = max(need, f.Value+f.Size)
	}

	block := func(i int) []byte {
		in := &instances[max(at[min(i, len(at)-1)], 0)]
		return ix.Data[in.Block:][:need:need]
	}
	for i := 0; i < len(at); i += 4 {
		readFour(runs, uint(i), fields, block(i), block(i+1), block(i+2), block(i+3))
	}
}

// readFour reads the values of the four counter blocks at the start of a to d into places i to i+3
// of the runs. Equal lengths, and the range of i, let the compiler check bounds once for all four.
func readFour(runs []Run, i uint, fields []Field, a, b, c, d []byte) {
	i = i % RunLen &^ 3
	n := len(a)
	a, b, c, d = a[:n:n], b[:n:n], c[:n:n], d[:n:n]
	runs = runs[:len(fields)]
	for k, f := range fields {
		run, at := (*[4]uint64)(runs[k][i:i+4]), uint64(f.Value)
		if f.Size == 8 {
			run[0] = binary.LittleEndian.Uint64(a[at : at+8])
			run[1] = binary.LittleEndian.Uint64(b[at : at+8])
			run[2] = binary.LittleEndian.Uint64(c[at : at+8])
			run[3] = binary.LittleEndian.Uint64(d[at : at+8])
		} else {
			run[0] = uint64(binary.LittleEndian.Uint32(a[at : at+4]))
			run[1] = uint64(binary.LittleEndian.Uint32(b[at : at+4]))
			run[2] = uint64(binary.LittleEndian.Uint32(c[at : at+4]))
			run[3] = uint64(binary.LittleEndian.Uint32(d[at : at+4]))
		}
	}
}

// cacheSize is the smallest processor cache assumed, in bytes.
const cacheSize = 2 << 20

// fetch reads one byte per cache line of some instances, in order, so that the processor prefetches
// them. If the sample is larger than the caches, reading the values afterwards takes half the time.
func (ix *Index) fetch(instances []Instance) {
	begin, end := instances[0].Block, instances[len(instances)-1].Block
	if len(ix.Data) <= cacheSize || begin > end {
		return
	}

	const line = 64
	var sum byte
	for b := ix.Data[begin:end]; len(b) >= line; b = b[line:] {
		sum += b[0]
	}
	runtime.KeepAlive(sum) // keeps the compiler from removing the loop
}
