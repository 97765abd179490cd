package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/winperf/winperf/internal/wintest"
)

// TestWine runs the sessions in testdata/wine, which read the providers of
// internal/wintest from the registry.
func TestWine(t *testing.T) {
	wintest.Provider(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/wine",
		Setup: func(env *testscript.Env) error {
			// What makes the program find Wine's system.
			env.Setenv(wintest.Directory, os.Getenv(wintest.Directory))
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "lines": lines},
		RequireExplicitExec: true,
	})
}
