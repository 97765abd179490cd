package verify

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
)

// TestRunWithoutDrivers: a system that cannot be read, such as macOS, is an error.
func TestRunWithoutDrivers(t *testing.T) {
	if _, err := Run(t.Context(), Options{Sources: []string{}}); !errors.Is(err, winperf.ErrNotSupported) {
		t.Error(err)
	}
}
