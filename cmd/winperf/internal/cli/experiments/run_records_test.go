package experiments

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/trial"
	"github.com/winperf/winperf/experiment"
	"github.com/winperf/winperf/experiment/delivery"
)

// The report says what each receiver lacks, and why.
func TestWriteRecords(t *testing.T) {
	out := trial.Outcome{Status: experiment.Status{Stored: 21}, Earlier: 4, Unrecorded: 2}
	out.Results = make([]*trial.Result, 5)
	out.Undelivered = fmt.Errorf("http://h/x: %w: no route\x1b", delivery.ErrUndelivered)
	out.Tally.Pauses, out.Tally.Paused = 1, 1500*time.Microsecond
	out.Tally.Switched = 3
	out.Tally.SwitchOf = trial.Silence{Event: "tick", Path: `\\H\Process(x#1)\Handle Count`, Source: "host"}
	out.Delivery.Routes = []delivery.RouteState{
		{Name: trial.ResultsRoute, Delivered: 25},
		{Name: "http://h/x", Delivered: 17, Lost: 1, Refused: 4, Refusal: errors.New("400\x1b Bad Request")},
		{Name: "/dir/o.csv", Delivered: 21, Late: 2},
	}
	r := &runner{app: &console.App{}}
	var b strings.Builder
	r.writeRecords(&b, &out)
	want := `
21 records, 0 of them dropped; results got 25, 4 of them from a run killed earlier; x got 17, lost 1, refused 4; o.csv got 21
x refused records, the last because: 400\x1b Bad Request
2 series are missing in o.csv: they began after the first record, or another source has their path
http://h/x: records were not delivered: no route\x1b
2 of 5 runs have no record
pauses of the experiment: 1, 2ms in total
3 values are from another process or instance than in the previous record, the first at tick: host: \\H\Process(x#1)\Handle Count
`
	if diff := cmp.Diff(want, b.String()); diff != "" || !r.app.Partial {
		t.Errorf("partial %v, (-want +got):\n%s", r.app.Partial, diff)
	}
}
