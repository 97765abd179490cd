package cli

import (
	"testing"

	"github.com/winperf/winperf/internal/wintest"
)

// livePath is a counter that this machine has.
func livePath(t *testing.T) string {
	t.Helper()
	wintest.Provider(t)
	return `\Winperf Test\Constant`
}
