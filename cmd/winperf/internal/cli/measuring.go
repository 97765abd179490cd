package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// measureFlags say how watch and get measure, besides what they select.
type measureFlags struct {
	name      naming
	anomalies bool
	speed     speed
}

func (f *measureFlags) add(cmd *cobra.Command) {
	f.name.add(cmd)
	const anomalies = "report on standard error what disturbed the measurement"
	cmd.Flags().BoolVar(&f.anomalies, "anomalies", false, anomalies)
}

func (f *measureFlags) addSpeed(cmd *cobra.Command) {
	const speed = "play a log N times faster than it was recorded: 1 is the original speed"
	cmd.Flags().Var(&f.speed, "speed", speed)
}

// set puts what the flags say into options.
func (f *measureFlags) set(opt *measure.Options) {
	f.name.set(opt)
	opt.Speed = float64(f.speed)
}

// naming is a rule for names of instances.
type naming string

var nameRules = map[string]func() measure.NameRule{"pid": measure.ByPID, "name:pid": measure.ByNameAndPID}

func namings() []string { return []string{"pid", "name:pid"} }

// add adds --name.
func (v *naming) add(cmd *cobra.Command) {
	cmd.Flags().Var(v, "name", "name processes and threads by id: pid, or name:pid")
	complete(cmd, "name", cobra.FixedCompletions(namings(), cobra.ShellCompDirectiveNoFileComp))
}

// set puts the rule into options.
func (v *naming) set(opt *measure.Options) {
	if rule := nameRules[string(*v)]; rule != nil {
		opt.Names = []measure.NameRule{rule()}
	}
}

// String returns the rule's name.
func (v *naming) String() string { return string(*v) }

// Type names the value in help texts.
func (v *naming) Type() string { return "RULE" }

// Set reads the value.
func (v *naming) Set(s string) error {
	if nameRules[s] == nil {
		return errors.New("expected pid or name:pid")
	}
	*v = naming(s)
	return nil
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
	zone shownZone
	late []winperf.Anomaly // to be told at the end
	lost int               // that late has no room for
}

// tell reports the anomalies of a cycle or, with later, keeps them for finish.
func (l *anomalies) tell(a *app, list []winperf.Anomaly, later bool) {
	for i := range list {
		switch {
		case !later:
			a.complain(errors.New(l.zone.text(list[i].Time) + " " + list[i].String()))
		case len(l.late) < maxLateAnomalies:
			l.late = append(l.late, list[i])
		default:
			l.lost++
		}
	}
}

// finish reports the anomalies that were kept, and how many others there were.
func (l *anomalies) finish(a *app) {
	l.tell(a, l.late, false)
	if l.lost > 0 {
		a.complain(fmt.Errorf("%d more anomalies", l.lost))
	}
}
