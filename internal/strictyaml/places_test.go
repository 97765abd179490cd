package strictyaml

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	const text = "source: local\npush:\n  - url: &u http://a\n    tls: {ca_file: ca.pem}\n" +
		"  - url: *u\n    headers:\n      X.y: 5\n"
	all := PlacesOf("f", []byte(text))
	at := func(line, column int) Pos { return Pos{Source: "f", Line: line, Column: column} }
	for key, want := range map[string]Place{
		"source":              {at(1, 9), at(1, 1), "local"},
		"push":                {at(3, 3), at(2, 1), ""},
		"push[0]":             {at(3, 5), at(3, 5), ""},
		"push[0].url":         {at(3, 10), at(3, 5), "http://a"},
		"push[0].tls.ca_file": {at(4, 20), at(4, 11), "ca.pem"},
		"push[1].url":         {at(5, 10), at(5, 5), "http://a"},
		"push[1].headers.X.y": {at(7, 12), at(7, 7), "5"},
	} {
		if diff := cmp.Diff(want, all[key]); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
}

// A value that is not in the text has the place of what is around it; one that is not what
// is there has none.
func TestFindPlace(t *testing.T) {
	all := PlacesOf("f", []byte("web:\n  config_file: a\npush: [{url: b}]\n"))
	for _, c := range []struct {
		key, text string
		line      int // 0: no place
		column    int
	}{
		{"web.config_file", "a", 2, 16},
		{"web.config_file", "", 2, 16},
		{"web.config_file", "b", 0, 0},
		{"web.listen_address[3]", "", 2, 3},
		{"web.listen_address[3]", "x", 0, 0},
		{"push[0].queue.dir", "", 3, 8},
		{"push[1].url", "", 3, 7},
		{"source", "", 0, 0},
		{"", "", 0, 0},
	} {
		place, ok := all.Find(c.key, c.text)
		if ok != (c.line > 0) || ok && (place.Line != c.line || place.Column != c.column) {
			t.Errorf("%s %q: %+v, %v", c.key, c.text, place, ok)
		}
	}
}

// FuzzPlaces: every place is within the text, whatever that is.
func FuzzPlaces(f *testing.F) {
	f.Add([]byte(all))
	f.Add([]byte(bomb()))
	f.Add([]byte("a: &a\n  a: *a\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for key, place := range PlacesOf("f", text) {
			if place.Line < 1 || place.Column < 1 || place.Key.Line > place.Line {
				t.Errorf("%s: %+v", key, place)
			}
			if again, ok := PlacesOf("f", text).Find(key, ""); !ok || again != place {
				t.Errorf("%s: %+v and %+v", key, place, again)
			}
		}
	})
}
