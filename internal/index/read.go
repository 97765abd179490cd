package index

import (
	"encoding/binary"
	"slices"

	"github.com/winperf/winperf/counter"
)

// BlockLen returns the length in bytes of an instance's counter block, including its length
// field.
func (ix *Index) BlockLen(in *Instance) uint32 {
	return binary.LittleEndian.Uint32(ix.Data[in.Block:])
}

// Column reads the raw values of one counter of len(dst) consecutive instances of an
// object, from position first on. Values of 4 bytes are zero-extended; unreadable values
// are 0. It returns false if any is unreadable; see [Index.Value].
//
// obj is a position in Objects, ctr and first are positions in the object. To read all
// counters, [Index.ReadRows] and [Index.ReadRuns] are faster, because the values of one
// instance are adjacent.
func (ix *Index) Column(dst []uint64, obj, ctr, first int) bool {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	instances := ix.Instances[o.Instance0:o.InstanceEnd][first:][:len(dst)]
	if !c.State.fixed() || o.Missing != 0 {
		return ix.sparseColumn(dst, obj, ctr, first)
	}
	ix.load(dst, instances, c.Value, c.Size)
	return true
}

// ReadRows reads the raw values of all counters of consecutive instances, from position
// first on, in the order of the definitions. It reads as many instances as dst has room
// for, returns their number, and whole as [Index.Column] does. This is the fastest way to
// read everything, because it is the order of the sample.
func (ix *Index) ReadRows(dst []uint64, obj, first int) (n int, whole bool) {
	o := &ix.Objects[obj]
	counters := ix.Counters[o.Counter0:o.CounterEnd]
	if len(counters) == 0 {
		return 0, true
	}

	instances := ix.Instances[o.Instance0:o.InstanceEnd][first:]
	instances = instances[:min(len(instances), len(dst)/len(counters))]
	if o.Missing != 0 || slices.ContainsFunc(counters, func(c Counter) bool { return !c.State.fixed() }) {
		return len(instances), ix.sparseRows(dst, obj, first, len(instances))
	}

	width := len(counters)
	row := func(i int) ([]uint64, []byte) {
		i = min(i, len(instances)-1) // some of the last ones are read twice
		return dst[i*width:][:width], ix.Data[instances[i].Block:]
	}
	for i := 0; i < len(instances); i += 4 {
		if i%RunLen == 0 {
			ix.fetch(instances[i:min(i+RunLen, len(instances))])
		}
		rowA, a := row(i)
		rowB, b := row(i + 1)
		rowC, c := row(i + 2)
		rowD, d := row(i + 3)
		readFourRows(rowA, rowB, rowC, rowD, counters, a, b, c, d)
	}
	return len(instances), true
}

// readFourRows reads the values of four counter blocks. Four at a time take a fifth less
// time.
func readFourRows(rowA, rowB, rowC, rowD []uint64, counters []Counter, a, b, c, d []byte) {
	n := min(len(a), len(b), len(c), len(d))
	a, b, c, d = a[:n:n], b[:n:n], c[:n:n], d[:n:n]
	width := len(counters)
	rowA, rowB, rowC, rowD = rowA[:width], rowB[:width], rowC[:width], rowD[:width]
	for k := range counters {
		at := uint64(counters[k].Value)
		if counters[k].Size == 8 {
			rowA[k] = binary.LittleEndian.Uint64(a[at : at+8])
			rowB[k] = binary.LittleEndian.Uint64(b[at : at+8])
			rowC[k] = binary.LittleEndian.Uint64(c[at : at+8])
			rowD[k] = binary.LittleEndian.Uint64(d[at : at+8])
		} else {
			rowA[k] = uint64(binary.LittleEndian.Uint32(a[at : at+4]))
			rowB[k] = uint64(binary.LittleEndian.Uint32(b[at : at+4]))
			rowC[k] = uint64(binary.LittleEndian.Uint32(c[at : at+4]))
			rowD[k] = uint64(binary.LittleEndian.Uint32(d[at : at+4]))
		}
	}
}

// sparseRows is ReadRows with possibly missing values.
func (ix *Index) sparseRows(dst []uint64, obj, first, n int) bool {
	o, whole := &ix.Objects[obj], true
	width := int(o.CounterEnd - o.Counter0)
	for i := range n {
		for k := range width {
			v, ok := ix.Value(obj, first+i, k)
			dst[i*width+k], whole = v, whole && ok
		}
	}
	return whole
}

// ReadThree reads the raw values of three counters of all instances of an object, as many
// as dst has room for; missing values and values at negative positions are 0.
func (ix *Index) ReadThree(dst [][3]uint64, obj int, ctrs [3]int) {
	o := &ix.Objects[obj]
	instances := ix.Instances[o.Instance0:o.InstanceEnd]
	dst = dst[:min(len(dst), len(instances))]
	var fields [3]Field
	for n, k := range ctrs {
		if k < 0 {
			continue
		}
		c := &ix.Counters[int(o.Counter0)+k]
		if !c.State.fixed() || o.Missing != 0 {
			ix.sparseThree(dst, obj, ctrs)
			return
		}
		fields[n] = Field{c.Value, c.Size}
	}

	for i := range dst {
		block, row := ix.Data[instances[i].Block:], &dst[i]
		for n, f := range fields {
			at := uint64(f.Value)
			switch f.Size {
			case 8:
				row[n] = binary.LittleEndian.Uint64(block[at : at+8])
			case 4:
				row[n] = uint64(binary.LittleEndian.Uint32(block[at : at+4]))
			default:
				row[n] = 0
			}
		}
	}
}

// sparseThree is ReadThree with possibly missing values.
func (ix *Index) sparseThree(dst [][3]uint64, obj int, ctrs [3]int) {
	clear(dst)
	for i := range dst {
		for n, k := range ctrs {
			if k >= 0 {
				dst[i][n], _ = ix.Value(obj, i, k)
			}
		}
	}
}

// Gather is Column for any instances: it reads the value of position from[i] into dst[i].
// If from[i] is negative, dst[i] is unchanged. len(dst) equals len(from).
func (ix *Index) Gather(dst []uint64, obj, ctr int, from []int32) bool {
	whole := true
	for i := 0; i < len(from); {
		// Runs of consecutive instances are read at once.
		end := i + 1
		for end < len(from) && from[end] == from[end-1]+1 && from[i] >= 0 {
			end++
		}
		if from[i] >= 0 {
			whole = ix.Column(dst[i:end], obj, ctr, int(from[i])) && whole
		}
		i = end
	}
	return whole
}

// MultiColumn reads the component counts of a multi-timer without a base definition (see
// Counter.Multi) as Column reads values. It returns false and sets dst to 0 if the counter
// has none.
func (ix *Index) MultiColumn(dst []uint64, obj, ctr, first int) bool {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	if c.Multi == 0 {
		clear(dst)
		return false
	}
	ix.load(dst, ix.Instances[o.Instance0:o.InstanceEnd][first:][:len(dst)], c.Multi, 4)
	return true
}

// load reads size bytes, 4 or 8, at offset off of the block of every instance. The codec
// has checked the places.
func (ix *Index) load(dst []uint64, instances []Instance, off, size uint32) {
	data := ix.Data
	dst = dst[:len(instances)]
	if size == 4 {
		for i := range instances {
			at := uint64(instances[i].Block + off)
			dst[i] = uint64(binary.LittleEndian.Uint32(data[at : at+4]))
		}
		return
	}

	for i := range instances {
		at := uint64(instances[i].Block + off)
		dst[i] = binary.LittleEndian.Uint64(data[at : at+8])
	}
}

// sparseColumn is Column with possibly missing values.
func (ix *Index) sparseColumn(dst []uint64, obj, ctr, first int) bool {
	whole := true
	for i := range dst {
		v, ok := ix.Value(obj, first+i, ctr)
		dst[i], whole = v, whole && ok
	}
	return whole
}

// Value reads the raw value of one counter of one instance. ok is false without a number: a
// heading, text, an unsupported size, a value outside the block or marked as missing.
//
// obj is a position in Objects, inst and ctr are positions in the object.
func (ix *Index) Value(obj, inst, ctr int) (v uint64, ok bool) {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	in := &ix.Instances[o.Instance0:o.InstanceEnd][inst]
	if c.Type.IsText() || !ix.present(o, c, in, ctr) {
		return 0, false
	}
	at := ix.Data[in.Block+c.Value:]
	if c.Size == 4 {
		return uint64(binary.LittleEndian.Uint32(at)), true
	}
	return binary.LittleEndian.Uint64(at), true
}

// AccessDenied replaces a value that is missing because the reader was not permitted to
// read it: ERROR_ACCESS_DENIED of winerror.h. Other missing values are 0.
const AccessDenied = 5

// Lack returns why [Index.Value] or [Index.Text] has no value: counter.NotPermitted or
// counter.InvalidData.
func (ix *Index) Lack(obj, inst, ctr int) counter.Status {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	in := &ix.Instances[o.Instance0:o.InstanceEnd][inst]
	if !c.State.fixed() || c.Type.IsText() || !ix.marked(o, in, ctr) {
		return counter.InvalidData
	}
	if binary.LittleEndian.Uint32(ix.Data[in.Block+c.Value:]) != AccessDenied {
		return counter.InvalidData
	}
	return counter.NotPermitted
}

// Text returns the bytes of a text counter's value, which alias Data: UTF-16LE or, by its
// type, in the object's code page. ok is false without a text.
func (ix *Index) Text(obj, inst, ctr int) (b []byte, ok bool) {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	in := &ix.Instances[o.Instance0:o.InstanceEnd][inst]
	if !c.Type.IsText() || !ix.present(o, c, in, ctr) {
		return nil, false
	}
	return ix.Data[in.Block+c.Value:][:c.Size], true
}

// present reports whether the value of a counter is inside an instance's block and not
// marked as missing.
func (ix *Index) present(o *Object, c *Counter, in *Instance, ctr int) bool {
	switch c.State {
	case NoValue, BadSize:
		return false
	case OutOfRange:
		if c.Value < 4 || uint64(c.Value)+uint64(c.Size) > uint64(ix.BlockLen(in)) {
			return false
		}
	}
	return !ix.marked(o, in, ctr)
}

// marked reports whether the counter is marked in the object's bit map of missing values.
func (ix *Index) marked(o *Object, in *Instance, ctr int) bool {
	if o.Missing == 0 {
		return false
	}
	return ix.Data[in.Block+o.Missing+uint32(ctr/8)]>>(ctr%8)&1 != 0
}

// fixed reports whether a number is inside every block of the object.
func (s CounterState) fixed() bool { return s == Readable || s == MissingBase }
