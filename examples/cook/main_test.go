package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"PERF_COUNTER_COUNTER 100 0 350 0.5", "(N1 - N0) / ((D1 - D0) / TB)\n500 per_second\n"},
		{"PERF_100NSEC_TIMER 0 1 5000000 3", "100 * (N1 - N0) / (D1 - D0)\n25 percent\n"},
		{"PERF_COUNTER_COUNTER 100 1 350 1", "no value: invalid_data\n"},
	} {
		var out strings.Builder
		if err := run(strings.Fields(test.args), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), test.want) {
			t.Errorf("%s: %s, want %s", test.args, out.String(), test.want)
		}
	}

	if err := run(strings.Fields("PERF_COUNTER 1 1 1 1"), nil); err == nil {
		t.Error("an unknown type has a value")
	}
}
