package typed

import "unsafe"

// rows are one field of the rows of a slice. This file is all of the package that
// is unsafe. It rests on two facts: fieldsOf takes offset from package reflect,
// for a field of exactly the type that its set function writes, so that it lies
// within a row; and of makes a field of rows that the slice has.
type rows struct {
	first  unsafe.Pointer // the first row
	size   uintptr        // from one row to the next
	offset uintptr        // of the field within a row
	n      int
}

// of returns the field at offset of all rows.
func of[T any](all []T, offset uintptr) rows {
	var row T
	return rows{unsafe.Pointer(unsafe.SliceData(all)), unsafe.Sizeof(row), offset, len(all)}
}

// place is where the field of row i is, 0 ≤ i < r.n.
func place[F any](r rows, i int) *F {
	return (*F)(unsafe.Add(r.first, r.offset+uintptr(i)*r.size))
}
