package perfdata

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	winperf "github.com/winperf/winperf"
)

// word is one word of a line of the text form.
type word struct {
	column int // from 1
	text   string
}

// errorf is an error at the word.
func (w word) errorf(format string, args ...any) error {
	return &winperf.DataError{Err: ErrText, Column: w.column, Msg: fmt.Sprintf(format, args...)}
}

// after is what follows the word's first n bytes.
func (w word) after(n int) word { return word{w.column + n, w.text[n:]} }

// split cuts a line into words. Quotes keep spaces together; a comment ends the
// line.
func split(line string) (words []word, err error) {
	for i := 0; i < len(line); {
		if isSpace(line[i]) {
			i++
			continue
		}

		if line[i] == '#' {
			break
		}
		begin := i
		for i < len(line) && !isSpace(line[i]) {
			n := 1
			if line[i] == '"' {
				quoted, err := strconv.QuotedPrefix(line[i:])
				if err != nil {
					return nil, word{column: i + 1}.errorf("string without end")
				}
				n = len(quoted)
			}
			i += n
		}
		words = append(words, word{begin + 1, line[begin:i]})
	}
	return words, nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// options reads words of the form key=value, by key.
func options(words []word, readers map[string]reader) error {
	for _, w := range words {
		key, _, ok := strings.Cut(w.text, "=")
		if !ok {
			return w.errorf("%q is not key=value", w.text)
		}
		read, ok := readers[key]
		if !ok {
			return w.errorf("unknown key %q", key)
		}
		if err := read(w.after(len(key) + 1)); err != nil {
			return err
		}
	}
	return nil
}

// reader reads a word into a variable.
type reader func(word) error

// toUnsigned reads a number without a sign that has as many bits as the
// variable.
func toUnsigned[T uint16 | uint32 | uint64](v *T) reader {
	return func(w word) error {
		n, err := strconv.ParseUint(w.text, 0, bits(*v))
		if err != nil {
			return w.errorf("%q is no number of %d bits", w.text, bits(*v))
		}
		*v = T(n)
		return nil
	}
}

// toSigned reads a number with a sign.
func toSigned[T int32 | int64](v *T) reader {
	return func(w word) error {
		n, err := strconv.ParseInt(w.text, 0, bits(*v))
		if err != nil {
			return w.errorf("%q is no signed number of %d bits", w.text, bits(*v))
		}
		*v = T(n)
		return nil
	}
}

// bits is the size of a number.
func bits(v any) int { return 8 * binary.Size(v) }

// toString reads a quoted string.
func toString(v *string) reader {
	return func(w word) (err error) {
		if *v, err = strconv.Unquote(w.text); err != nil {
			return w.errorf("want a string in double quotes")
		}
		return nil
	}
}

// toBytes reads hexadecimal digits.
func toBytes(v *[]byte) reader {
	return func(w word) (err error) {
		if *v, err = hex.DecodeString(w.text); err != nil {
			return w.errorf("want hexadecimal digits, two for each byte")
		}
		return nil
	}
}

// toForm reads the word for a form.
func toForm(v *Form) reader {
	return func(w word) error {
		i := slices.IndexFunc(forms[:], func(f formWord) bool { return f.word == w.text })
		if i < 0 {
			return w.errorf("unknown form %q", w.text)
		}
		*v = forms[i].form
		return nil
	}
}

// toSystemTime reads the 8 numbers of a SYSTEMTIME.
func toSystemTime(v *[8]uint16) reader {
	return func(w word) error {
		parts := strings.Split(w.text, ",")
		if len(parts) != len(v) {
			return w.errorf("want %d numbers with commas between them", len(v))
		}
		for i, part := range parts {
			if err := toUnsigned(&v[i])(word{w.column, part}); err != nil {
				return err
			}
			w.column += len(part) + 1
		}
		return nil
	}
}
