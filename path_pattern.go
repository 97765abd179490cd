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
	// folded is text ready for comparing, for kindWildcard: runs of * are one
	// star and the rest is folded.
	folded []rune
}

// patternKind tells how a Pattern is compared.
type patternKind uint8

const (
	kindLiteral patternKind = iota // no wildcard: one comparison
	kindAll                        // stars only: no comparison
	kindWildcard
)

// anyRun is * in Pattern.folded, where ? is itself.
const anyRun = '*'

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
	p.folded = make([]rune, 0, len(text))
	for _, r := range text {
		if n := len(p.folded); r == anyRun && n > 0 && p.folded[n-1] == anyRun {
			continue
		}
		p.folded = append(p.folded, wire.Fold(r))
	}
	return p
}

// String returns the text that the Pattern was made of.
func (p Pattern) String() string { return p.text }

// HasWildcard reports whether the pattern can match more than one name.
func (p Pattern) HasWildcard() bool { return p.kind != kindLiteral }

// Match reports whether the whole of name matches. It allocates nothing, and its
// time is bounded by the product of both lengths.
func (p Pattern) Match(name string) bool {
	return p.kind == kindAll || p.match(name)
}

func (p Pattern) match(name string) bool {
	if p.kind == kindLiteral {
		return strings.EqualFold(p.text, name)
	}
	return p.matchWildcard(name)
}

// matchWildcard walks over name once. Where a character does not fit, the last
// star takes one character more and the walk goes on behind it; earlier stars
// need never be tried again, because the last one can take over all they could.
func (p Pattern) matchWildcard(name string) bool {
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
