package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/winperf/winperf/internal/wire"
)

// texts are what the forms of UTF-16 are tried with.
var texts = []string{
	"", "a", "Prozessorzeit (%)", "ä€\u4e00", "\U0001F600 and \U0010FFFF", "a\x00b\x00", "\uFFFD", "no \xff UTF-8 \xed\xa0\x80",
}

// TestUTF16 compares what is written with the standard library's.
func TestUTF16(t *testing.T) {
	for _, s := range texts {
		units := utf16.Encode([]rune(s))
		var want []byte
		for _, u := range units {
			want = binary.LittleEndian.AppendUint16(want, u)
		}
		if got := wire.AppendUTF16([]byte("x"), s); string(got) != "x"+string(want) {
			t.Errorf("%q: %q, want %q behind an x", s, got, want)
		}
		if got := wire.AppendUTF16Z(nil, s); string(got) != string(want)+"\x00\x00" {
			t.Errorf("%q with a NUL: %q, want %q and a NUL", s, got, want)
		}
		if got := wire.NumUnits(s); got != len(units) {
			t.Errorf("%q: %d units, want %d", s, got, len(units))
		}
		if got := wire.Units(s); !slices.Equal(got, append(units, 0)) {
			t.Errorf("%q: units %x, want %x and a NUL", s, got, units)
		}

		text := strings.ToValidUTF8(strings.ReplaceAll(s, "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"), "\uFFFD")
		if got := wire.Decode(want, wire.UTF16LE); got != text {
			t.Errorf("%q read again: %q, want %q", s, got, text)
		}
		if got := wire.UnitsText(units); got != text {
			t.Errorf("%q as units read again: %q, want %q", s, got, text)
		}
	}
}

// TestUTF16Allocates nothing where there is space.
func TestUTF16Allocates(t *testing.T) {
	dst := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { dst = wire.AppendUTF16Z(dst[:0], "svchost \U0001F600") }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func TestRune(t *testing.T) {
	for _, c := range []struct {
		bytes string
		want  rune
		size  int
		ok    bool
	}{
		{"a\x00b\x00", 'a', 2, true},
		{"\x00\x00", 0, 2, true},
		{"\xFD\xFF", '\uFFFD', 2, true},
		{"\x3D\xD8\x00\xDEa\x00", '\U0001F600', 4, true},
		{"\x3D\xD8a\x00", '\uFFFD', 2, false},
		{"\x00\xDE\x3D\xD8", '\uFFFD', 2, false},
		{"\x3D\xD8", '\uFFFD', 2, false},
		{"\x3D\xD8\x00", '\uFFFD', 2, false},
		{"a", '\uFFFD', 1, false},
	} {
		if r, size, ok := wire.Rune([]byte(c.bytes)); r != c.want || size != c.size || ok != c.ok {
			t.Errorf("%q: %q of %d bytes, %t; want %q of %d, %t", c.bytes, r, size, ok, c.want, c.size, c.ok)
		}
	}
}

// TestDecode reads on behind a NUL.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		bytes    string
		codePage uint32
		want     string
	}{
		{"a\x00\x00\x00b\x00", wire.UTF16LE, "a\x00b"},
		{"a\x00\xE4", 1252, "a\x00ä"},
		{"a\x00\xE4", wire.UTF8, "a\x00\uFFFD"},
		{"a\x00\xE4", 99999, "a\x00\uFFFD"},
	} {
		if got := wire.Decode([]byte(c.bytes), c.codePage); got != c.want {
			t.Errorf("%q in code page %d: %q, want %q", c.bytes, c.codePage, got, c.want)
		}
	}
}

// TestCutUTF16 finds the ends of texts of any length at any place.
func TestCutUTF16(t *testing.T) {
	for length := range 20 {
		for behind := range 10 {
			b := wire.AppendUTF16Z(nil, strings.Repeat("Ā", length)) // its low byte is 0
			tail := bytes.Repeat([]byte{0, 1}, behind)
			text, rest, found := wire.CutUTF16(append(b, tail...))
			if !found || len(text) != 2*length || !bytes.Equal(rest, tail) {
				t.Errorf("%d characters, %d behind: %d bytes, %q, %t", length, behind, len(text), rest, found)
			}
			text, rest, found = wire.CutUTF16(b[:2*length])
			if found || len(text) != 2*length || len(rest) != 0 {
				t.Errorf("%d characters without an end: %d bytes, %q, %t", length, len(text), rest, found)
			}
		}
	}
}

func TestNewReader(t *testing.T) {
	const text = "Gr\u00f6\u00dfe \U0001F600\r\n"
	little := string(wire.AppendUTF16(nil, text))
	big := ""
	for i := 0; i < len(little); i += 2 {
		big += little[i+1:i+2] + little[i:i+1]
	}
	for _, c := range []struct {
		in, want string
		codePage uint32
	}{
		{"", "", 0},
		{"abc", "abc", 0},
		{text, text, 0},
		{"\xE4\x00", "\xE4\x00", 0},
		{"\xEF\xBB\xBF" + text, text, wire.UTF8},
		{"\xFF\xFE" + little, text, wire.UTF8},
		{"\xFF\xFE", "", wire.UTF8},
		{"\xFE\xFF" + big, text, wire.UTF8},
		{little, text, wire.UTF8},
		{big, text, wire.UTF8},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			r, codePage, err := wire.NewReader(in)
			if err != nil || codePage != c.codePage {
				t.Fatalf("%q: code page %d, %v; want %d", c.in, codePage, err, c.codePage)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != c.want {
				t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
			}
		}
	}

	broken := errors.New("broken")
	if _, _, err := wire.NewReader(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the reader", err)
	}
}
