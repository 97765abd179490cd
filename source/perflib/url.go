package perflib

import (
	"context"
	"fmt"
	"strings"

	"github.com/winperf/winperf"
)

// Form is the form of the URLs that OpenURL takes the rest of.
const Form = "perflib:[//MACHINE][?lang=ID]"

// OpenURL opens what stands behind "perflib:" in a URL. The machine may be written
// with slashes or backslashes.
func OpenURL(_ context.Context, rest string) (winperf.Source, error) {
	opt, err := parseURL(rest)
	if err != nil {
		return nil, fmt.Errorf("%w, expected %s: %w", err, Form, winperf.ErrNotSupported)
	}
	return Open(opt)
}

func parseURL(rest string) (opt Options, _ error) {
	machine, query, hasQuery := strings.Cut(rest, "?")
	opt.Machine = strings.TrimLeft(machine, `\/`)
	if machine != "" && (len(machine)-len(opt.Machine) != 2 || opt.Machine == "" || strings.ContainsAny(opt.Machine, "\\/ \x00")) {
		return opt, fmt.Errorf("machine %q", machine)
	}
	if !hasQuery {
		return opt, nil
	}
	key, value, _ := strings.Cut(query, "=")
	if key != "lang" || value == "" {
		return opt, fmt.Errorf("option %q", query)
	}
	opt.Language = value
	return opt, nil
}
