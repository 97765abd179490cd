package cli

import (
	"bytes"
	"testing"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/measure"
)

// TestMissedWhileStopped: samples that were due while the program was stopped are no fault of the
// machine, whether the signal that it goes on comes before the sample or shortly after it.
func TestMissedWhileStopped(t *testing.T) {
	const slow = " missed because the machine or the output was too slow\n"
	tests := []struct {
		name      string
		missed    []int  // by sample
		continued []bool // by call: one for each sample, and one at the end
		want      string
	}{
		{"slow", []int{0, 2, 0, 1}, []bool{false, false, false, false, false}, "winperf: 3 samples were" + slow},
		{"stopped", []int{0, 4, 0}, []bool{false, true, false, false},
			"winperf: 4 samples were missed while the program was stopped\n"},
		{"signal after", []int{0, 4, 0}, []bool{false, false, true, false},
			"winperf: 4 samples were missed while the program was stopped\n"},
		{"signal at the end", []int{0, 1}, []bool{false, false, true},
			"winperf: 1 sample was missed while the program was stopped\n"},
		{"both", []int{2, 0, 4, 0, 0}, []bool{false, false, true, false, false, false},
			"winperf: 4 samples were missed while the program was stopped\nwinperf: 2 samples were" + slow},
		{"late after it", []int{4, 1, 2, 0}, []bool{true, false, false, false, false},
			"winperf: 5 samples were missed while the program was stopped\nwinperf: 2 samples were" + slow},
		{"none", []int{0, 0}, []bool{false, true, false}, ""},
	}
	for _, tt := range tests {
		tally := input.NewTally(0)
		tally.Continued = func() bool {
			now := tt.continued[0]
			tt.continued = tt.continued[1:]
			return now
		}
		for _, n := range tt.missed {
			tally.Count(&measure.Cycle{Missed: n})
		}
		var stderr bytes.Buffer
		tally.ReportCounts(&console.App{Stderr: &stderr}, "output")
		if stderr.String() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, stderr.String(), tt.want)
		}
	}
}
