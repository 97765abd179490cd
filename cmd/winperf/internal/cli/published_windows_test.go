package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/winperf/winperf/internal/wintest"
)

// TestPublished runs the sessions in testdata/published: winperf publish, and what the
// provider DLL of cmd/winperf-provider delivers of it through the registry.
func TestPublished(t *testing.T) {
	wintest.Provider(t)
	if !wintest.Wine() {
		t.Skip("skipped: on Windows itself lodctr installs providers")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/published",
		Setup: func(env *testscript.Env) error {
			env.Setenv(wintest.Directory, os.Getenv(wintest.Directory))
			data := env.WorkDir + `\data`
			env.Setenv("ProgramData", data)
			return os.Mkdir(data, 0o777)
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "lines": lines, "until": until, "moves": moves},
		RequireExplicitExec: true,
	})
}

// until repeats a command until it succeeds: until PROGRAM ARGUMENT...
func until(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(hostileLimit); time.Now().Before(deadline); {
		if ts.Exec(args[0], args[1:]...) == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("%q never succeeds", args)
}

// moves fails unless the readings of a file, JSON lines of one counter, all have
// values, each larger than the one before: moves FILE.
func moves(ts *testscript.TestScript, _ bool, args []string) {
	last := -1.0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var reading struct{ Value *float64 }
		ts.Check(json.Unmarshal([]byte(line), &reading))
		if reading.Value == nil || *reading.Value <= last {
			ts.Fatalf("after %v comes %s", last, line)
		}
		last = *reading.Value
	}
	if last < 0 {
		ts.Fatalf("no readings")
	}
}
