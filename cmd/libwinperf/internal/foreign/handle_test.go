package foreign

import (
	"errors"
	"math"
	"testing"
)

// thing is an object with a handle.
type thing struct{ failure }

func (*thing) kind() string { return "thing" }

func TestHandles(t *testing.T) {
	var all table
	var last Handle
	for range 1000 {
		h, err := all.add(&thing{})
		if err != nil || h <= last {
			t.Fatalf("handle %d after %d: %v", h, last, err)
		}
		if !all.remove(h) || all.remove(h) {
			t.Fatalf("handle %d is not removed once", h)
		}
		if _, err := find[*thing](&all, h); codeOf(err) != UnknownHandle {
			t.Fatalf("a closed handle: %v", err)
		}
		last = h
	}
	for _, h := range []Handle{0, -1, math.MinInt32, math.MaxInt32} {
		if _, err := find[*thing](&all, h); codeOf(err) != UnknownHandle {
			t.Errorf("handle %d: %v", h, err)
		}
	}
}

// After the last number the first come again, but for those that are in use.
func TestHandlesBeginAnew(t *testing.T) {
	var all table
	kept, _ := all.add(&thing{})
	all.last = math.MaxInt32 - 1
	for _, want := range []Handle{math.MaxInt32, kept + 1, kept + 2} {
		if h, err := all.add(&thing{}); h != want || err != nil {
			t.Errorf("handle %d, want %d: %v", h, want, err)
		}
	}
}

func TestTooManyHandles(t *testing.T) {
	var all table
	for range maxObjects {
		if _, err := all.add(&thing{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := all.add(&thing{}); !errors.Is(err, TooMany) {
		t.Errorf("one more: %v", err)
	}
	all.remove(7)
	if _, err := all.add(&thing{}); err != nil {
		t.Errorf("when one is closed: %v", err)
	}
}

// The numbers of codes are what other programs are built with.
func TestCodes(t *testing.T) {
	want := map[Code]Code{
		OK: 0, Failed: -1, UnknownHandle: -2, WrongKind: -3, WrongState: -4, BadArgument: -5, Anomaly: -6,
		TooSmall: -7, NotFound: -8, NotSupported: -9, Timeout: -10, End: -11, Damaged: -12, TooMany: -13,
	}
	seen := map[string]bool{}
	for code, number := range want {
		if code != number || code.Error() == "" || seen[code.Error()] {
			t.Errorf("code %d is %d, %q", number, code, code.Error())
		}
		seen[code.Error()] = true
	}
	if len(want) != numCodes || Code(1).Error() != "unknown code 1" || Code(-99).Error() != "unknown code -99" {
		t.Errorf("%d codes of %d", len(want), numCodes)
	}
	if got := Code(math.MinInt32).Error(); got != "unknown code -2147483648" { // which is its own negative
		t.Errorf("the lowest number: %q", got)
	}
}

// Texts that C cannot hold are changed so that it can.
func TestTexts(t *testing.T) {
	out := make([]byte, 20)
	n, err := copyList(out, []string{"a\x00b", "", "\xFF"})
	if want := "a\uFFFDb\x00\x00\uFFFD\x00\x00"; err != nil || string(out[:n]) != want {
		t.Errorf("%q, %v, want %q", out[:n], err, want)
	}
	if size, _ := listSize([]string{"a\x00b", "", "\xFF"}); size != n {
		t.Errorf("the size is %d, and it has %d bytes", size, n)
	}
	if n, err := copyText(out[:2], "ab"); n != 3 || !errors.Is(err, TooSmall) {
		t.Errorf("no room for the NUL: %d, %v", n, err)
	}
}
