package measure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/perftest"
	"github.com/winperf/winperf/measure"
)

// Columns hold the same readings in the same order, through churn and resets.
func TestColumnsAreTheReadings(t *testing.T) {
	for name, sel := range map[string]winperf.Selection{
		"everything": everything(t),
		"global":     {Global: true},
		"some":       selection(t, `\winperf\Missed Samples`, `\#230(_Total)\#6`, `\#232(*)\*`, `\#230(*)\*`, `\nothing\there`, `\#230(nobody)\#6`),
	} {
		t.Run(name, func(t *testing.T) {
			byRow := measure.New(newRing(perftest.Small, 5), sel, measure.Options{})
			byColumn := measure.New(newRing(perftest.Small, 5), sel, measure.Options{Columns: true})
			for n := range ringLen + 3 { // round, where time and counters go back
				want, got := cycle(t, byRow), cycle(t, byColumn)
				if len(got.Readings) != 0 || len(got.Parts) != len(want.Parts) {
					t.Fatalf("cycle %d: %d readings, %d parts for %d", n, len(got.Readings), len(got.Parts), len(want.Parts))
				}
				at, column := 0, 0
				for w, end := range got.Parts {
					for ; column < end; column++ {
						col := &got.Columns[column]
						for i := range col.Len() {
							sameReading(t, &want.Readings[at], col.Reading(i))
							at++
						}
					}
					if at != want.Parts[w] {
						t.Fatalf("cycle %d: part %d ends at %d, want %d", n, w, at, want.Parts[w])
					}
				}
				if at != len(want.Readings) {
					t.Fatalf("cycle %d: %d values, want %d", n, at, len(want.Readings))
				}
			}
		})
	}
}

func sameReading(t *testing.T, want *winperf.Reading, got winperf.Reading) {
	t.Helper()
	if got.String() != want.String() || got.Type != want.Type || got.Status != want.Status ||
		got.Value != want.Value || !got.Time.Equal(want.Time) || got.Anomalies != want.Anomalies {
		t.Fatalf("%v %v %v %v [%v], want %v %v %v %v [%v]",
			got.Series, got.Value, got.Status, got.Time, got.Anomalies, want.Series, want.Value, want.Status, want.Time, want.Anomalies)
	}
}

func TestColumnsOfText(t *testing.T) {
	src := newTextLog(t, loggedPaths, values(1, 2, 3, 4))
	c := measure.New(src, winperf.Selection{Global: true}, measure.Options{Columns: true})
	cy := cycle(t, c)
	var got []string
	for i := range cy.Columns {
		got = append(got, lines([]winperf.Reading{cy.Columns[i].Reading(0)})...)
	}
	want := []string{
		`\\HOST\Processor(0)\% Processor Time 1`, `\\HOST\Processor(_Total)\% Processor Time 2`,
		`\\HOST\System\Processes 3`, `\\HOST\Process(a#1)\ID Process 4`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}
