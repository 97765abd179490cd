package linuxhost

import (
	"bytes"
	"iter"
	"math"
	"math/bits"
)

// cutLine cuts off the first line. A line without a newline is incomplete and fails.
func cutLine(text []byte) (line, rest []byte, ok bool) {
	i := bytes.IndexByte(text, '\n')
	if i < 0 {
		return nil, nil, false
	}
	return text[:i], text[i+1:], true
}

func lines(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for line, rest, ok := cutLine(text); ok; line, rest, ok = cutLine(rest) {
			if !yield(line) {
				return
			}
		}
	}
}

// cutWord cuts off the first word. Blanks and tabs separate words.
func cutWord(line []byte) (word, rest []byte) {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	j := i
	for j < len(line) && !isBlank(line[j]) {
		j++
	}
	return line[i:j], line[j:]
}

// cutPair cuts off the word "name=value". value is nil without "=".
func cutPair(line []byte) (name, value, rest []byte) {
	word, rest := cutWord(line)
	if i := bytes.IndexByte(word, '='); i >= 0 {
		return word[:i], word[i+1:], rest
	}
	return word, nil, rest
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// decimal parses digits, at most 64 bits.
func decimal(word []byte) (n uint64, ok bool) {
	for _, c := range word {
		d := uint64(c - '0')
		if d > 9 || n > math.MaxUint64/10 || n*10 > math.MaxUint64-d {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(word) > 0
}

// signed is decimal with an optional minus sign.
func signed(word []byte) (int64, bool) {
	digits, negative := bytes.CutPrefix(word, []byte{'-'})
	n, ok := decimal(digits)
	if !ok || n > math.MaxInt64 {
		return 0, false
	}
	if negative {
		return -int64(n), true
	}
	return int64(n), true
}

// parseHundredths parses exactly two places, such as "0.05".
func parseHundredths(word []byte) (uint64, bool) {
	whole, part, _ := bytes.Cut(word, []byte{'.'})
	n, ok := decimal(whole)
	p, okPart := decimal(part)
	if !ok || !okPart || len(part) != 2 || n > math.MaxUint64/100-1 {
		return 0, false
	}
	return n*100 + p, true
}

// scaled returns n * num / den with a 128-bit product. It fails above 64 bits. den must not be 0.
func scaled(n, num, den uint64) (v uint64, ok bool) {
	hi, lo := bits.Mul64(n, num)
	if den == 1 {
		return lo, hi == 0 // division is slow
	}
	if hi >= den {
		return 0, false
	}
	v, _ = bits.Div64(hi, lo, den)
	return v, true
}
