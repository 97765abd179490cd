package prometheus

import (
	"strconv"
	"strings"
)

// Format is an exposition format.
type Format uint8

// The formats. Both versions of OpenMetrics have the same bytes.
const (
	Text           Format = iota // text format 0.0.4, supported by every client
	OpenMetrics                  // OpenMetrics 1.0.0
	OpenMetrics001               // OpenMetrics 0.0.1, the draft
	formats
)

// ContentType returns the format's value of the header Content-Type.
func (f Format) ContentType() string {
	switch f {
	case OpenMetrics:
		return openMetricsType + "; version=1.0.0; charset=utf-8"
	case OpenMetrics001:
		return openMetricsType + "; version=0.0.1; charset=utf-8"
	}
	return textType + "; version=0.0.4; charset=utf-8"
}

// The media types without parameters.
const (
	openMetricsType = "application/openmetrics-text"
	textType        = "text/plain"
)

func (f Format) mediaType() (name, version string) {
	return [...]string{textType, openMetricsType, openMetricsType}[f],
		[...]string{"0.0.4", "1.0.0", "0.0.1"}[f]
}

// Negotiate returns the best format for the header Accept of a request: the format with the
// greatest q-value, then the most exactly named, then the first of the constants. It returns Text
// if no format is acceptable, and if textOnly is set: then names exist which OpenMetrics does not
// allow (metrics.Set.TextOnly).
func Negotiate(accept string, textOnly bool) Format {
	if textOnly {
		return Text
	}

	var accepted [formats]preference
	for part := range strings.SplitSeq(accept, ",") {
		r, ok := parseRange(part)
		if !ok {
			continue
		}
		for f := range formats {
			exact := r.matches(f)
			if exact > accepted[f].exact {
				accepted[f] = preference{r.q, exact}
			}
		}
	}

	best := Text
	for f := range formats {
		if accepted[f].over(accepted[best]) {
			best = f
		}
	}
	return best
}

// preference is the client's preference for a format, from the most exact range.
type preference struct {
	q     float64
	exact int // see mediaRange.matches
}

func (p preference) over(other preference) bool {
	return p.q > other.q || p.q == other.q && p.q > 0 && p.exact > other.exact
}

// mediaRange is an element of Accept (RFC 9110, 12.5.1).
type mediaRange struct {
	name, version string
	q             float64
}

// parseRange parses an element. It is not ok if the q-value is not a number from 0 to 1.
func parseRange(text string) (r mediaRange, ok bool) {
	name, parameters, _ := strings.Cut(text, ";")
	r = mediaRange{name: strings.TrimSpace(name), q: 1}

	for parameter := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(parameter, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch key = strings.TrimSpace(key); {
		case strings.EqualFold(key, "version"):
			r.version = value
		case strings.EqualFold(key, "q"):
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return r, false
			}
			r.q = q
		}
	}
	return r, r.name != ""
}

// matches returns how exactly the range names a format: 0 not at all, 1 as */*, 2 by the first part
// of the media type, 3 by the type, 4 with the version.
func (r mediaRange) matches(f Format) int {
	name, version := f.mediaType()
	kind, _, _ := strings.Cut(name, "/")
	switch {
	case r.name == "*/*":
		return 1
	case strings.EqualFold(r.name, kind+"/*"):
		return 2
	case !strings.EqualFold(r.name, name):
		return 0
	case r.version == "":
		return 3
	case r.version == version:
		return 4
	}
	return 0
}
