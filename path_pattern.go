package winperf

import (
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

// Pattern is a name with wildcards, made once by [CompilePattern] and matched
// often: * stands for any run of characters, also none, ? for exactly one
// character, and everything else for itself in either case. There is no
// escape: a * or ? that a name really holds is matched as a wildcard too.
//
// Case is ignored under Unicode simple folding, as strings.EqualFold does. The
// zero Pattern matches the empty name only.
type Pattern struct {
	text string
	kind patternKind
	// For kindWildcard, one of these: folded is text ready for comparing, runs of * are one star and the rest
	// is folded.
	auto   *automaton
	folded []rune
}

// patternKind tells how a Pattern is compared.
type patternKind uint8

const (
	kindLiteral patternKind = iota // no wildcard: one comparison
	kindAll                        // stars only: no comparison
	kindWildcard
)

// anyRun is the wildcard for any run of characters. ? is itself in Pattern.folded, too.
const anyRun = '*'

// longest is the number of characters up to which a pattern gets an automaton, whose memory grows with its
// square.
const longest = 1023

// CompilePattern makes a Pattern. Every text is one.
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

// String returns the text that the Pattern was made of.
func (p Pattern) String() string { return p.text }

// HasWildcard reports whether the pattern can match more than one name.
func (p Pattern) HasWildcard() bool { return p.kind != kindLiteral }

// Match reports whether the whole of name matches. Its time is linear in the length of name: a step takes as
// long for any pattern of up to 63 characters, and in proportion to its length for a longer one. Only for a
// pattern of more than 1,023 characters its time is bounded by the product of both lengths. It allocates
// nothing for patterns of up to 255 characters.
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

// matchLong walks over name once. Where a character does not fit, the last
// star takes one character more and the walk goes on behind it; earlier stars
// need never be tried again, because the last one can take over all they could.
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

// decode is utf8.DecodeRuneInString, quick for ASCII.
func decode(s string) (r rune, size int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func hasWildcard(text string) bool { return strings.ContainsAny(text, "*?") }
