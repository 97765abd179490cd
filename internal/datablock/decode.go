package datablock

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// Options control decoding. The zero value is strict.
type Options struct {
	// Quirks are the known peculiarities of the block's server.
	Quirks winperf.Quirks
	// Known, if not nil, returns the instance names of an earlier sample for the object at
	// this position, or nil. Comparing them while decoding is much cheaper than a second
	// pass.
	Known func(position int, title, codePage uint32) *index.Names
	// Object, if not nil, is called after an object was added to the index. same reports
	// that its instances equal Known's.
	Object func(position int, same bool)
}

const maxDamage = 100

// Decode checks the PERF_DATA_BLOCK in b and fills ix with its content, reusing the memory
// of earlier calls. ix refers to b.
//
// An error, always a [*winperf.DataError], means that the block could not be read to its
// end; ix has the objects before the damage. Damage of only a counter, an instance or an
// object is listed in ix.Damage.
func Decode(b []byte, ix *index.Index, opt Options) error {
	d := decoder{ix: ix, opt: opt, memo: memoOf(ix, opt)}
	ix.Reset()
	if err := d.block(b); err != nil {
		return err
	}
	return nil
}

// decoder is the state of one Decode. Offsets are 32 bits and never exceed the end of their
// structure, so "end - offset" is not negative and sums do not overflow.
type decoder struct {
	b      []byte // the block, to its end
	ix     *index.Index
	opt    Options
	memo   *memo
	values uint64 // so far
	// The result of Options.Known for the current object; nil after the first different
	// instance.
	known *index.Names

	unlisted *winperf.DataError // an unlisted error, for reuse
}

// block decodes everything and resolves parents, even if the block is damaged.
func (d *decoder) block(b []byte) *winperf.DataError {
	first, objects, err := d.header(b)
	if err != nil && !errors.Is(err, checkTruncated) {
		return err
	}

	space := min(int(objects), len(d.b)/ObjectLen)
	d.ix.Objects = slices.Grow(d.ix.Objects, space)
	d.memo.known = slices.Grow(d.memo.known, max(0, space-len(d.memo.known)))
	if objErr := d.objects(first, objects); err == nil {
		err = objErr
	}
	if len(d.ix.Links) > 0 {
		d.ix.ResolveParents()
	}
	return err
}

// header checks PERF_DATA_BLOCK and returns the place of the first object and the number of
// objects. A truncated block is decoded up to its end.
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
	if space := (total - uint64(first)) / ObjectLen; uint64(objects) > space {
		return 0, 0, checkObjectCount.Fault(AtNumObjects, int64(objects), int64(space))
	}

	if total > there {
		err = checkTruncated.Fault(AtTotal, int64(total), int64(there))
	}
	d.b = b[:min(total, there)]
	d.headerFields()
	return first, objects, err
}

// checkMagic checks signature, byte order and version.
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

// headerFields copies fields of the header. An unreadable machine name is empty.
func (d *decoder) headerFields() {
	d.ix.Data = d.b
	d.ix.Default = i32(d.b, AtDefaultObject)
	d.ix.Clocks = HeadBytes(d.b).Clocks()
	off, n := u32(d.b, AtNameOffset), u32(d.b, AtNameLength)
	if off >= HeadLen && uint64(off)+uint64(n) <= uint64(len(d.b)) && n%2 == 0 {
		d.ix.Machine = index.Span{Off: off, Len: n}
	}
}

func (d *decoder) objects(off, n uint32) *winperf.DataError {
	off = min(off, uint32(len(d.b))) // if the block is truncated
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

func (d *decoder) damage(err *winperf.DataError) {
	if len(d.ix.Damage) == maxDamage {
		d.ix.MoreDamage++
		d.unlisted = err
		return
	}
	d.ix.Damage = append(d.ix.Damage, err)
}

// found returns the number of damages.
func (d *decoder) found() int { return len(d.ix.Damage) + d.ix.MoreDamage }
