package metrics

import (
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf/internal/suggest"
)

// Scheme is a way to name metrics.
type Scheme uint8

// The schemes.
const (
	Own             Scheme = iota // winperf's: every counter, named after itself
	WindowsExporter               // that of windows_exporter: what its collectors have
	OTel                          // OpenTelemetry's semantic conventions, as far as counters fit
)

var schemeWords = [...]string{"own", "windows_exporter", "otel"}

// String returns the scheme's word: "own", "windows_exporter" or "otel".
func (s Scheme) String() string {
	if int(s) < len(schemeWords) {
		return schemeWords[s]
	}
	return "unknown"
}

// ErrScheme is wrapped by the errors of ParseScheme.
var ErrScheme = errors.New("unknown names")

// ParseScheme returns the scheme that a word stands for. The error wraps ErrScheme and
// names the word that is spelled much like it, if there is one.
func ParseScheme(word string) (Scheme, error) {
	for i, w := range schemeWords {
		if w == word {
			return Scheme(i), nil
		}
	}

	err := fmt.Errorf("%w %q, want own, windows_exporter or otel", ErrScheme, word)
	if near := suggest.Closest(word, slices.Values(schemeWords[:])); near != "" {
		err = fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return 0, err
}

// newScheme returns what makes metrics under a scheme; nil for one that is not known.
func newScheme(s Scheme, opt *Options) scheme {
	switch s {
	case Own:
		return own{}
	case WindowsExporter:
		return mustRead(newWindowsExporter(opt))
	case OTel:
		return mustRead(newOTel(opt))
	}
	return nil
}

// mustRead returns names that the program brings with it: a test reads them all.
func mustRead(s *tabled, err error) scheme {
	if err != nil {
		panic("metrics: " + err.Error())
	}
	return s
}
