// Package suggest finds the name that was probably meant by one that is not
// known, for "did you mean" in error messages.
package suggest

import (
	"iter"
	"slices"
	"unicode"
)

// maxName bounds the work for one pair of names. Longer ones are not compared.
const maxName = 256

// Closest returns the candidate that is one edit from name, else the first that
// begins with name, else the one with the fewest edits, at most one for every
// three characters of name, else "". An edit is one character put in, taken
// out, replaced, or exchanged with the one beside it. Case does not count. Of
// several equally near the first is taken.
//
// The work for a candidate is bounded by the square of 256 characters, and only
// candidates of about the same length are compared at all.
func Closest(name string, candidates iter.Seq[string]) string {
	want := lower(nil, name)
	if len(want) == 0 || len(want) > maxName {
		return ""
	}

	var (
		nearest, longer string
		have            []rune
		rows            distance
		limit           = len(want)/3 + 1 // edits of nearest; at first one more than allowed
	)

	for candidate := range candidates {
		have = lower(have[:0], candidate)
		if d := rows.between(want, have, limit); d < limit {
			nearest, limit = candidate, d
		}
		if longer == "" && len(have) > len(want) && slices.Equal(have[:len(want)], want) {
			longer = candidate
		}
	}

	if longer != "" && (nearest == "" || limit > 1) {
		return longer
	}
	return nearest
}

// lower appends the characters of s in lower case, as far as maxName needs.
func lower(dst []rune, s string) []rune {
	for _, r := range s {
		if len(dst) > maxName {
			break
		}
		dst = append(dst, unicode.ToLower(r))
	}
	return dst
}

// distance holds three rows of the table of edit distances, kept for the next
// pair: row i, column j is the distance of the first i and j characters.
type distance struct{ before, last, row []int }

// between returns the edit distance of a and b, neighbours exchanged being one
// edit ("optimal string alignment"), or limit if it is not below that.
func (t *distance) between(a, b []rune, limit int) int {
	if len(b) > maxName || len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	t.before = resize(t.before, len(b)+1)
	t.last = resize(t.last, len(b)+1)
	t.row = resize(t.row, len(b)+1)
	for j := range t.row {
		t.row[j] = j
	}

	for i := 1; i <= len(a); i++ {
		t.before, t.last, t.row = t.last, t.row, t.before
		t.row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			t.row[j] = t.cell(a, b, i, j)
			least = min(least, t.row[j])
		}
		if least >= limit {
			return limit
		}
	}
	return min(t.row[len(b)], limit)
}

// cell computes row i, column j from what is left of it and above.
func (t *distance) cell(a, b []rune, i, j int) int {
	if a[i-1] == b[j-1] {
		return t.last[j-1]
	}
	d := 1 + min(t.last[j-1], t.last[j], t.row[j-1])
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		d = min(d, 1+t.before[j-2])
	}
	return d
}

func resize(s []int, n int) []int {
	if cap(s) < n {
		return make([]int, n)
	}
	return s[:n]
}
