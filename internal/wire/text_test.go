package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winperf/winperf/internal/wire"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		bytes    string
		codePage uint32
		want     string
	}{
		{"", wire.UTF16LE, ""},
		{"a\x00b\x00", wire.UTF16LE, "ab"},
		{"a\x00\x00\x00b\x00", wire.UTF16LE, "a"},
		{"a\x00b", wire.UTF16LE, "a\uFFFD"},
		{"\x00\xD8a\x00", wire.UTF16LE, "\uFFFDa"},
		{"\x00\xDCa\x00", wire.UTF16LE, "\uFFFDa"},
		{"\x00\xD8", wire.UTF16LE, "\uFFFD"},
		{"\x3D\xD8\x00\xDE", wire.UTF16LE, "\U0001F600"},
		{"a\x00b", 1252, "a"},
		{"\xE4\x80", 1252, "ä€"},
		{"\x81", 1252, "\uFFFD"},
		{"\x84", 437, "ä"},
		{"\x83e\x83X\x83g", 932, "テスト"},
		{"\xE4", 99999, "\uFFFD"},
		{"abc", 99999, "abc"},
		{"\xC3\xA4\xFF", wire.UTF8, "ä\uFFFD"},
	} {
		if got := wire.Text([]byte(c.bytes), c.codePage); got != c.want {
			t.Errorf("%q in code page %d: %q, want %q", c.bytes, c.codePage, got, c.want)
		}
	}
}

func TestEncodeText(t *testing.T) {
	for _, c := range []struct {
		text     string
		codePage uint32
		want     string
	}{
		{"", wire.UTF16LE, "\x00\x00"},
		{"a\U0001F600", wire.UTF16LE, "a\x00\x3D\xD8\x00\xDE\x00\x00"},
		{"ä€", 1252, "\xE4\x80\x00"},
		{"ä", wire.UTF8, "\xC3\xA4\x00"},
		{"abc", 99999, "abc\x00"},
	} {
		if got, err := wire.EncodeText(c.text, c.codePage); err != nil || string(got) != c.want {
			t.Errorf("%q in code page %d: %q, %v; want %q", c.text, c.codePage, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text     string
		codePage uint32
	}{{"a\x00b", wire.UTF16LE}, {"\u4e00", 1252}, {"ä", 99999}} {
		if got, err := wire.EncodeText(c.text, c.codePage); !errors.Is(err, wire.ErrText) {
			t.Errorf("%q in code page %d: %q, %v; want an error", c.text, c.codePage, got, err)
		}
	}
}

// TestAppendTextAllocates nothing for the text that nearly all names are.
func TestAppendTextAllocates(t *testing.T) {
	dst, name := make([]byte, 0, 64), []byte("s\x00v\x00c\x00h\x00o\x00s\x00t\x00\x00\x00")
	if n := testing.AllocsPerRun(100, func() { dst = wire.AppendText(dst[:0], name, wire.UTF16LE) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// FuzzText reads any bytes: the text is valid UTF-8 without a NUL and not much
// longer than the bytes; if it says all that the bytes say, it is encoded to
// the same bytes again.
func FuzzText(f *testing.F) {
	f.Add([]byte("a\x00\x00\xD8"), uint32(0))
	f.Add([]byte("\xE4\x00"), uint32(1252))
	f.Add([]byte("\x83e\x83X"), uint32(932))
	f.Fuzz(func(t *testing.T, b []byte, codePage uint32) {
		s := wire.Text(b, codePage)
		if !utf8.ValidString(s) || strings.Contains(s, "\x00") || len(s) > 3*len(b) {
			t.Fatalf("%q in code page %d: %q", b, codePage, s)
		}
		if codePage != wire.UTF16LE || strings.Contains(s, "\uFFFD") {
			return
		}
		again, err := wire.EncodeText(s, codePage)
		if end := len(again) - 2; err != nil || !bytes.HasPrefix(b, again[:end]) {
			t.Fatalf("%q encoded again: %q, %v", b, again, err)
		}
	})
}

func ExampleText() {
	fmt.Println(wire.Text([]byte("I\x00d\x00l\x00e\x00\x00\x00"), wire.UTF16LE))
	fmt.Println(wire.Text([]byte("Gr\xF6\xDFe\x00"), 1252))
	// Output:
	// Idle
	// Größe
}
