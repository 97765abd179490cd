package cli

import "testing"

// What could not be measured changes no status, and a failure of winperf does not hide that of the command.
func TestStatusOfCommand(t *testing.T) {
	for _, c := range []struct{ command, winperf, want int }{
		{0, exitDone, 0},
		{0, exitPartial, 0},
		{0, exitFailed, exitOfRun},
		{7, exitDone, 7},
		{7, exitPartial, 7},
		{7, exitFailed, 7},
		{exitNotFound, exitFailed, exitNotFound},
	} {
		call := &invocation{status: c.command}
		if got := call.exitStatus(c.winperf); got != c.want {
			t.Errorf("command %d, winperf %d: %d, want %d", c.command, c.winperf, got, c.want)
		}
	}
}

// A message has the first names, and says if there are more.
func TestSomeNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		of    int
		want  string
	}{
		{nil, 2, ""},
		{[]string{"a", "b"}, 2, " (a, b)"},
		{[]string{"a", "b", "c"}, 4, " (a, b, c, …)"},
	} {
		if got := someNames(c.names, c.of); got != c.want {
			t.Errorf("%q of %d: %q, want %q", c.names, c.of, got, c.want)
		}
	}
}
