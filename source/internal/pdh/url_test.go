package pdh

import (
	"errors"
	"strings"
	"testing"

	"github.com/winperf/winperf"
)

func TestURL(t *testing.T) {
	for _, c := range []struct {
		rest string
		want Options
	}{{"", Options{}}, {`\\HOST`, Options{Machine: "HOST"}}, {"?formatted=1", Options{Formatted: true}},
		{"//HOST?formatted=false", Options{Machine: "HOST"}}} {
		if got, err := parseURL(c.rest); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v", c.rest, got, err)
		}
	}
	for _, rest := range []string{"HOST", "//", "/HOST", "//a/b", "//a b", "?", "?x=1", "?formatted="} {
		if _, err := OpenURL(t.Context(), rest); !errors.Is(err, winperf.ErrNotSupported) ||
			!strings.Contains(err.Error(), Form) {
			t.Errorf("%q: %v", rest, err)
		}
	}
}
