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

// measureFlags say how watch and get measure, besides what they select.
type measureFlags struct {
	name      input.Naming
	anomalies bool
	speed     speed
}

func (f *measureFlags) add(cmd *cobra.Command) {
	f.name.Add(cmd)
	const anomalies = "report on standard error what disturbed the measurement"
	cmd.Flags().BoolVar(&f.anomalies, "anomalies", false, anomalies)
}

func (f *measureFlags) addSpeed(cmd *cobra.Command) {
	const speed = "play a log N times faster than it was recorded: 1 is the original speed"
	cmd.Flags().Var(&f.speed, "speed", speed)
}

// set puts what the flags say into options.
func (f *measureFlags) set(opt *measure.Options) {
	f.name.Apply(opt)
	opt.Speed = float64(f.speed)
}

// speed is how many times faster a log is played than it was recorded.
type speed float64

// String returns the number; nothing where there is none.
func (v *speed) String() string {
	if *v == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 64)
}

// Type names the value in help texts.
func (v *speed) Type() string { return "N" }

// Set reads the value.
func (v *speed) Set(s string) error {
	const slowest, fastest = 1e-3, 1e9
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < slowest || n > fastest {
		return fmt.Errorf("expected a number from %v to %v", slowest, fastest)
	}
	*v = speed(n)
	return nil
}

// maxLateAnomalies is how many anomalies are kept to be told at the end.
const maxLateAnomalies = 100

// anomalies reports what disturbed the measurement: at once or, where the screen is drawn
// anew with each sample, at the end.
type anomalies struct {
	zone output.ShownZone
	late []winperf.Anomaly // to be told at the end
	lost int               // that late has no room for
}

// tell reports the anomalies of a cycle or, with later, keeps them for finish.
func (l *anomalies) tell(a *console.App, list []winperf.Anomaly, later bool) {
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

// finish reports the anomalies that were kept, and how many others there were.
func (l *anomalies) finish(a *console.App) {
	l.tell(a, l.late, false)
	if l.lost > 0 {
		a.Complain(fmt.Errorf("%d more anomalies", l.lost))
	}
}
