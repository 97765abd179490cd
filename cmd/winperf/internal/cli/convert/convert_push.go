package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/input"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/rawline"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/internal/logs"
	"github.com/winperf/winperf/internal/push"
	"github.com/winperf/winperf/measure"
	"github.com/winperf/winperf/sink/metrics"
)

// history sends what logs hold to where metrics are kept.
type history struct {
	*converter
	sender   *push.Sender
	metrics  *logs.Metrics
	resume   push.Resume
	from     time.Time // up to which all was sent before
	moments  int       // that were read before the one at hand
	before   time.Time // of the latest of them
	back     bool      // a clock was set back in a log: times come again
	warned   bool
	instance bool // each series has that of its machine
}

// pushPatience is for how long a target may not answer.
const pushPatience = 5 * time.Minute

// push sends the logs to the URL that is the output. It is run for that output.
func (c *converter) push(ctx context.Context, args []string) (err error) {
	url := c.output.Output
	if c.output.Format != "" || c.output.Overwrite || c.raw {
		return errors.New("--format, --overwrite and --raw say nothing about metrics that are sent")
	}
	if err := c.settleNames("", url); err != nil {
		return err
	}
	if err := c.settle(ctx, args, logs.OpenMetrics, url); err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, c.close()); err != nil && console.IsInterrupt(ctx, err) {
			err = errors.New("interrupted")
		}
	}()

	c.logs, c.zone, err = input.OpenLogs(ctx, c.app, c.files, &c.log, &c.within, &c.selection)
	if err != nil {
		return err
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	thin := logs.Thin{Every: int(c.every), Interval: time.Duration(c.interval)}
	for _, log := range c.logs {
		if log.Source.Describe().Log.Raw {
			return rawline.RawLinesError(log.Name, "metrics")
		}
		log.Source = thin.Of(log.Source)
	}
	return c.send(ctx, url)
}

// send sends what the logs hold.
func (c *converter) send(ctx context.Context, url string) error {
	target, instance, err := c.pushTarget(ctx, url)
	if err != nil {
		return err
	}

	c.progress = output.NewProgress(c.app, c.quiet)
	defer c.progress.Clear()
	h := &history{converter: c, instance: instance}
	h.sender, err = push.NewSender(target, push.SenderOptions{
		Version: console.Version(), Tell: h.tell, NeedReceiver: true,
	})
	if err != nil {
		return err
	}
	defer h.sender.Close()

	h.resume = push.Resume{Name: c.resume, To: target.Name(), How: c.how()}
	for _, log := range c.logs {
		h.resume.Of = append(h.resume.Of, log.Name)
	}
	if err := h.resume.Read(); err != nil {
		return err
	}
	h.from = h.resume.Until
	return h.result(ctx, h.all(ctx))
}

// pushTarget is where the logs are sent. Where each series has the instance of its own machine, or the logs
// are of several, the target tells none: what is of one log is not of another one's machine.
func (c *converter) pushTarget(ctx context.Context, url string) (t push.Target, instance bool, err error) {
	system, err := c.system(ctx)
	if err != nil {
		return t, false, err
	}
	perMachine := c.target.PerMachine()
	instance = !c.target.Sets(logs.InstanceLabel)
	if otlp := strings.HasPrefix(strings.ToLower(url), "otlp"); otlp {
		instance = perMachine != nil
	}

	machine := c.logs[0].Source.Describe().Machine
	if instance || c.machines() {
		machine = ""
	}
	t, err = c.target.Settle(url, machine, system)
	t.Patience, t.PerMachine = pushPatience, perMachine
	return t, instance, err
}

// system is that of the machines that the logs are of; "" where it is not the same.
func (c *converter) system(ctx context.Context) (system string, err error) {
	for i, log := range c.logs {
		schema, err := log.Source.Schema(ctx)
		switch {
		case err != nil && i == 0:
			return "", err
		case err != nil:
			continue // which is told when it is read
		}
		of, _, _ := strings.Cut(sensor.SourceName(schema), ".")
		if i > 0 && of != system {
			return "", nil
		}
		system = of
	}
	return system, nil
}

// tell shows what the sender says.
func (h *history) tell(err error) {
	h.progress.Clear()
	h.app.Complain(err)
}

// all sends everything, and once more what a target did not take in the first version of its
// protocol.
func (h *history) all(ctx context.Context) error {
	for {
		err := h.walk(ctx)
		if !errors.Is(err, push.ErrAgain) {
			return err
		}
		h.damage, h.tally.Cycles = console.DamageCount{}, 0
		h.sender.Reset()
	}
}

// walk goes over the logs from their beginning. What was sent before is mapped once more,
// as counters that wrapped go on from there, and not sent.
func (h *history) walk(ctx context.Context) error {
	h.metrics = logs.NewMetrics(logs.Options{
		Paths: h.selection.Paths, Exclude: h.options.Exclude, Names: h.names,
		Machines: h.machines(), Instance: h.instance,
	})
	h.moments, h.before, h.back = 0, time.Time{}, false
	h.progress.Restart()

	for m, err := range logs.Read(ctx, h.logs, h.selection, h.options) {
		if err != nil {
			return err
		}
		h.damage.Add(m.Damage)
		if len(m.Cycles) == 0 {
			break
		}
		for _, cycle := range m.Cycles {
			h.tally.Count(cycle)
		}
		if err := h.moment(ctx, m); err != nil {
			return err
		}
		h.progress.Show(m, h.tally.Cycles)
	}

	if err := ctx.Err(); err != nil {
		return err
	}
	if err := h.sender.Flush(ctx); err != nil {
		return err
	}
	return h.reached()
}

// reached notes that all moments before the one at hand were sent. What was refused as a whole was not: the
// position stays before it, as the target may be told to take it, or be another.
func (h *history) reached() error {
	counts := h.sender.Counts()
	if counts.Sent == 0 || counts.Whole > 0 || h.resume.Has(h.moments, h.before) {
		return nil
	}
	return h.resume.Sent(h.moments, h.before)
}

// moment sends the metrics of a moment, and notes what was sent by that.
func (h *history) moment(ctx context.Context, m *logs.Moment) error {
	full := false
	before := h.resume.Has(h.moments+1, m.Time)
	err := h.metrics.Each(m, func(from *logs.Log, cycle *measure.Cycle, set *metrics.Set) error {
		if before {
			return nil
		}
		if hasValues(set) {
			h.warn(m.Time)
		}
		sent, err := h.sender.Send(ctx, set, h.metrics.Labels(from, cycle)...)
		full = full || sent
		return err
	})
	if err != nil {
		return err
	}

	if full {
		if err := h.reached(); err != nil {
			return err
		}
	}
	h.moments++
	h.back = h.back || m.Time.Before(h.before)
	if m.Time.After(h.before) {
		h.before = m.Time
	}
	return nil
}

// hasValues reports whether a Set has samples at all.
func hasValues(set *metrics.Set) bool {
	for i := range set.Families {
		for _, c := range set.Families[i].Columns {
			for row := range c.Bits {
				if c.Has(row) {
					return true
				}
			}
		}
	}
	return false
}

// warn says once what may become of old samples.
func (h *history) warn(first time.Time) {
	const old = time.Hour
	if h.warned || h.quiet || time.Since(first) < old {
		return
	}
	h.warned = true
	at := first.In(cmp.Or(h.zone.Location, time.UTC)).Format(time.DateTime)
	h.tell(fmt.Errorf("the samples begin at %s. Some databases drop old ones and say nothing: "+
		"VictoriaMetrics keeps a month unless -retentionPeriod says more; Prometheus takes them only while "+
		"it has no newer ones (else convert -o log.om, and promtool tsdb create-blocks-from openmetrics)", at))
}

// result says what was sent, and how to go on where that was not all.
func (h *history) result(ctx context.Context, err error) error {
	h.progress.Clear()
	counts := h.sender.Counts()
	if err != nil {
		if console.IsInterrupt(ctx, err) {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("%w%s", err, h.goOn())
	}

	h.finish(ctx)
	if err := h.judge(ctx, &counts); err != nil {
		return err
	}
	if counts.Requests > 0 && !h.quiet {
		fmt.Fprintf(h.app.Stderr, "%d samples were sent to %s\n", counts.Sent, h.resume.To)
	}
	return nil
}

// judge tells what was not sent.
func (h *history) judge(ctx context.Context, counts *push.Counts) error {
	switch {
	case h.tally.Cycles == 0:
		return h.empty(ctx, "there are no samples to send")
	case counts.Requests == 0 && !h.from.IsZero() && !h.before.After(h.from):
		h.app.Complain(fmt.Errorf("nothing was sent: %s says that all was sent before", h.resume.Name))
		return nil
	case counts.Requests == 0:
		return h.nothing()
	case counts.Sent == 0 && counts.Refused > 0:
		return fmt.Errorf("%s took none of %d samples", h.resume.To, counts.Refused)
	case counts.Refused > 0:
		h.app.Partial = true
		const form = "%s did not take %d of %d samples"
		h.app.Complain(fmt.Errorf(form, h.resume.To, counts.Refused, counts.Refused+counts.Sent))
		if counts.Whole > 0 && h.resume.Name != "" {
			h.app.Complain(errors.New("the same command sends again what was refused, and all behind it"))
		}
	}
	return nil
}

// nothing is the error where nothing was sent.
func (h *history) nothing() error {
	if h.otherNames() {
		const form = "nothing was sent: what was chosen has no metrics under the names %s"
		return fmt.Errorf(form, strings.Join(h.nameWords, ","))
	}
	return errors.New("nothing was sent")
}

// goOn says how to send what is left.
func (h *history) goOn() string {
	until := h.resume.Until
	switch {
	case until.IsZero() && h.sender.Counts().Sent == 0:
		return "; nothing was sent"
	case h.resume.Name != "" && !until.IsZero():
		return "; the same command goes on from there"
	case until.IsZero() || h.back:
		return "; the same command begins anew"
	default:
		at := until.UTC().Format(time.RFC3339Nano)
		return fmt.Sprintf("; all up to %s was sent, and --begin %[1]s goes on", at)
	}
}
