package index

import (
	"encoding/binary"
	"slices"

	"github.com/winperf/winperf/counter"
)

// BlockLen is the length in bytes of the counter block of an instance, its
// own length field included.
func (ix *Index) BlockLen(in *Instance) uint32 {
	return binary.LittleEndian.Uint32(ix.Data[in.Block:])
}

// Column reads the raw values of one counter of neighbouring instances of an
// object into dst: of the instance at position first into dst[0], and so on,
// as many as dst is long. Values of 4 bytes are zero-extended; a value that
// cannot be read is 0. It reports whether all values were there; if not,
// [Index.Value] tells which.
//
// obj is a position in Objects, ctr and first are positions within the
// object. Where all counters are wanted [Index.ReadRows] and [Index.ReadRuns] are
// faster: the values of one instance lie side by side.
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

// ReadRows reads the raw values of all counters of neighbouring instances into
// dst: of the instance at position first in the order of the definitions, then of
// the next, as many instances as dst has room for. It returns how many those are,
// and whether all values were there as [Index.Column] does. Values are read in
// the order of the sample: this is the fastest way to read everything.
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
		i = min(i, len(instances)-1) // of the last ones some are read twice
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

// readFourRows reads the values of four counter blocks, which begin where a to d begin.
// Four at a time take a fifth less than one by one.
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

// sparseRows is ReadRows where single values may be missing.
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

// ReadThree reads the raw values of three counters of all instances of an object,
// as many as dst has room for, in the order of the sample; 0 where there is none,
// or the position of the counter is negative.
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

// sparseThree is ReadThree where single values may be missing.
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

// Gather reads the raw values of one counter like Column, of instances anywhere
// in the object: that at position from[i] into dst[i]. dst is as long as from;
// where from[i] is negative dst[i] keeps what it has. It reports whether all
// values were there.
func (ix *Index) Gather(dst []uint64, obj, ctr int, from []int32) bool {
	whole := true
	for i := 0; i < len(from); {
		// Instances that neighbour in both orders are read at once.
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

// MultiColumn reads the component counts of a multi-timer without a base
// definition (see Counter.Multi) as Column reads values. It reports whether
// the counter has such counts; if not, dst is all 0.
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

// load reads size bytes, 4 or 8, at offset off of the block of every instance.
// The codec has checked that they are there.
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

// sparseColumn is Column where single values may be missing.
func (ix *Index) sparseColumn(dst []uint64, obj, ctr, first int) bool {
	whole := true
	for i := range dst {
		v, ok := ix.Value(obj, first+i, ctr)
		dst[i], whole = v, whole && ok
	}
	return whole
}

// Value reads the raw value of one counter of one instance. ok is false where
// there is no number: a heading, text, a size that cannot be read, a value
// outside the instance's block or one marked as missing.
//
// obj is a position in Objects, inst and ctr are positions within the object.
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

// AccessDenied is what stands in the place of a value that is marked as missing because
// the reader of the sample was not permitted to read it: ERROR_ACCESS_DENIED of
// winerror.h. Others have 0.
const AccessDenied = 5

// Lack tells why there is no value where [Index.Value] or [Index.Text] has none:
// counter.NotPermitted or counter.InvalidData.
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

// Text returns the bytes of a text counter's value, which alias Data: UTF-16LE
// or, by its type, in the object's code page. ok is false where there is no
// text.
func (ix *Index) Text(obj, inst, ctr int) (b []byte, ok bool) {
	o := &ix.Objects[obj]
	c := &ix.Counters[int(o.Counter0)+ctr]
	in := &ix.Instances[o.Instance0:o.InstanceEnd][inst]
	if !c.Type.IsText() || !ix.present(o, c, in, ctr) {
		return nil, false
	}
	return ix.Data[in.Block+c.Value:][:c.Size], true
}

// present reports whether the value of a counter is inside an instance's block
// and not marked as missing.
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

// marked reports whether the object's bit map of missing values names the counter.
func (ix *Index) marked(o *Object, in *Instance, ctr int) bool {
	if o.Missing == 0 {
		return false
	}
	return ix.Data[in.Block+o.Missing+uint32(ctr/8)]>>(ctr%8)&1 != 0
}

// fixed reports whether a number lies inside every block of the object.
func (s CounterState) fixed() bool { return s == Readable || s == MissingBase }
