package metrics

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf/internal/suggest"
)

// Scheme selects the names of metrics.
type Scheme uint8

// The schemes.
const (
	Own             Scheme = iota // winperf's names: every counter, named after object and counter
	WindowsExporter               // the names of windows_exporter: the counters that its collectors read
	OTel                          // OpenTelemetry's names: the counters that match its semantic conventions
)

var schemeWords = [...]string{"own", "windows_exporter", "otel"}

// String returns "own", "windows_exporter" or "otel", or "unknown" for another value.
func (s Scheme) String() string {
	if int(s) < len(schemeWords) {
		return schemeWords[s]
	}
	return "unknown"
}

// ErrScheme is wrapped by the errors of ParseScheme.
var ErrScheme = errors.New("unknown names")

// ParseScheme returns the scheme of a word that [Scheme.String] returns. For other words the error
// wraps ErrScheme and suggests a similar word, if one exists.
func ParseScheme(word string) (Scheme, error) {
	for i, w := range schemeWords {
		if w == word {
			return Scheme(i), nil
		}
	}

	err := fmt.Errorf("%w %q, expected own, windows_exporter or otel", ErrScheme, word)
	if near := suggest.Closest(word, slices.Values(schemeWords[:])); near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return 0, err
}

func newScheme(s Scheme, opt *Options) scheme {
	switch s {
	case Own:
		return native{}
	case WindowsExporter:
		return mustRead(newWindowsExporter(opt))
	case OTel:
		return mustRead(newOTel(opt))
	}
	return nil
}

// mustRead panics on damaged built-in tables, which a test reads.
func mustRead(s *tabled, err error) scheme {
	if err != nil {
		panic("metrics: " + err.Error())
	}
	return s
}
