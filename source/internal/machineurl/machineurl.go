// Package machineurl parses the URLs of drivers that can read another machine.
package machineurl

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/winperf/winperf"
)

// Parse parses the part after the colon of a URL of the form
//
//	scheme:[//MACHINE][?OPTION=VALUE]
//
// and returns the machine, without slashes, and the value. Slashes before the machine may be
// backslashes. check, if not nil, reports whether a value is valid; an empty value never is. The
// error contains form, the expected form of the URL, and wraps winperf.ErrNotSupported.
func Parse(rest, form, option string, check func(value string) bool) (machine, value string, err error) {
	fault := func(what, text string) (string, string, error) {
		return "", "", fmt.Errorf("%s %q is %w, expected %s", what, text, winperf.ErrNotSupported, form)
	}
	authority, query, hasQuery := strings.Cut(rest, "?")
	machine = strings.TrimLeft(authority, `\/`)
	slashes := len(authority) - len(machine)
	if authority != "" && (slashes != 2 || machine == "" || strings.ContainsAny(machine, "\\/ \x00")) {
		return fault("machine", authority)
	}
	if !hasQuery {
		return machine, "", nil
	}

	key, text, _ := strings.Cut(query, "=")
	value, err = url.QueryUnescape(text)
	if err != nil || key != option || value == "" || check != nil && !check(value) {
		return fault("option", query)
	}
	return machine, value, nil
}
