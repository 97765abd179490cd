package linuxhost

import (
	"errors"
	"io/fs"
	"math"
	"math/bits"
)

// fields is a set of the kernel's figures that an object is made of. Each
// object numbers its own: a constant of one bit stands for one figure.
type fields uint64

// maxFields bounds the figures of one object.
const maxFields = 40

func (f fields) position() int { return bits.TrailingZeros64(uint64(f)) }

// values are the figures of one instance. Times are in 100 ns, sizes in bytes.
type values struct {
	have   fields
	failed fields // are there, but could not be read
	denied fields // are there, but may not be read
	n      [maxFields]uint64
}

// reset forgets all figures.
func (v *values) reset() { v.have, v.failed, v.denied = 0, 0, 0 }

// lack notes why the figures in f could not be read. What is not there has none.
func (v *values) lack(f fields, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		v.denied |= f
	case hides(err):
		v.failed |= f
	}
}

func (v *values) has(f fields) bool { return v.have&f == f }

// set takes the figure f, a set of one.
func (v *values) set(f fields, n uint64) {
	v.have |= f
	v.n[f.position()] = n
}

// setScaled takes n * num / den as the figure f unless it is too large.
func (v *values) setScaled(f fields, n, num, den uint64) {
	if n, ok := scaled(n, num, den); ok {
		v.set(f, n)
	}
}

// sum returns the sum of the figures in f.
func (v *values) sum(f fields) (n uint64) {
	for ; f != 0; f &= f - 1 {
		n += v.n[f.position()]
	}
	return n
}

// fraction returns part and whole as the 4-byte numbers of PERF_RAW_FRACTION and
// PERF_RAW_BASE: both are halved until they fit.
func fraction(part, whole uint64) (uint64, uint64) {
	shift := max(0, bits.Len64(max(part, whole))-bits.Len32(math.MaxUint32))
	return part >> shift, whole >> shift
}

// key says which figure stands under a name in a file of lines "name value"
// or "name: value".
type key struct {
	name string
	fields
	unit uint64 // the figure is the number in the file times unit
}

// kib is the unit of what the kernel calls kB.
const kib = 1024

// setKeys takes the figures of a whole file by their names. Names it does not
// know are passed over; what is no number is left out.
func (v *values) setKeys(text []byte, keys []key) {
	for {
		line, rest, ok := cutLine(text)
		if !ok {
			return
		}
		v.setKey(line, keys)
		text = rest
	}
}

// setKey takes the figure of one line.
func (v *values) setKey(line []byte, keys []key) {
	name, rest := cutWord(line)
	if n := len(name); n > 0 && name[n-1] == ':' {
		name = name[:n-1]
	}
	word, _ := cutWord(rest)
	v.setNamed(name, word, keys)
}

// setNamed takes the figure that stands under a name.
func (v *values) setNamed(name, number []byte, keys []key) {
	for i := range keys {
		if k := &keys[i]; string(name) == k.name {
			if n, ok := decimal(number); ok {
				v.setScaled(k.fields, n, k.unit, 1)
			}
			return
		}
	}
}

// units are the host's units.
type units struct {
	ticks uint64 // clock ticks in a second
	page  uint64 // bytes in a page
}

// setTicks takes a time in clock ticks as the figure f.
func (u units) setTicks(v *values, f fields, ticks uint64) {
	v.setScaled(f, ticks, perSecond, u.ticks)
}

// perSecond is the number of the object clock's and of FILETIME's units, of
// 100 ns, in a second.
const perSecond = 10_000_000
