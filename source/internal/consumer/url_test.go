package consumer

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
	}{{"", Options{}}, {`\\HOST`, Options{Machine: "HOST"}}, {"?lang=407", Options{Language: "407"}},
		{"//HOST?lang=7", Options{Machine: "HOST", Language: "7"}}} {
		if got, err := parseURL(c.rest); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v", c.rest, got, err)
		}
	}
	for _, rest := range []string{"HOST", "//", "/HOST", "//a/b", "//a b", "?", "?x=1", "?lang="} {
		if _, err := OpenURL(t.Context(), rest); !errors.Is(err, winperf.ErrNotSupported) ||
			!strings.Contains(err.Error(), Form) {
			t.Errorf("%q: %v", rest, err)
		}
	}
}
