package index

import (
	"encoding/binary"
	"runtime"
)

// RunLen is the number of instances in a run: the values of all counters stay in a
// processor's cache, and the cost of each column's start is small. 256 to 1024 are about
// equal; 128 takes a tenth more with slow memory. It is a multiple of 4.
const RunLen = 256

// Run holds values of one counter of up to RunLen instances.
type Run [RunLen]uint64

// Field is the place of a value in every block of its object, see [Counter].
type Field struct{ Value, Size uint32 }

// ReadRuns reads values of the instances at the given positions of an object, at most
// RunLen: fields[k] of the instance at at[i] into runs[k][i]. If at[i] is negative, the
// result is undefined. The fields must belong to Readable counters.
//
// The sample is read in order. If it exceeds the processor's caches, this takes two thirds
// of the time of column after column.
func (ix *Index) ReadRuns(runs []Run, fields []Field, obj int, at []int32) {
	o := &ix.Objects[obj]
	instances := ix.Instances[o.Instance0:o.InstanceEnd]
	if at = at[:min(len(at), RunLen)]; len(at) == 0 || len(instances) == 0 {
		return
	}

	if first, last := max(at[0], 0), max(at[len(at)-1], 0); first <= last && last < first+2*RunLen {
		ix.fetch(instances[first : last+1]) // adjacent
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

// readFour reads the values of four counter blocks into positions i to i+3 of the runs. The
// equal lengths and the bound of i let the compiler check bounds once for all four.
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

// cacheSize is a typical cache of a processor.
const cacheSize = 2 << 20

// fetch reads every cache line of some instances in order, which the prefetcher detects. In
// a sample larger than the caches this halves the time of reading the values.
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
	runtime.KeepAlive(sum) // or the compiler would remove the loop
}
