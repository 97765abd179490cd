package datablock

import (
	"math"
	"slices"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// object decodes the object of the given length at off. After an error the index does not
// contain it.
func (d *decoder) object(off, length uint32) *winperf.DataError {
	o := index.Object{
		Off: off, Len: length,
		Title:        u32(d.b, int(off)+AtObjTitle),
		Help:         u32(d.b, int(off)+AtObjHelp),
		Detail:       u32(d.b, int(off)+AtObjDetail),
		NumInstances: i32(d.b, int(off)+AtObjNumInstances),
		CodePage:     u32(d.b, int(off)+AtObjCodePage),
		Time:         i64(d.b, int(off)+AtObjTime),
		Freq:         i64(d.b, int(off)+AtObjFreq),
		Counter0:     uint32(len(d.ix.Counters)),
		Instance0:    uint32(len(d.ix.Instances)),
		Link0:        -1, // no links
	}

	def := definitions{
		length: u32(d.b, int(off)+AtObjDefinition),
		header: u32(d.b, int(off)+AtObjHeader),
		count:  u32(d.b, int(off)+AtObjNumCounters),
	}

	d.known = nil
	if d.opt.Known != nil {
		d.known = d.opt.Known(len(d.ix.Objects), o.Title, o.CodePage)
	}

	if err := d.objectParts(&o, &def); err != nil {
		d.drop(&o)
		err.Object.Index = o.Title
		return err
	}

	d.ix.Objects = append(d.ix.Objects, o)
	if d.opt.Object != nil {
		d.opt.Object(len(d.ix.Objects)-1, d.known != nil)
	}
	return nil
}

// drop removes the current object from the index.
func (d *decoder) drop(o *index.Object) {
	d.memo.forget(len(d.ix.Objects))
	d.ix.Counters = d.ix.Counters[:o.Counter0]
	d.ix.Instances = d.ix.Instances[:o.Instance0]
	if o.Link0 >= 0 {
		d.ix.Links = d.ix.Links[:o.Link0]
	}
}

// objectParts decodes definitions and instances and determines the readable values.
func (d *decoder) objectParts(o *index.Object, def *definitions) *winperf.DataError {
	if err := d.checkObject(o, def); err != nil {
		return err
	}

	foundBefore := d.found()
	recalled := d.recall(o, def)
	if !recalled {
		if err := d.counters(o, def); err != nil {
			return err
		}
	}

	shortest, err := d.instances(o, o.Off+def.length)
	if err != nil {
		return err
	}

	// Reused counters are valid if every counter block has room for all values.
	if !recalled || uint64(shortest) < def.need {
		if err := d.settle(o, def, shortest, recalled); err != nil {
			return err
		}
		d.remember(o, def, d.found() == foundBefore)
	}

	// A needed clock without a frequency is damage of each sample.
	if def.traits&traitTickFreq != 0 && d.ix.ObjectClocks(o).PerfFreq <= 0 ||
		def.traits&traitObjectFreq != 0 && o.Freq <= 0 {
		d.timeBases(o)
	}
	return d.checkValues(o)
}

// settle determines the readable values by the length of the shortest counter block.
func (d *decoder) settle(
	o *index.Object, def *definitions, shortest uint32, recalled bool,
) *winperf.DataError {
	if recalled {
		d.ix.Counters = d.ix.Counters[:o.Counter0]
		if err := d.counters(o, def); err != nil {
			return err
		}
	}

	if uint64(shortest) < def.need {
		if err := d.shortBlocks(o, shortest); err != nil {
			return err
		}
	}
	if def.traits&(traitBase|traitMulti) != 0 {
		d.bases(o, def, shortest)
	}
	if def.traits&traitValueClock != 0 {
		d.valueClocks(o)
	}
	return nil
}

func (d *decoder) checkObject(o *index.Object, def *definitions) *winperf.DataError {
	if def.header < ObjectLen || def.header > def.length || def.length > o.Len {
		return d.fault(checkObjectHeader, o.Off+AtObjDefinition, int64(def.header), int64(def.length))
	}
	if space := (def.length - def.header) / CounterLen; def.count > space {
		return d.fault(checkCounterCount, o.Off+AtObjNumCounters, int64(def.count), int64(space))
	}

	space := (o.Len - def.length) / (InstanceLen + blockSize)
	if o.NumInstances < index.MetadataSingle || int64(o.NumInstances) > int64(space) {
		return d.fault(checkInstanceCount, o.Off+AtObjNumInstances, int64(o.NumInstances), int64(space))
	}

	if hasClocks(d.b, o.Off, def.header) {
		o.Clocks = o.Off + def.header - clocksSize + 8
	}
	if def.header >= ObjectLen+MissingLen && u32(d.b, int(o.Off)+AtObjMissingMark) == MissingMark {
		o.Missing = u32(d.b, int(o.Off)+AtObjMissing)
		end := uint64(o.Missing) + uint64(MissingMapLen(int(def.count)))
		if o.Missing < blockSize {
			return d.fault(checkMissingMap, o.Off+AtObjMissing, int64(end), int64(o.Len))
		}
		def.need = end
	}
	return nil
}

// instances decodes the instances at offset pos by NumInstances and returns the length of
// the shortest counter block.
func (d *decoder) instances(o *index.Object, pos uint32) (shortest uint32, err *winperf.DataError) {
	switch {
	case o.NumInstances > 0:
		d.ix.Instances = extend(d.ix.Instances, uint32(o.NumInstances), d, o, instances)
		shortest, err = d.named(o, pos)
	case o.NumInstances == index.NoInstances, o.NumInstances == index.MetadataSingle && d.blockFits(o, pos):
		// The documentation does not say whether a block follows in the second case.
		shortest, err = d.single(o, pos)
	default:
		shortest = math.MaxUint32
	}

	o.InstanceEnd = uint32(len(d.ix.Instances))
	d.known = d.known.If(d.ix.Links, o)
	return shortest, err
}

func (d *decoder) blockFits(o *index.Object, pos uint32) bool {
	left := o.Off + o.Len - pos
	return left >= blockSize && u32(d.b, int(pos)) >= blockSize && u32(d.b, int(pos)) <= left
}

// single decodes the counter block of an object without instances.
func (d *decoder) single(o *index.Object, pos uint32) (length uint32, err *winperf.DataError) {
	left := o.Off + o.Len - pos
	if left < blockSize {
		return 0, d.fault(checkBlockSpace, pos, int64(left), blockSize)
	}
	length = u32(d.b, int(pos))
	if length < blockSize || length > left {
		return 0, d.fault(checkBlockLength, pos, int64(length), int64(left))
	}
	d.ix.Instances = extend(d.ix.Instances, 1, d, o, instances)
	d.ix.Instances[o.Instance0] = index.Instance{Block: pos}
	return length, nil
}

// named decodes instance definitions and their counter blocks.
//
// The list still contains the previous sample, whose places mostly are right. Taking and
// checking these places lets a processor work on several instances at once instead of
// waiting for each length.
func (d *decoder) named(o *index.Object, pos uint32) (shortest uint32, err *winperf.DataError) {
	list := d.ix.Instances[o.Instance0:]
	b := d.b[:o.Off+o.Len]
	end := uint32(len(b))
	shortest = math.MaxUint32

	known := d.known.Hashes(len(list))
	for i := range list {
		if end-pos < InstanceLen {
			return 0, d.misfit(i, pos, end)
		}
		in := &list[i]
		if in.Off != pos {
			in.Off = pos
		}

		def := b[in.Off:][:InstanceLen]
		length := u32(def, AtInstLength)
		if length < InstanceLen || length > end-pos || end-pos-length < blockSize {
			return 0, d.misfit(i, pos, end)
		}

		block := pos + length
		if in.Block != block {
			in.Block = block
		}
		blockLen := u32(b[in.Block:], 0)
		if blockLen < blockSize || blockLen > end-block {
			return 0, d.misfit(i, pos, end)
		}

		if u32(def, AtInstParentObject) != 0 || i32(def, AtInstUniqueID) != index.NoUniqueID || o.Link0 >= 0 {
			d.link(o, i, def)
		}
		nameOff, nameLen := u32(def, AtInstNameOffset), u32(def, AtInstNameLength)
		if nameOff < InstanceLen || nameOff > length || nameLen > length-nameOff {
			d.badName(o, in, i, nameOff, nameLen)
			nameOff, nameLen = 0, 0
		}

		in.Name = index.Span{Off: pos + nameOff, Len: nameLen}

		// After the first name that differs, no name of the previous sample is used.
		if known != nil && known[i] != index.HashName(b[pos+nameOff:][:nameLen]) {
			known = nil
		}

		shortest = min(shortest, blockLen)
		pos = block + blockLen
	}

	if known == nil {
		d.known = nil
	}
	return shortest, nil
}

// misfit returns the error of the instance at position i, whose definition at pos or
// counter block does not fit before end.
func (d *decoder) misfit(i int, pos, end uint32) *winperf.DataError {
	left := end - pos
	if left < InstanceLen {
		return atInstance(d.fault(checkInstanceSpace, pos, int64(left), InstanceLen), i)
	}
	length := u32(d.b, int(pos)+AtInstLength)
	if length < InstanceLen || length > left {
		return atInstance(d.fault(checkInstanceLength, pos, int64(length), int64(left)), i)
	}

	block := pos + length
	left -= length
	if left < blockSize {
		return atInstance(d.fault(checkBlockSpace, block, int64(left), blockSize), i)
	}
	return atInstance(d.fault(checkBlockLength, block, int64(u32(d.b, int(block))), int64(left)), i)
}

// link registers parent and unique id of the instance at position i. The first instance
// that has one allocates for the whole object.
func (d *decoder) link(o *index.Object, i int, def []byte) {
	if o.Link0 < 0 {
		o.Link0 = int32(len(d.ix.Links))
		n := len(d.ix.Links) + int(o.NumInstances)
		d.ix.Links = slices.Grow(d.ix.Links, int(o.NumInstances))[:n]
		for k := range i {
			d.ix.Links[int(o.Link0)+k] = index.NoLink
		}
	}
	d.ix.Links[int(o.Link0)+i] = index.Link{
		ParentObject:   u32(def, AtInstParentObject),
		ParentInstance: u32(def, AtInstParentInstance),
		UniqueID:       i32(def, AtInstUniqueID),
		Parent:         -1,
	}
}

// badName reports an instance whose name is not inside its definition; it has no name. The
// offset of an empty name is not checked.
func (d *decoder) badName(o *index.Object, in *index.Instance, i int, nameOff, nameLen uint32) {
	if nameLen == 0 {
		return
	}
	length := u32(d.b, int(in.Off)+AtInstLength)
	end := int64(nameOff) + int64(nameLen)
	err := atInstance(d.fault(checkName, in.Off+AtInstNameOffset, end, int64(length)), i)
	err.Object.Index = o.Title
	d.damage(err)
}

// checkValues counts the values of the object: one for every two bytes of the block are
// accepted. Values that do not share bytes need four.
func (d *decoder) checkValues(o *index.Object) *winperf.DataError {
	d.values += uint64(o.CounterEnd-o.Counter0) * uint64(o.InstanceEnd-o.Instance0)
	if limit := len(d.b) / 2; d.values > uint64(limit) {
		return d.fault(checkValueLimit, o.Off, int64(d.values), int64(limit))
	}
	return nil
}
