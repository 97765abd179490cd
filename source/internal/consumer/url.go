package consumer

import (
	"context"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/machineurl"
)

// Form is the form of the URLs that OpenURL opens.
const Form = "perflib:[//MACHINE][?lang=ID]"

// OpenURL opens a URL "perflib:..."; rest is the part after the colon. The machine may be written
// with slashes or backslashes.
func OpenURL(_ context.Context, rest string) (winperf.Source, error) {
	opt, err := parseURL(rest)
	if err != nil {
		return nil, err
	}
	return Open(opt)
}

func parseURL(rest string) (Options, error) {
	machine, language, err := machineurl.Parse(rest, Form, "lang", nil)
	return Options{Machine: machine, Language: language}, err
}
