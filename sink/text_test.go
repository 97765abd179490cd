package sink

import "testing"

func TestPrintable(t *testing.T) {
	tests := []struct{ in, want string }{
		{"% Processor Time", "% Processor Time"},
		{"Prozessorzeit (%) für 名前", "Prozessorzeit (%) für 名前"},
		{"a\tb\r\nc\x00\x7f", "a�b��c��"},
		{"\x1b[2J\u009b2J", "�[2J�2J"},
		{"\u202Eevil\u200B\u2028", "�evil��"}, // right-to-left override, zero width space, line separator
		{"\xff", "�"},
		{"ideographic\u3000space", "ideographic\u3000space"},
	}
	for _, test := range tests {
		if got := printable(test.in); got != test.want {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestWidth(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"abc", 3},
		{"für", 3},
		{"fu\u0308r", 3}, // combining diaeresis
		{"名前", 4},
		{"ﾌﾟﾛｾｽ", 5}, // half-width katakana
		{"ＡＢ", 4},    // full-width Latin
		{"한글", 4},
		{"😀", 2},
		{"�…", 2},
	}
	for _, test := range tests {
		if got := textWidth(test.text); got != test.want {
			t.Errorf("%q: width %d, want %d", test.text, got, test.want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"processor", 9, "processor"},
		{"processor", 8, "process…"},
		{"processor", 1, "…"},
		{"processor", 0, ""},
		{"processor", -1, ""},
		{"名前名前", 8, "名前名前"},
		{"名前名前", 7, "名前名…"},
		{"名前名前", 6, "名前…"},
		{"名前名前", 2, "…"},
		{"fu\u0308r alle", 3, "fu\u0308…"},
		{"", 3, ""},
	}
	for _, test := range tests {
		got := cut(test.text, test.limit)
		if got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.limit, got, test.want)
		}
		if textWidth(got) > max(test.limit, 0) {
			t.Errorf("%q to %d is %d wide", test.text, test.limit, textWidth(got))
		}
	}
}
