package sorted

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type element struct {
	key   int
	place int // before sorting
	text  string
}

// Func sorts, and keeps the order of equal elements.
func TestFunc(t *testing.T) {
	for n := range 200 {
		list := make([]element, n)
		for i := range list {
			list[i] = element{key: rand.IntN(10), place: i, text: "x"}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b element) int { return a.key - b.key })
		Func(list, func(a, b element) int { return a.key - b.key })
		if !slices.Equal(list, want) {
			t.Fatalf("%d elements: %v, want %v", n, list, want)
		}
	}
}
