package nametable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// ReadFile reads name tables from an open file; messages contain its name. It reads two
// forms, each with or without a byte order mark:
//
//   - the bytes of a registry value: MULTI_SZ in UTF-16LE, read tolerantly;
//   - text in UTF-8 or UTF-16LE: a line for each pair, with index, TAB and text.
//     Empty lines and lines that begin with # are ignored.
//
// One file may hold names and help texts: even indices are names, odd ones above 1 are help
// texts. The language of the result is English; set Language to change it.
//
// Damage has a byte offset in the first form, and line and column (in bytes) in text. The
// error is the error of r, or it wraps [winperf.ErrBadData]: the file has no readable pair
// or is larger than [MaxBytes].
func ReadFile(name string, r io.Reader) (winperf.NameTable, []error, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return winperf.NameTable{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	return fileTable(name, b)
}

func fileTable(name string, b []byte) (winperf.NameTable, []error, error) {
	if len(b) > MaxBytes {
		return winperf.NameTable{}, nil, fmt.Errorf("%s: more than %d bytes: %w", name, MaxBytes,
			winperf.ErrBadData)
	}
	t, damage := parseFile(name, b)
	if t.Len() == 0 {
		return winperf.NameTable{}, damage,
			fmt.Errorf("%s: found no name in %d bytes, expected MULTI_SZ or lines of index, TAB and text: %w",
				name, len(b), winperf.ErrBadData)
	}
	return t.NameTable(English), damage, nil
}

func parseFile(name string, b []byte) (*Table, []error) {
	utf16 := b
	if bytes.HasPrefix(b, []byte("\xff\xfe")) {
		utf16 = b[2:]
	} else if bytes.IndexByte(b, 0) < 0 {
		return parseLines(name, strings.TrimPrefix(string(b), "\ufeff"))
	}
	if even := utf16[:len(utf16)&^1]; countNUL(even) == 0 {
		return parseLines(name, wire.Decode(even, wire.UTF16LE))
	}
	return parse(name, utf16, len(b)-len(utf16), Options{Tolerant: true})
}

func parseLines(name, s string) (*Table, []error) {
	var table builder
	damages := damageList{source: name}
	n := 0
	for line := range strings.Lines(s) {
		n++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "" || line[0] == '#' {
			continue
		}

		damage := func(f *fault, column int) {
			at := winperf.DataError{Line: n, Column: column}
			damages.add(f, at, func() string { return excerpt(line[column-1:]) })
		}
		index, text, f, column := parseLine(line)
		if column > 0 {
			damage(f, column)
			continue
		}

		if len(table.pairs) == maxPairs {
			damage(tooMany, 1)
			break
		}

		if f, ok := table.order(index); !ok && f == duplicate {
			damage(f, 1)
		}
		table.text.WriteString(text)
		table.add(index)
	}
	return table.table(Mixed), damages.all()
}

// parseLine reads one line of index, TAB and text. If it returns a fault, column is its
// place.
func parseLine(line string) (index uint32, text string, f *fault, column int) {
	if bad := invalidUTF8(line); bad >= 0 {
		return 0, "", badUTF8, bad + 1
	}
	digits, text, tab := strings.Cut(line, "\t")
	index, ok := parseIndex(digits, 1)
	switch {
	case !ok:
		return 0, "", badIndex, 1
	case !tab:
		return 0, "", noTab, len(line) + 1
	case text == "":
		return 0, "", noText, len(line) + 1
	}
	return index, text, nil, 0
}

func excerpt(rest string) string {
	if rest == "" {
		return "the end of the line"
	}
	return fmt.Sprintf("%.40q", rest)
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}
