package typed

import "unsafe"

// rows is one field of the rows of a slice. All unsafe code of the package is in this file. It is
// safe because fieldsOf takes the offset from package reflect, for a field of the type that its set
// function writes, and because n is the length of the slice.
type rows struct {
	first  unsafe.Pointer
	size   uintptr // of a row
	offset uintptr
	n      int
}

// of returns the field at offset of all rows.
func of[T any](all []T, offset uintptr) rows {
	var row T
	return rows{unsafe.Pointer(unsafe.SliceData(all)), unsafe.Sizeof(row), offset, len(all)}
}

// place returns the field of row i, 0 ≤ i < r.n.
func place[F any](r rows, i int) *F {
	return (*F)(unsafe.Add(r.first, r.offset+uintptr(i)*r.size))
}
