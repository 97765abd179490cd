package winperf

import (
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

// Pattern is a name with wildcards, compiled by [CompilePattern]. * matches any run of characters,
// including none; ? matches one character. There is no escape: a * or ? in the text of the pattern
// is always a wildcard.
//
// Other characters match under Unicode simple case folding, as in strings.EqualFold. The zero
// Pattern matches only the empty name.
type Pattern struct {
	text string
	kind patternKind
	// For kindWildcard, one of the two is set. folded is text after case folding, with runs of * as
	// one star.
	auto   *automaton
	folded []rune
}

// patternKind is the method of comparison of a Pattern.
type patternKind uint8

const (
	kindLiteral patternKind = iota // no wildcard: one comparison
	kindAll                        // stars only: no comparison
	kindWildcard
)

// anyRun is the wildcard for any run of characters in Pattern.folded.
const anyRun = '*'

// longest is the largest number of characters for which a pattern gets an automaton, whose memory
// grows with its square.
const longest = 1023

// CompilePattern compiles a Pattern. Every text is valid.
func CompilePattern(text string) Pattern {
	p := Pattern{text: text}
	switch {
	case !hasWildcard(text):
		return p
	case strings.Trim(text, "*") == "":
		p.kind = kindAll
		return p
	}

	p.kind = kindWildcard
	folded := make([]rune, 0, len(text))
	for _, r := range text {
		if n := len(folded); r == anyRun && n > 0 && folded[n-1] == anyRun {
			continue
		}
		folded = append(folded, wire.Fold(r))
	}
	if len(folded) <= longest {
		p.auto = newAutomaton(folded)
	} else {
		p.folded = folded
	}
	return p
}

// String returns the text that was passed to CompilePattern.
func (p Pattern) String() string { return p.text }

// HasWildcard reports whether the pattern can match more than one name.
func (p Pattern) HasWildcard() bool { return p.kind != kindLiteral }

// Match reports whether the pattern matches the whole name. For patterns of up to 63 characters the
// time is proportional to the length of name, for longer ones it is limited by the product of both
// lengths. Match allocates nothing for patterns of up to 255 characters.
func (p Pattern) Match(name string) bool {
	return p.kind == kindAll || p.match(name)
}

func (p Pattern) match(name string) bool {
	if p.kind == kindLiteral {
		return strings.EqualFold(p.text, name)
	}
	if p.auto != nil {
		return p.auto.match(name)
	}
	return p.matchLong(name)
}

// matchLong scans name once. At a mismatch the last star takes one more character and the scan
// continues after it. Earlier stars need no retry, because the last one can take over all their
// characters.
func (p Pattern) matchLong(name string) bool {
	star, resume := -1, 0 // the last star in folded, and where in name its run ends
	i, at := 0, 0         // in folded, in name
	for at < len(name) {
		r, size := decode(name[at:])
		switch {
		case i < len(p.folded) && p.folded[i] == anyRun:
			star, resume = i, at
			i++
			if i == len(p.folded) {
				return true
			}

		case i < len(p.folded) && (p.folded[i] == '?' || p.folded[i] == wire.Fold(r)):
			i++
			at += size
		case star >= 0:
			_, size = decode(name[resume:])
			resume += size
			i, at = star+1, resume
		default:
			return false
		}
	}

	if i < len(p.folded) && p.folded[i] == anyRun {
		i++
	}
	return i == len(p.folded)
}

// decode is utf8.DecodeRuneInString, with a fast path for ASCII.
func decode(s string) (r rune, size int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func hasWildcard(text string) bool { return strings.ContainsAny(text, "*?") }
