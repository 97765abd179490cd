package linuxhost

import (
	"errors"
	"io/fs"
	"math/bits"
)

// fields is a set of the kernel's figures that an object is made of. Each
// object numbers its own: a constant of one bit stands for one figure.
type fields uint64

// maxFields bounds the figures of one object.
const maxFields = 32

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

// lack notes why the figures in f could not be read. A file that is not there is no
// reason.
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

// accumulate adds the number to the figure f, and removes the figure if the word is not
// a number.
func (v *values) accumulate(f fields, word []byte) {
	n, ok := decimal(word)
	if !ok {
		v.have &^= f
	} else if v.has(f) {
		v.set(f, v.sum(f)+n)
	}
}

// take takes those of the figures f that from has.
func (v *values) take(from *values, f fields) {
	for f &= from.have; f != 0; f &= f - 1 {
		one := f & -f
		v.set(one, from.sum(one))
	}
}
