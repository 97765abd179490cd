package linuxhost

import (
	"errors"
	"io/fs"
	"math/bits"
)

// fields is a set of numbers from the kernel, one bit each, defined per object.
type fields uint64

const maxFields = 40

func (f fields) position() int { return bits.TrailingZeros64(uint64(f)) }

// values are the fields of one instance. Times are in 100 ns, sizes in bytes.
type values struct {
	have   fields
	failed fields // exist, but could not be read
	denied fields // may not be read
	n      [maxFields]uint64
}

func (v *values) reset() { v.have, v.failed, v.denied = 0, 0, 0 }

// markMissing records why f could not be read. A missing file is no reason.
func (v *values) markMissing(f fields, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		v.denied |= f
	case isFailure(err):
		v.failed |= f
	}
}

func (v *values) has(f fields) bool { return v.have&f == f }

// set sets the single field f.
func (v *values) set(f fields, n uint64) {
	v.have |= f
	v.n[f.position()] = n
}

// setScaled sets f to n * num / den unless that is too large.
func (v *values) setScaled(f fields, n, num, den uint64) {
	if n, ok := scaled(n, num, den); ok {
		v.set(f, n)
	}
}

func (v *values) sum(f fields) (n uint64) {
	for ; f != 0; f &= f - 1 {
		n += v.n[f.position()]
	}
	return n
}

// accumulate adds a word to f. It removes f if the word is not a number.
func (v *values) accumulate(f fields, word []byte) {
	n, ok := decimal(word)
	if !ok {
		v.have &^= f
	} else if v.has(f) {
		v.set(f, v.sum(f)+n)
	}
}

// take copies the fields f that from has.
func (v *values) take(from *values, f fields) {
	for f &= from.have; f != 0; f &= f - 1 {
		one := f & -f
		v.set(one, from.sum(one))
	}
}
