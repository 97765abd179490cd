package safetext

import "testing"

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
		if got := Width(test.text); got != test.want {
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
		got := Cut(test.text, test.limit)
		if got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.limit, got, test.want)
		}
		if Width(got) > max(test.limit, 0) {
			t.Errorf("%q to %d is %d wide", test.text, test.limit, Width(got))
		}
	}
}
