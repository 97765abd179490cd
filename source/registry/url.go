package registry

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/winperf/winperf"
)

// Form is the form of the URLs that OpenURL takes the rest of.
const Form = "registry:[//MACHINE][?foreign=HOST]"

// OpenURL opens what stands behind "registry:" in a URL. The machine may be
// written with slashes or backslashes.
func OpenURL(ctx context.Context, rest string) (winperf.Source, error) {
	opt, err := parseURL(rest)
	if err != nil {
		return nil, fmt.Errorf("%w, expected %s: %w", err, Form, winperf.ErrNotSupported)
	}
	return Open(ctx, opt)
}

func parseURL(rest string) (opt Options, err error) {
	machine, query, hasQuery := strings.Cut(rest, "?")
	name := strings.TrimLeft(machine, `\/`)
	switch {
	case machine != "" && (len(machine)-len(name) != 2 || name == ""):
		return opt, fmt.Errorf("machine %q", machine)
	case strings.ContainsAny(name, "\\/ \x00"):
		return opt, fmt.Errorf("machine %q", name)
	}
	opt.Machine = name
	if !hasQuery {
		return opt, nil
	}
	key, value, _ := strings.Cut(query, "=")
	if opt.Foreign, err = url.QueryUnescape(value); err != nil || key != "foreign" || opt.Foreign == "" || strings.ContainsAny(opt.Foreign, " \x00") {
		return opt, fmt.Errorf("option %q", query)
	}
	return opt, nil
}
