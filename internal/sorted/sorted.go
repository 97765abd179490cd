// Package sorted sorts slices as package slices does, with one copy of the algorithm for all element types. A
// copy for a type adds about 20 KB to the program. Use package slices where the time matters.
package sorted

import "sort"

// Func sorts a slice. compare returns a negative number if a is before b. Equal elements keep their order.
func Func[T any](list []T, compare func(a, b T) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
