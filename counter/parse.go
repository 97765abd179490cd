package counter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrType is wrapped by the errors of [ParseType].
var ErrType = errors.New("unknown counter type")

const prefix = "PERF_" // of every name in winperf.h

// ParseType reads a type: a name of winperf.h in any case, with or without
// PERF_, or a 32-bit number, decimal or hexadecimal with 0x. A number need not
// be a known type. An error wraps [ErrType] and names a type that is spelled
// much like s, if there is one.
func ParseType(s string) (Type, error) {
	if s != "" && '0' <= s[0] && s[0] <= '9' {
		if t, err := parseNumber(s); err == nil {
			return t, nil
		}
	}

	name := withoutPrefix(s)
	for t, known := range names {
		if strings.EqualFold(name, known) {
			return t, nil
		}
	}

	if near := nearest(name); near != "" {
		return 0, fmt.Errorf("%w %q: did you mean %s?", ErrType, s, near)
	}
	return 0, fmt.Errorf("%w %q: want a name such as PERF_COUNTER_RAWCOUNT, or a 32-bit number", ErrType, s)
}

// parseNumber reads a word in decimal or, with 0x, in hexadecimal.
func parseNumber(s string) (Type, error) {
	base := 10
	if digits, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		s, base = digits, 16
	}
	n, err := strconv.ParseUint(s, base, 32)
	return Type(n), err
}

// withoutPrefix cuts PERF_ in any case.
func withoutPrefix(s string) string {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):]
	}
	return s
}

// names ranges over the names and aliases of all types, without PERF_.
func names(yield func(Type, string) bool) {
	for i := range types {
		for _, full := range [...]string{types[i].Name, types[i].Alias} {
			name, ok := strings.CutPrefix(full, prefix)
			if ok && !yield(types[i].Type, name) {
				return
			}
		}
	}
}

// nearest returns the whole name that differs least from name (which lacks
// PERF_ and may lack COUNTER_ too), or "" if they all differ in more than a
// quarter of it.
func nearest(name string) string {
	const longest = 64 // no name is that long, and the cost grows with the length
	if len(name) > longest {
		return ""
	}

	name = strings.ToUpper(name)
	best, found := len(name)/4+1, ""
	for _, known := range names {
		for _, spelled := range [...]string{known, strings.TrimPrefix(known, "COUNTER_")} {
			// Names whose lengths differ that much are no nearer, and comparing costs.
			if max(len(name)-len(spelled), len(spelled)-len(name)) >= best {
				continue
			}
			if d := distance(name, spelled); d < best {
				best, found = d, prefix+known
			}
		}
	}
	return found
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of a[:i] to every b[:j]
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
