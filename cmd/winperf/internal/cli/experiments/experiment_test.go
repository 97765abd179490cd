package experiments

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winperf/winperf/internal/control"
)

// A source of events is shown with what it is about, where it has that.
func TestDescribeExperiment(t *testing.T) {
	var b strings.Builder
	describeExperiment(func(form string, args ...any) { fmt.Fprintf(&b, form, args...) }, &control.Experiment{
		Sources: []control.SourceState{
			{Name: "a", Kind: "lines", Emitted: 2}, {Name: "b", Kind: "lines", Detail: "/tmp/pipe", Error: "gone"},
		},
	})
	want := "  source    a: lines; 2 events\n  source    b: lines /tmp/pipe; 0 events; gone\n"
	if _, got, _ := strings.Cut(b.String(), "\n"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Two programs are told apart, whatever their arguments end with.
func TestRouteName(t *testing.T) {
	for name, want := range map[string]string{
		"results":                           "results",
		"/var/tmp/out.csv":                  "out.csv",
		"/var/my files/out.csv":             "my files/out.csv",
		"http://host/path/in":               "in",
		"gzip":                              "gzip",
		"/bin/sh -c cat >/dev/null":         "sh -c cat >/dev/null",
		"sh -c " + strings.Repeat("é/", 40): "sh -c " + strings.Repeat("é/", 27) + "...",
	} {
		if got := routeName(name); got != want {
			t.Errorf("%s is shown as %s, want %s", name, got, want)
		}
	}
}
