package index

import (
	"encoding/binary"
	"runtime"
)

// RunLen is the number of instances that are read into runs at once: few enough
// for the values of all counters to stay in a processor's cache, and enough to
// make what a column costs at its start and end small. 256 to 1024 do about the same,
// 128 takes a tenth more where memory is slow. It is a multiple of 4.
const RunLen = 256

// Run holds values of one counter of up to RunLen instances.
type Run [RunLen]uint64

// Field is where a value stands in every block of its object, see [Counter].
type Field struct{ Value, Size uint32 }

// ReadRuns reads the values of some counters of the instances at the given
// positions of an object, at most RunLen: of fields[k] of the instance at at[i]
// into runs[k][i]. Where at[i] is negative, what comes there is undefined. The
// fields must be those of Readable counters.
//
// The sample is read in order: where it is larger than a processor's caches this
// takes two thirds of the time of column after column.
func (ix *Index) ReadRuns(runs []Run, fields []Field, obj int, at []int32) {
	o := &ix.Objects[obj]
	instances := ix.Instances[o.Instance0:o.InstanceEnd]
	if at = at[:min(len(at), RunLen)]; len(at) == 0 || len(instances) == 0 {
		return
	}

	if first, last := max(at[0], 0), max(at[len(at)-1], 0); first <= last && last < first+2*RunLen {
		ix.fetch(instances[first : last+1]) // which stand together
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

// readFour reads the values of four counter blocks, which begin where a to d begin,
// into places i to i+3 of the runs. What the compiler knows of the four lengths and
// of i lets it check a place once for all four.
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

// cacheSize is what a processor has near at hand, at least.
const cacheSize = 2 << 20

// fetch reads something of every cache line of some instances, in order, which
// processors foresee: of a sample that is larger than their caches reading the values
// afterwards takes half the time.
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
	runtime.KeepAlive(sum) // or the compiler would leave it out
}
