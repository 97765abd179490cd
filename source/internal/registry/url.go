package registry

import (
	"context"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/machineurl"
)

// Form is the form of the URLs that OpenURL opens.
const Form = "registry:[//MACHINE][?foreign=HOST]"

// OpenURL opens a URL "registry:..."; rest is the part after the colon. The machine may be written
// with slashes or backslashes.
func OpenURL(ctx context.Context, rest string) (winperf.Source, error) {
	opt, err := parseURL(rest)
	if err != nil {
		return nil, err
	}
	return Open(ctx, opt)
}

func parseURL(rest string) (Options, error) {
	oneWord := func(host string) bool { return !strings.ContainsAny(host, " \x00") }
	machine, foreign, err := machineurl.Parse(rest, Form, "foreign", oneWord)
	return Options{Machine: machine, Foreign: foreign}, err
}
