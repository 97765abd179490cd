package foreign

import (
	"fmt"
	"math"
	"strings"
)

// Texts are passed as UTF-8, each with a final NUL; a list of them ends with another NUL.

func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func textSize(s string) (int, error) { return within(len(plain(s)) + 1) }

func listSize(list []string) (int, error) {
	n := 1
	for _, s := range list {
		n += len(plain(s)) + 1
	}
	return within(n)
}

// copyText writes a text to out and returns its size. If it does not fit, out is unchanged.
func copyText(out []byte, s string) (int, error) {
	s = plain(s)
	if len(out) <= len(s) {
		return len(s) + 1, tooSmall(len(out), len(s)+1, "bytes")
	}
	out[copy(out, s)] = 0
	return len(s) + 1, nil
}

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

// copyAll copies a slice to out and returns its length. If it does not fit, out is unchanged.
func copyAll[T any](out, all []T) (int, error) {
	if len(out) < len(all) {
		return len(all), tooSmall(len(out), len(all), "elements")
	}
	return copy(out, all), nil
}

func tooSmall(capacity, want int, what string) error {
	return fmt.Errorf("the array holds %d %s, need %d: %w", capacity, what, want, TooSmall)
}

func within(n int) (int, error) {
	if n > math.MaxInt32 {
		return 0, fmt.Errorf("%d bytes or elements: %w", n, TooMany)
	}
	return n, nil
}
