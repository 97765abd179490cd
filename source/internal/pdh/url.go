package pdh

import (
	"context"
	"strconv"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/machineurl"
)

// Form is the form of the URLs that OpenURL opens.
const Form = "pdh:[//MACHINE][?formatted=1]"

// OpenURL opens a URL "pdh:..."; rest is the part after the colon. The machine may be written with
// slashes or backslashes.
func OpenURL(_ context.Context, rest string) (winperf.Source, error) {
	opt, err := parseURL(rest)
	if err != nil {
		return nil, err
	}
	return Open(opt)
}

func parseURL(rest string) (Options, error) {
	truth := func(value string) bool { _, err := strconv.ParseBool(value); return err == nil }
	machine, value, err := machineurl.Parse(rest, Form, "formatted", truth)
	formatted, _ := strconv.ParseBool(value) // false if empty
	return Options{Machine: machine, Formatted: formatted}, err
}
