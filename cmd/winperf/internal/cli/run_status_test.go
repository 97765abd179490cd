package cli

import (
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// A message has the first names, and says if there are more.
func TestSomeNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		of    int
		want  string
	}{
		{nil, 2, ""},
		{[]string{"a", "b"}, 2, " (a, b)"},
		{[]string{"a", "b", "c"}, 4, " (a, b, c, …)"},
	} {
		if got := console.SomeNames(c.names, c.of); got != c.want {
			t.Errorf("%q of %d: %q, want %q", c.names, c.of, got, c.want)
		}
	}
}
