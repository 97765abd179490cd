package safetext

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile has everything that must not be shown.
const hostile = "a\x00\a\b\t\n\v\f\r\x1b[2J\x7f\u0080\u0085\u009b2J\u009f" +
	"\u2028\u2029\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\U000e0041\ue000\xff\xe2\x80z"

func TestLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"% Processor Time", "% Processor Time"},
		{`\\HOST\Process(a/b#1)\"c"`, `\\HOST\Process(a/b#1)\"c"`},
		{"Prozessorzeit (%) für 名前\u3000\u00a0é e\u0301 \ufffd", "Prozessorzeit (%) für 名前\u3000\u00a0é e\u0301 \ufffd"},
		{
			hostile, `a\x00\a\b\t\n\v\f\r\x1b[2J\x7f\u0080\u0085\u009b2J\u009f\u2028\u2029\u202a\u202e\u2066\u2069` +
				`\u200e\u200f\u061c\u200b\ufeff\U000e0041\ue000\xff\xe2\x80z`,
		},
	}
	for _, tt := range tests {
		if got := Line(tt.in); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.want)
		}
		if got := AppendLine([]byte("x"), []byte(tt.in)); string(got) != "x"+tt.want {
			t.Errorf("%q: appended %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestJSON reads back what was written, and finds nothing in it that must not be
// shown.
func TestJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `"\/`, "名前 \U0001f600", hostile} {
		text := AppendJSON(nil, s)
		if bytes := AppendJSON(nil, []byte(s)); string(bytes) != string(text) {
			t.Errorf("%q: of bytes %s, want %s", s, bytes, text)
		}
		if !shown(string(text)) {
			t.Errorf("%q becomes %q", s, text)
		}
		var back string
		if err := json.Unmarshal(text, &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Errorf("%q becomes %s and %q, error %v", s, text, back, err)
		}
	}
}

// TestWriters writes a byte at a time and all at once.
func TestWriters(t *testing.T) {
	const text = "{\n\t\"a\u202e\": \"\u009b2J\x7f é名\U0001f600\U000e0041\"\r\n}"
	tests := []struct {
		name string
		make func(*strings.Builder) *Writer
		want string
	}{
		{"terminal", func(b *strings.Builder) *Writer { return NewTerminal(b) }, "{\n\t\"a\\u202e\": \"\\u009b2J\\x7f é名\U0001f600\\U000e0041\"\r\n}"},
		{"JSON", func(b *strings.Builder) *Writer { return NewJSON(b) }, "{\n\t\"a\\u202e\": \"\\u009b2J\\u007f é名\U0001f600\\udb40\\udc41\"\r\n}"},
	}
	for _, tt := range tests {
		var whole, pieces strings.Builder
		if n, err := tt.make(&whole).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%s: wrote %d, error %v", tt.name, n, err)
		}
		w := tt.make(&pieces)
		for i := range len(text) {
			if n, err := w.Write([]byte{text[i]}); n != 1 || err != nil {
				t.Fatalf("%s: wrote %d, error %v", tt.name, n, err)
			}
		}
		if whole.String() != tt.want || pieces.String() != tt.want {
			t.Errorf("%s: %q and in pieces %q, want %q", tt.name, whole.String(), pieces.String(), tt.want)
		}
	}
	if _, err := NewTerminal(failing{}).Write([]byte("a")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
