package frame

import (
	"hash/maphash"
	"strings"
	"testing"
)

// FuzzLower compares the comparison without memory with that of strings.ToLower.
func FuzzLower(f *testing.F) {
	long := strings.Repeat("Abc", 60)
	for _, s := range [][2]string{
		{"", ""}, {"a", "A"}, {"Z", "z"}, {"Z[", "z{"}, {"\x80", "\x81"}, {"@", "`"},
		{"k", "K"}, {"İ", "i"}, {"ſ", "s"}, {"Straße", "STRASSE"},
		{"Ä/1", "ä/1"}, {"a", "ab"}, {"aÄ", "a"}, {long, strings.ToUpper(long)}, {long, long + "x"}, {"\xff", "\xfe"},
	} {
		f.Add(s[0], s[1])
	}
	seed := maphash.MakeSeed()
	f.Fuzz(func(t *testing.T, a, b string) {
		equal := strings.ToLower(a) == strings.ToLower(b) //nolint:staticcheck // EqualFold knows more letters as equal
		if got := equalLower(a, b); got != equal {
			t.Errorf("%q and %q are equal: %v, want %v", a, b, got, equal)
		}
		if equal && hashLower(seed, a) != hashLower(seed, b) {
			t.Errorf("%q and %q have different hashes", a, b)
		}
	})
}
