package foreign

import (
	"fmt"
	"math"
	"strings"
)

// Texts cross the interface as UTF-8, each ended by a NUL; a list of them is ended by one more.

// plain returns a text that is valid UTF-8 without a NUL, which would end it.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// textSize is how many bytes a text takes.
func textSize(s string) (int, error) { return within(len(plain(s)) + 1) }

// listSize is how many bytes a list takes.
func listSize(list []string) (int, error) {
	n := 1
	for _, s := range list {
		n += len(plain(s)) + 1
	}
	return within(n)
}

// copyText writes a text into out and returns how many bytes it takes. One that does not fit
// leaves out as it is.
func copyText(out []byte, s string) (int, error) {
	s = plain(s)
	if len(out) <= len(s) {
		return len(s) + 1, tooSmall(len(out), len(s)+1, "bytes")
	}
	out[copy(out, s)] = 0
	return len(s) + 1, nil
}

// copyList is copyText for a list.
func copyList(out []byte, list []string) (int, error) {
	n, err := listSize(list)
	if err != nil {
		return 0, err
	}
	if len(out) < n {
		return n, tooSmall(len(out), n, "bytes")
	}

	at := 0
	for _, s := range list {
		at += copy(out[at:], plain(s))
		out[at] = 0
		at++
	}
	out[at] = 0
	return n, nil
}

// copyAll writes a slice into out and returns how long it is. One that does not fit leaves
// out as it is.
func copyAll[T any](out, all []T) (int, error) {
	if len(out) < len(all) {
		return len(all), tooSmall(len(out), len(all), "elements")
	}
	return copy(out, all), nil
}

func tooSmall(room, want int, what string) error {
	return fmt.Errorf("room for %d %s, and there are %d: %w", room, what, want, TooSmall)
}

// within returns a size that callers can be told, which is one of 31 bits.
func within(n int) (int, error) {
	if n > math.MaxInt32 {
		return 0, fmt.Errorf("%d bytes or elements: %w", n, TooMany)
	}
	return n, nil
}
