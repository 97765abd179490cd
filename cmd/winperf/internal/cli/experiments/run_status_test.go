package experiments

import (
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
)

// What could not be measured changes no status, and a failure of winperf does not hide that of the command.
func TestStatusOfCommand(t *testing.T) {
	for _, c := range []struct{ command, winperf, want int }{
		{0, console.ExitDone, 0},
		{0, console.ExitPartial, 0},
		{0, console.ExitFailed, console.ExitOfRun},
		{7, console.ExitDone, 7},
		{7, console.ExitPartial, 7},
		{7, console.ExitFailed, 7},
		{console.ExitNotFound, console.ExitFailed, console.ExitNotFound},
	} {
		call := &Invocation{status: c.command}
		if got := call.ExitStatus(c.winperf); got != c.want {
			t.Errorf("command %d, winperf %d: %d, want %d", c.command, c.winperf, got, c.want)
		}
	}
}
