package wire

import (
	"strings"
	"testing"
	"unicode"
)

// TestFold goes through all characters: those that are equal fold to one of them, which
// folds to itself, and none is larger.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		folded := Fold(r)
		if folded > r || Fold(folded) != folded || !strings.EqualFold(string(r), string(folded)) {
			t.Fatalf("Fold(%U) = %U", r, folded)
		}
		if next := unicode.SimpleFold(r); Fold(next) != folded {
			t.Fatalf("Fold(%U) = %U, Fold(%U) = %U", r, folded, next, Fold(next))
		}
	}
}

func TestAppendFolded(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"svchost#1", "SVCHOST#1"},
		{"Почта", "ПОЧТА"},
		{"\u212Aworker/ſ", "KWORKER/S"}, // KELVIN SIGN, LATIN SMALL LETTER LONG S
		{"straße", "STRASSE"[:4] + "\u00DFE"},
		{"a\xffb", "A\uFFFDB"},
	} {
		if got := string(AppendFolded([]byte("x"), tt.text)); got != "x"+tt.want {
			t.Errorf("%q folds to %q, want %q", tt.text, got, "x"+tt.want)
		}
	}
}

// FuzzAppendFolded: texts fold to the same where they are equal, and only there.
func FuzzAppendFolded(f *testing.F) {
	f.Add("svchost", "SVCHOST")
	f.Add("k", "\u212A")
	f.Add("a\xff", "A\uFFFD")
	f.Fuzz(func(t *testing.T, a, b string) {
		equal := strings.EqualFold(a, b)
		if got := string(AppendFolded(nil, a)) == string(AppendFolded(nil, b)); got != equal {
			t.Errorf("%q and %q fold to the same: %v, want %v", a, b, got, equal)
		}
	})
}
