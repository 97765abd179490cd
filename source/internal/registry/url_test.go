package registry

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
)

func TestParseURL(t *testing.T) {
	for rest, want := range map[string]Options{
		"":                     {},
		"//HOST":               {Machine: "HOST"},
		`\\host.example.org`:   {Machine: "host.example.org"},
		"?foreign=UNIX":        {Foreign: "UNIX"},
		"//HOST?foreign=A%2FB": {Machine: "HOST", Foreign: "A/B"},
	} {
		if got, err := parseURL(rest); err != nil || got != want {
			t.Errorf("%q: %+v, error %v; want %+v", rest, got, err, want)
		}
	}
	for _, rest := range []string{"HOST", "/HOST", "///HOST", "//", `\\A\B`, "//A B", "?", "?foreign",
		"?foreign=", "?foreign=a b", "?foreign=%zz", "?x=y", "//A\x00"} {
		if _, err := OpenURL(t.Context(), rest); !errors.Is(err, winperf.ErrNotSupported) {
			t.Errorf("%q: error %v", rest, err)
		}
	}
}
