package textset

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestSet compares a set with a map, grown beforehand and not.
func TestSet(t *testing.T) {
	for _, grow := range []int{0, 10, 5000} {
		var s Set
		if s.Find(nil) >= 0 || s.Len() != 0 {
			t.Fatal("the zero Set is not empty")
		}
		s.Grow(grow, 3*grow)
		random := rand.New(rand.NewPCG(1, 2))
		want := map[string]int{}
		for range 20_000 {
			text := fmt.Sprint(random.IntN(7000))[1:] // also the empty one
			n, known := want[text]
			if found := s.Find([]byte(text)); known && found != n || !known && found != -1 {
				t.Fatalf("%q is %d, want %d, %v", text, found, n, known)
			}
			if !known {
				n = len(want)
				want[text] = n
			}
			if got, added := s.Add([]byte(text)); got != n || added == known {
				t.Fatalf("%q becomes %d, %v; want %d, %v", text, got, added, n, !known)
			}
		}
		if s.Len() != len(want) || len(want) < 1000 {
			t.Fatalf("%d texts, want %d", s.Len(), len(want))
		}
		for text, n := range want {
			if got := s.At(n); string(got) != text {
				t.Errorf("text %d is %q, want %q", n, got, text)
			}
		}

		s.Reset()
		for text := range want {
			if n := s.Find([]byte(text)); n >= 0 {
				t.Fatalf("%q is %d in an empty set", text, n)
			}
		}
		if n, added := s.Add([]byte("first")); n != 0 || !added || s.Len() != 1 {
			t.Errorf("the first text becomes %d of %d, %v", n, s.Len(), added)
		}
	}
}

// Texts of one hash are told apart: of three in four slots some always meet.
func TestSetCollisions(t *testing.T) {
	for range 100 { // each with hashes of its own
		var s Set
		s.Grow(3, 3)
		s.slots = s.slots[:4]
		all := []string{"a", "b", "c"}
		for _, text := range all {
			s.Add([]byte(text))
		}
		for i, text := range all {
			if n := s.Find([]byte(text)); n != i {
				t.Fatalf("%s is %d, want %d", text, n, i)
			}
		}
		if n := s.Find([]byte("d")); n >= 0 || len(s.slots) != 4 {
			t.Fatalf("d is %d, of %d slots", n, len(s.slots))
		}
	}
}

// A set that knows the size in advance needs little more memory than the texts.
func TestSetMemory(t *testing.T) {
	const n, size, most = 100_000, len("000000"), 14 // bytes for a text in addition to its own
	var s Set
	s.Grow(n, n*size)
	slots := &s.slots[0]
	var text []byte
	for i := range n {
		text = fmt.Appendf(text[:0], "%06d", i)
		s.Add(text)
	}
	if held := cap(s.bytes) + 8*cap(s.ends) + 4*cap(s.slots); held > (size+most)*n {
		t.Errorf("%d bytes for %d texts", held, n)
	}
	if &s.slots[0] != slots {
		t.Error("there are other slots")
	}
}
