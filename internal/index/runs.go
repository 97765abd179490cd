package index

import "encoding/binary"

// RunLen is the number of instances that are read into runs at once: few enough
// for the values of all counters to stay in a processor's cache, and enough to
// make what a column costs at its start and end small. 64 to 256 do about the same.
const RunLen = 128

// Run holds values of one counter of up to RunLen instances.
type Run [RunLen]uint64

// Field is where a value stands in every block of its object, see [Counter].
type Field struct{ Value, Size uint32 }

// ReadRuns reads the values of some counters of the instances at the given
// positions of an object, at most RunLen: of fields[k] of the instance at at[i]
// into runs[k][i]. Where at[i] is negative, what comes there is undefined. The
// fields must be those of Readable counters.
//
// The sample is read in order, which processors foresee: where it is larger than
// their caches this takes two thirds of the time of column after column.
func (ix *Index) ReadRuns(runs []Run, fields []Field, obj int, at []int32) {
	o := &ix.Objects[obj]
	instances := ix.Instances[o.Instance0:o.InstanceEnd]
	at = at[:min(len(at), RunLen)]
	for i := 0; i < len(at); i += 2 {
		a, b := at[i], at[min(i+1, len(at)-1)]
		if a < 0 && b < 0 {
			continue
		}
		readRuns(runs, uint(i), fields, ix.Data[instances[max(a, 0)].Block:], ix.Data[instances[max(b, 0)].Block:])
	}
}

// readRuns reads the values of two counter blocks, which begin where a and b
// begin, into places i and i+1 of the runs; see readTwo.
func readRuns(runs []Run, i uint, fields []Field, a, b []byte) {
	i, next := i%RunLen, (i+1)%RunLen
	runs = runs[:len(fields)]
	for k, f := range fields {
		run, at := &runs[k], uint64(f.Value)
		if f.Size == 8 {
			run[i] = binary.LittleEndian.Uint64(a[at : at+8])
			run[next] = binary.LittleEndian.Uint64(b[at : at+8])
		} else {
			run[i] = uint64(binary.LittleEndian.Uint32(a[at : at+4]))
			run[next] = uint64(binary.LittleEndian.Uint32(b[at : at+4]))
		}
	}
}
