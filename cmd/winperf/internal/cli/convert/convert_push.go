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

type history struct {
	*converter
	sender   *push.Sender
	metrics  *logs.Metrics
	resume   push.Resume
	from     time.Time // everything up to this time was sent before
	moments  int       // number of moments read before the current one
	before   time.Time // latest time of these moments
	back     bool      // a clock in a log was set back, so times repeat
	warned   bool
	instance bool // each series has the instance label of its machine
}

// pushTimeout is the longest time without an answer of the receiver.
const pushTimeout = 5 * time.Minute

func (c *converter) push(ctx context.Context, args []string) (err error) {
	url := c.output.Output
	if c.output.Format != "" || c.output.Overwrite || c.raw {
		return errors.New("--format, --overwrite and --raw do not apply to sent metrics")
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

func (c *converter) send(ctx context.Context, url string) error {
	target, instance, err := c.pushTarget(ctx, url)
	if err != nil {
		return err
	}

	c.progress = output.NewProgress(c.app, c.quiet)
	defer c.progress.Clear()
	h := &history{converter: c, instance: instance}
	h.sender, err = push.NewSender(target, push.SenderOptions{
		Version: console.Version(), Report: h.report, NeedReceiver: true,
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

// pushTarget returns the receiver. It has no instance label if each series has its machine's, or if the
// logs are from several machines.
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
	t.RetryTimeout, t.PerMachine = pushTimeout, perMachine
	return t, instance, err
}

// system returns the operating system of the logs, or "" if they differ.
func (c *converter) system(ctx context.Context) (system string, err error) {
	for i, log := range c.logs {
		schema, err := log.Source.Schema(ctx)
		switch {
		case err != nil && i == 0:
			return "", err
		case err != nil:
			continue // reported when the log is read
		}
		of, _, _ := strings.Cut(sensor.SourceName(schema), ".")
		if i > 0 && of != system {
			return "", nil
		}
		system = of
	}
	return system, nil
}

func (h *history) report(err error) {
	h.progress.Clear()
	h.app.Complain(err)
}

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

// walk reads the logs from their beginning. It maps samples sent earlier again, to continue counters that
// wrapped, but does not send them.
func (h *history) walk(ctx context.Context) error {
	h.metrics = logs.NewMetrics(logs.Options{
		Paths: h.selection.Paths, Exclude: h.options.Exclude, Names: h.names,
		Machines: h.machines(), Instance: h.instance, PhysicalMemory: uint64(h.memory),
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

// reached records that all moments before the current one were sent. The position stays before a refused
// moment, because a later attempt may succeed.
func (h *history) reached() error {
	counts := h.sender.Counts()
	if counts.Sent == 0 || counts.Whole > 0 || h.resume.Has(h.moments, h.before) {
		return nil
	}
	return h.resume.Sent(h.moments, h.before)
}

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

func (h *history) warn(first time.Time) {
	const old = time.Hour
	if h.warned || h.quiet || time.Since(first) < old {
		return
	}
	h.warned = true
	at := first.In(cmp.Or(h.zone.Location, time.UTC)).Format(time.DateTime)
	h.report(fmt.Errorf("the samples begin at %s. Some databases drop old samples without an error: "+
		"VictoriaMetrics keeps one month (-retentionPeriod); Prometheus accepts them only while "+
		"it has no newer ones (otherwise use convert -o log.om and promtool tsdb create-blocks-from openmetrics)", at))
}

// result reports the number of samples sent, and how to continue after a failure.
func (h *history) result(ctx context.Context, err error) error {
	h.progress.Clear()
	counts := h.sender.Counts()
	if err != nil {
		if console.IsInterrupt(ctx, err) {
			err = errors.New("interrupted")
		}
		return fmt.Errorf("%w%s", err, h.continueHint())
	}

	h.finish(ctx)
	if err := h.reportRefused(ctx, &counts); err != nil {
		return err
	}
	if counts.Requests > 0 && !h.quiet {
		fmt.Fprintf(h.app.Stderr, "%d samples were sent to %s\n", counts.Sent, h.resume.To)
	}
	return nil
}

func (h *history) reportRefused(ctx context.Context, counts *push.Counts) error {
	switch {
	case h.tally.Cycles == 0:
		return h.empty(ctx, "there are no samples to send")
	case counts.Requests == 0 && !h.from.IsZero() && !h.before.After(h.from):
		h.app.Complain(fmt.Errorf("nothing was sent: according to %s all was sent before", h.resume.Name))
		return nil
	case counts.Requests == 0:
		return h.nothing()

	case counts.Sent == 0 && counts.Refused > 0:
		return fmt.Errorf("%s accepted none of %d samples", h.resume.To, counts.Refused)

	case counts.Refused > 0:
		h.app.Partial = true
		const form = "%s did not accept %d of %d samples"
		h.app.Complain(fmt.Errorf(form, h.resume.To, counts.Refused, counts.Refused+counts.Sent))
		if counts.Whole > 0 && h.resume.Name != "" {
			h.app.Complain(errors.New("repeat the command to send the refused and all later samples again"))
		}
	}
	return nil
}

func (h *history) nothing() error {
	if h.otherNames() {
		const form = "nothing was sent: the selection has no metrics with the names %s"
		return fmt.Errorf(form, strings.Join(h.nameWords, ","))
	}
	return errors.New("nothing was sent")
}

func (h *history) continueHint() string {
	until := h.resume.Until
	switch {
	case until.IsZero() && h.sender.Counts().Sent == 0:
		return "; nothing was sent"
	case h.resume.Name != "" && !until.IsZero():
		return "; repeat the command to continue from there"
	case until.IsZero() || h.back:
		return "; repeat the command to start again"
	default:
		at := until.UTC().Format(time.RFC3339Nano)
		return fmt.Sprintf("; all up to %s was sent; continue with --begin %[1]s", at)
	}
}
