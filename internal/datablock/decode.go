package datablock

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// Options are the ways to decode. The zero value is strict.
type Options struct {
	// Quirks are the known peculiarities of the server the block comes from.
	Quirks winperf.Quirks
	// Known, if not nil, tells what the instances were called that an earlier sample
	// had in the object which will get this position; nil where there is none.
	// Comparing them here costs a fraction of a second pass.
	Known func(position int, title, codePage uint32) *index.Names
	// Object, if not nil, is called as soon as an object is in the index. same
	// tells that the instances are those that Known gave.
	Object func(position int, same bool)
}

// maxDamage is how many findings an index lists.
const maxDamage = 100

// Decode checks the PERF_DATA_BLOCK in b and fills ix with what is in it,
// keeping the memory of earlier decodes. ix refers to b.
//
// An error, always a [*winperf.DataError], means that the block could not be read to
// its end; objects before the damage are in ix. Damage
// that costs only a counter, an instance or an object is listed in ix.Damage.
func Decode(b []byte, ix *index.Index, opt Options) error {
	d := decoder{ix: ix, opt: opt, memo: memoOf(ix, opt)}
	ix.Reset()
	if err := d.block(b); err != nil {
		return err
	}
	return nil
}

// decoder is the state of one Decode. Offsets are 32 bits and never past the
// end of what they point into, so that "end - offset" cannot be negative and
// no sum can overflow.
type decoder struct {
	b      []byte // the block, to its end
	ix     *index.Index
	opt    Options
	memo   *memo
	values uint64 // so far
	// What Options.Known gave for the object at hand; nil as soon as an instance is
	// another one.
	known *index.Names

	unlisted *winperf.DataError // a finding that there was no room for, to be used again
}

// block decodes everything and resolves parents, also of a block that fails
// on the way.
func (d *decoder) block(b []byte) *winperf.DataError {
	first, objects, err := d.header(b)
	if err != nil && !errors.Is(err, checkTruncated) {
		return err
	}

	room := min(int(objects), len(d.b)/ObjectLen)
	d.ix.Objects = slices.Grow(d.ix.Objects, room)
	d.memo.known = slices.Grow(d.memo.known, max(0, room-len(d.memo.known)))
	if objErr := d.objects(first, objects); err == nil {
		err = objErr
	}
	if len(d.ix.Links) > 0 {
		d.ix.ResolveParents()
	}
	return err
}

// header checks PERF_DATA_BLOCK and returns where the first object is and how
// many there are. A block that is cut short is usable all the same, as far as
// it goes.
func (d *decoder) header(b []byte) (first, objects uint32, err *winperf.DataError) {
	if len(b) < HeadLen {
		return 0, 0, checkBuffer.Fault(0, int64(len(b)), HeadLen)
	}
	if err := checkMagic(b); err != nil {
		return 0, 0, err
	}

	first, total, err := extent(b, d.opt.Quirks)
	if err != nil {
		return 0, 0, err
	}

	objects = u32(b, AtNumObjects)
	there := min(uint64(len(b)), math.MaxUint32)
	if room := (total - uint64(first)) / ObjectLen; uint64(objects) > room {
		return 0, 0, checkObjectCount.Fault(AtNumObjects, int64(objects), int64(room))
	}

	if total > there {
		err = checkTruncated.Fault(AtTotal, int64(total), int64(there))
	}
	d.b = b[:min(total, there)]
	d.headerFields()
	return first, objects, err
}

// checkMagic checks what says that this is a block of the one kind known.
func checkMagic(b []byte) *winperf.DataError {
	sig := binary.LittleEndian.Uint64(b[AtSignature:])
	if sig == signatureBig {
		return checkByteOrder.Fault(AtSignature, 0, 1)
	}
	if sig != Signature {
		return checkSignature.Fault(AtSignature, int64(sig), Signature)
	}
	if u32(b, AtLittleEndian) == 0 {
		return checkByteOrder.Fault(AtLittleEndian, 0, 1)
	}
	if v := u32(b, AtVersion); v != Version {
		return checkVersion.Fault(AtVersion, int64(v), Version)
	}
	return nil
}

// headerFields copies what the header holds. A machine name that cannot be
// read is empty.
func (d *decoder) headerFields() {
	d.ix.Data = d.b
	d.ix.Default = i32(d.b, AtDefaultObject)
	d.ix.Clocks = HeadBytes(d.b).Clocks()
	off, n := u32(d.b, AtNameOffset), u32(d.b, AtNameLength)
	if off >= HeadLen && uint64(off)+uint64(n) <= uint64(len(d.b)) && n%2 == 0 {
		d.ix.Machine = index.Span{Off: off, Len: n}
	}
}

// objects walks the objects from offset off on.
func (d *decoder) objects(off, n uint32) *winperf.DataError {
	off = min(off, uint32(len(d.b))) // of a block that is cut
	for range n {
		length, err := ObjectLength(d.b, off)
		if err != nil {
			return err
		}

		if err := d.object(off, length); err != nil {
			if errors.Is(err, ErrLimit) {
				return err
			}
			d.damage(err)
		}
		off += length
	}
	return nil
}

// damage lists a finding.
func (d *decoder) damage(err *winperf.DataError) {
	if len(d.ix.Damage) == maxDamage {
		d.ix.MoreDamage++
		d.unlisted = err
		return
	}
	d.ix.Damage = append(d.ix.Damage, err)
}

// found is how many findings there are.
func (d *decoder) found() int { return len(d.ix.Damage) + d.ix.MoreDamage }
