package frame

import (
	"fmt"
	"testing"
)

// TestScratchGrows shows that there is space for as many operands as are asked for, for a
// quarter more where the number grows, and never for more than a strip.
func TestScratchGrows(t *testing.T) {
	var s scratch
	for _, tt := range []struct{ n, room int }{
		{100, 100}, {50, 100}, {100, 100}, {101, 125}, {200, 200}, {201, 250}, {4000, 4000}, {4001, strip}, {strip, strip},
	} {
		s.grow(tt.n)
		if got := len(s.cur); got != tt.room {
			t.Errorf("room for %d of %d operands, want %d", got, tt.n, tt.room)
		}
	}
}

// TestTextsShareLittle shows that the names which share memory are few: one that lives
// on keeps no more of the others than that.
func TestTextsShareLittle(t *testing.T) {
	const length = 8
	var s [3 * textsSize / length]string
	var all texts
	for i := range s {
		all.add(&s[i], fmt.Appendf(all.buf, "%0*d", length, i))
		if waiting, want := len(all.of), (i+1)%(textsSize/length); waiting != want || len(all.buf) != want*length {
			t.Fatalf("after %d names %d of %d bytes wait, want %d", i+1, waiting, len(all.buf), want)
		}
	}
	for i := range s {
		if want := fmt.Sprintf("%0*d", length, i); s[i] != want {
			t.Errorf("name %d is %q, want %q", i, s[i], want)
		}
	}
}
