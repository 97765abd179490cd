package live

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/measure"
)

type measureFlags struct {
	name      input.Naming
	anomalies bool
	speed     speed
}

func (f *measureFlags) add(cmd *cobra.Command) {
	f.name.Add(cmd)
	const anomalies = "report disturbances on standard error, such as late samples, clock changes and" +
		" new or renamed instances"
	cmd.Flags().BoolVar(&f.anomalies, "anomalies", false, anomalies)
}

func (f *measureFlags) addSpeed(cmd *cobra.Command) {
	const speed = "play a log at N times its original speed"
	cmd.Flags().Var(&f.speed, "speed", speed)
}

func (f *measureFlags) set(opt *measure.Options) {
	f.name.Apply(opt)
	opt.Speed = float64(f.speed)
}

type speed float64

func (v *speed) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

func (v *speed) Type() string { return "N" }

func (v *speed) Set(s string) error {
	const slowest, fastest = 1e-3, 1e9
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < slowest || n > fastest {
		return fmt.Errorf("expected a number from %v to %v", slowest, fastest)
	}
	*v = speed(n)
	return nil
}

const maxLateAnomalies = 100

// anomalies reports disturbances of the measurement: at once, or at the end if the screen is redrawn with
// each sample.
type anomalies struct {
	zone output.ShownZone
	late []winperf.Anomaly // reported at the end
	lost int               // number of anomalies beyond late's capacity
}

func (l *anomalies) reportCycle(a *console.App, list []winperf.Anomaly, later bool) {
	for i := range list {
		switch {
		case !later:
			a.Complain(errors.New(l.zone.Text(list[i].Time) + " " + list[i].String()))
		case len(l.late) < maxLateAnomalies:
			l.late = append(l.late, list[i])
		default:
			l.lost++
		}
	}
}

func (l *anomalies) finish(a *console.App) {
	l.reportCycle(a, l.late, false)
	if l.lost > 0 {
		a.Complain(fmt.Errorf("%d more anomalies", l.lost))
	}
}
