//go:build linux || windows

package doctor

import (
	"context"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
	"github.com/winperf/winperf/measure"
)

const (
	clockSamples  = 5
	clockInterval = 250 * time.Millisecond
)

// published is the part of a machine that publish.Check examines.
const published = "directories of published counters"

// readClocks takes samples for a second and adds their anomalies.
func readClocks(ctx context.Context, m *diagnosis.Machine, src winperf.Source) {
	sel, err := winperf.Select(`\System\System Up Time`)
	opt := measure.Options{Interval: clockInterval, Count: clockSamples, KeepFirst: true}
	if err == nil {
		for cycle, failure := range measure.Watch(ctx, src, sel, opt) {
			if err = failure; err == nil {
				m.Anomalies = append(m.Anomalies, cycle.Anomalies...)
			}
		}
	}
	unread(m, "clocks", err)
	if err == nil {
		m.Examined = append(m.Examined, "clocks for a second")
	}
}
