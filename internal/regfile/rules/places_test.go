package rules

import (
	"strings"
	"testing"
)

// TestPlaces asks for rising offsets and spoils the text behind itself: what was
// passed must not be looked at again.
func TestPlaces(t *testing.T) {
	const text = "<ä b='1'>\n\n  <ö/><p\n q=''/>"
	data := []byte(text)
	p := NewPlaces(data)
	for _, want := range []struct {
		what string
		Position
	}{
		{"<ä", Position{1, 1}},
		{"b=", Position{1, 4}},
		{"<ö", Position{3, 3}},
		{"<p", Position{3, 7}},
		{"q=", Position{4, 2}},
	} {
		offset := strings.Index(text, want.what)
		if got := p.Of(int64(offset)); got != want.Position {
			t.Errorf("%s: %v, want %v", want.what, got, want.Position)
		}
		for i := range offset {
			data[i] = '\n'
		}
	}
	if got := p.Of(1 << 40); got != (Position{4, 8}) {
		t.Errorf("behind the end: %v", got)
	}
}
