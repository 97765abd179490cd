package pdhtext

import (
	"bytes"

	"github.com/winperf/winperf/counter"
)

// notation is the evidence for the decimal separator of a column or a file, as bits.
type notation uint8

const (
	pointDecimal notation = 1 << iota // a number that only a decimal point allows
	commaDecimal                      // a number that only a decimal comma allows
	pointAssumed                      // an uncertain number was read with a decimal point
	commaAssumed                      // an uncertain number was read with a decimal comma
)

const certain = pointDecimal | commaDecimal

// opposite returns the assumptions that evidence contradicts.
func (n notation) opposite() (assumed notation) {
	if n&pointDecimal != 0 {
		assumed |= commaAssumed
	}
	if n&commaDecimal != 0 {
		assumed |= pointAssumed
	}
	return assumed
}

// groupMarks are the characters between groups of digits besides point and comma, in UTF-8 and in
// the code pages of Windows: blank, no-break blanks, apostrophes.
var groupMarks = [...]string{"\u00a0", "\u202f", "\u2019", " ", "'", "\xa0", "\x92"}

// parseLocalized reads a number with a decimal comma or with grouped digits. It returns it in the
// notation of Windows, and the evidence: both notations if it is uncertain, as 1,234 is; text is
// then in the notation of a decimal point. ok is false if b is no such number.
func parseLocalized(dst, b []byte) (text []byte, is notation, ok bool) {
	b = trimBlanks(b)
	sign := 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		sign = 1
	}
	text = append(dst, b[:sign]...)
	digits := b[sign:]
	if len(digits) < 2 || bytes.IndexByte([]byte("0123456789,."), digits[0]) < 0 {
		return nil, 0, false
	}

	// Marks that are no decimal separator are removed if they separate groups.
	for _, mark := range groupMarks {
		if bytes.Contains(digits, []byte(mark)) {
			whole := digits
			if end := bytes.IndexAny(digits, ".,"); end >= 0 {
				whole = digits[:end]
			}
			joined, grouped := ungroup(whole, mark)
			if !grouped {
				return nil, 0, false
			}
			text = append(append(text, joined...), digits[len(whole):]...)
			return decimalOf(text)
		}
	}

	comma, point := bytes.LastIndexByte(digits, ','), bytes.LastIndexByte(digits, '.')
	switch {
	case comma < 0 && bytes.Count(digits, []byte{'.'}) < 2:
		return nil, 0, false
	case comma >= 0 && point >= 0: // the last one is the decimal separator
		last, mark, is := comma, ".", commaDecimal
		if point > comma {
			last, mark, is = point, ",", pointDecimal
		}
		joined, grouped := ungroup(digits[:last], mark)
		text = append(append(append(text, joined...), '.'), digits[last+1:]...)
		return text, is, grouped && isNumeral(digits[last+1:], true)
	case point >= 0 || bytes.Count(digits, []byte{','}) > 1:
		mark, is := ",", pointDecimal
		if point >= 0 {
			mark, is = ".", commaDecimal
		}
		joined, grouped := ungroup(digits, mark)
		return append(text, joined...), is, grouped
	}

	if _, grouped := ungroup(digits, ","); grouped {
		return append(append(text, digits[:comma]...), digits[comma+1:]...), certain, true
	}
	return decimalOf(append(text, digits...))
}

// decimalOf is parseLocalized for a number whose only mark, if any, is the decimal separator.
func decimalOf(text []byte) ([]byte, notation, bool) {
	mark := bytes.IndexAny(text, ".,")
	if mark < 0 {
		return text, 0, true
	}
	is := pointDecimal
	if text[mark] == ',' {
		text[mark], is = '.', commaDecimal
	}
	return text, is, isNumeral(text[mark+1:], true)
}

// ungroup joins groups of digits: the last has three, the others two or three, the first one to
// three and no zero at its beginning. It reports whether b has this form.
func ungroup(b []byte, mark string) (joined []byte, ok bool) {
	groups := bytes.Split(b, []byte(mark))
	for i, group := range groups {
		first, last := i == 0, i == len(groups)-1
		switch n := len(group); {
		case !isNumeral(group, false), n == 0, n > 3, last && n < 3, !first && n < 2, first && group[0] == '0':
			return nil, false
		}
		joined = append(joined, group...)
	}
	return joined, len(groups) > 1
}

// isNumeral reports whether b has only digits, or an exponent behind them if that is allowed.
func isNumeral(b []byte, exponent bool) bool {
	allowed := "0123456789"
	if exponent {
		allowed += "eE+-"
	}
	return len(bytes.Trim(b, allowed)) == 0
}

// isEitherNotation reports whether a number with one point may also be an integer with grouped
// digits: one to three digits before the point, three behind it.
func isEitherNotation(b []byte) bool {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	_, grouped := ungroup(b, ".")
	return grouped && bytes.Count(b, []byte{'.'}) == 1
}

// addEvidence adds the evidence of a certain number to a column and its file. Evidence against an
// earlier assumption is damage.
func (t *Reader) addEvidence(c *textColumn, is notation) {
	if c.notation&is.opposite() != 0 {
		c.notation &^= pointAssumed | commaAssumed
		t.fail(c.column+firstField,
			"the decimal separator differs from the one that earlier numbers of the column were read with")
	}
	c.notation |= is
	t.notation |= is
}

// notationOf returns the notation of an uncertain number: of its column, else of its file, else
// usual. Both mean that it remains uncertain.
func (t *Reader) notationOf(c *textColumn, usual notation) notation {
	known := c.notation & certain
	if known == 0 {
		known = t.notation & certain
	}
	if known == 0 {
		known = usual
	}

	switch known {
	case pointDecimal:
		c.notation |= pointAssumed
	case commaDecimal:
		c.notation |= commaAssumed
	}
	return known
}

// localized reads a field that is no number in the notation of Windows.
func (t *Reader) localized(c *textColumn, field []byte) (counter.Kind, uint64, valueKind) {
	text, is, ok := parseLocalized(t.number[:0], field)
	if !ok || bytes.Count(field, []byte{'.'}) > 1 && (c.notation|t.notation)&commaDecimal == 0 {
		return counter.KindNone, 0, isText // also an address such as 192.168.100.200
	}
	t.number = text
	if is != certain {
		value, bits, kind := parseValue(text)
		if kind == isNumber {
			t.addEvidence(c, is)
		}
		return value, bits, kind
	}

	usual := certain
	if t.head.separator == ';' { // it replaces the comma because that is the decimal separator
		usual = commaDecimal
	}
	switch t.notationOf(c, usual) {
	case pointDecimal:
		return parseValue(text)
	case commaDecimal:
		return parseValue(bytes.Replace(trimBlanks(field), []byte{','}, []byte{'.'}, 1))
	}
	return counter.KindNone, 0, isUncertain
}

// withPoint returns the meaning of a field that is a number with a decimal point.
func (t *Reader) withPoint(
	c *textColumn, field []byte, value counter.Kind, bits uint64,
) (counter.Kind, uint64, valueKind) {
	field = trimBlanks(field)
	switch {
	case bytes.IndexByte(field, '.') < 0:
		return value, bits, isNumber
	case !isEitherNotation(field):
		t.addEvidence(c, pointDecimal)
		return value, bits, isNumber
	}

	usual := pointDecimal
	if t.head.separator == ';' {
		usual = certain
	}
	switch t.notationOf(c, usual) {
	case pointDecimal:
		return value, bits, isNumber
	case commaDecimal:
		return parseValue(bytes.Replace(field, []byte{'.'}, nil, 1))
	}
	return counter.KindNone, 0, isUncertain
}
