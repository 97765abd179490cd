package cli

import (
	"os"
	"testing"
	"time"

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
			host, err := os.Hostname()
			env.Setenv("HOST", host)
			return err
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "lines": lines, "until": untilDone},
		RequireExplicitExec: true,
	})
}

// untilDone runs a program again and again until it ends with status 0.
func untilDone(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(hostileLimit); ts.Exec(args[0], args[1:]...) != nil; {
		if time.Now().After(deadline) {
			ts.Fatalf("%q always failed", args)
		}
		time.Sleep(100 * time.Millisecond) // between two looks at what a service does
	}
}
