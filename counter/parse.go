package counter

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/winperf/winperf/internal/suggest"
)

// ErrType is wrapped by the errors of [ParseType].
var ErrType = errors.New("unknown counter type")

const prefix = "PERF_" // of every name in winperf.h

// ParseType parses a type: a name of winperf.h in upper or lower case, with or without PERF_, or a
// 32-bit number, decimal or hexadecimal with 0x. The number may be an unknown type. An error wraps
// [ErrType] and suggests a type with a similar name, if one exists.
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
	return 0, fmt.Errorf("%w %q: expected a name such as PERF_COUNTER_RAWCOUNT, or a 32-bit number", ErrType, s)
}

// parseNumber parses a word in decimal or, with 0x, in hexadecimal.
func parseNumber(s string) (Type, error) {
	base := 10
	if digits, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok {
		s, base = digits, 16
	}
	n, err := strconv.ParseUint(s, base, 32)
	return Type(n), err
}

// withoutPrefix removes PERF_ in upper or lower case.
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

// nearest returns the full name closest to name, or "". name lacks PERF_ and may lack COUNTER_.
func nearest(name string) string {
	spellings := map[string]string{}
	near := suggest.Closest(name, func(yield func(string) bool) {
		for _, known := range names {
			for _, spelled := range [...]string{known, strings.TrimPrefix(known, "COUNTER_")} {
				spellings[spelled] = prefix + known
				if !yield(spelled) {
					return
				}
			}
		}
	})
	return spellings[near]
}
