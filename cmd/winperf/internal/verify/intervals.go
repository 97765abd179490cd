package verify

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// meter is a program of Linux that shows rates over its own interval.
type meter struct {
	command []string
	table
}

// meters are programs from procps and sysstat, each over two seconds. The tolerance is the
// last digit, and for shares of time two percentage points, because mpstat divides by ticks.
var meters = []meter{
	{[]string{"vmstat", "2", "2"}, table{"", map[string]figure{
		"in": {"System", "Total Interrupts/sec", 1, 1}, "cs": {"System", "Context Switches/sec", 1, 1},
	}}},
	{[]string{"iostat", "-d", "-x", "-k", "2", "2"}, table{"Device", map[string]figure{
		"r/s":   {"PhysicalDisk", "Disk Reads/sec", 1, 0.01},
		"rkB/s": {"PhysicalDisk", "Disk Read Bytes/sec", 1024, 10.24},
		"w/s":   {"PhysicalDisk", "Disk Writes/sec", 1, 0.01},
		"wkB/s": {"PhysicalDisk", "Disk Write Bytes/sec", 1024, 10.24},
	}}},
	{[]string{"mpstat", "-P", "ALL", "2", "1"}, table{"CPU", map[string]figure{
		"%usr+%nice+%guest+%gnice": {"Processor", "% User Time", 1, 2},
		"%sys+%irq+%soft":          {"Processor", "% Privileged Time", 1, 2},
		"%steal":                   {"Processor", "% Steal Time", 1, 2},
	}}},
	{[]string{"pidstat", "-u", "-r", "-h", "-p", "ALL", "2", "1"}, table{"Command", map[string]figure{
		"%usr": {"Process", "% User Time", 1, 2}, "%system": {"Process", "% Privileged Time", 1, 2},
		"minflt/s+majflt/s": {"Process", "Page Faults/sec", 1, 0.02},
	}}},
	{[]string{"sar", "-n", "DEV", "2", "1"}, table{"IFACE", map[string]figure{
		"rxpck/s": {"Network Interface", "Packets Received/sec", 1, 0.01},
		"rxkB/s":  {"Network Interface", "Bytes Received/sec", 1024, 10.24},
		"txpck/s": {"Network Interface", "Packets Sent/sec", 1, 0.01},
		"txkB/s":  {"Network Interface", "Bytes Sent/sec", 1024, 10.24},
	}}},
}

// The base looks directly before the programs start, when they have begun to count, before they count again,
// and after they ended.
const (
	meterBegins = 400 * time.Millisecond
	meterEnds   = 1700 * time.Millisecond
)

func (m *meter) label() string { return m.command[0] + " " + m.command[len(m.command)-2] }

// parse reads the last table in the output.
func (m *meter) parse(text string) (*Look, error) {
	l := &Look{Reader: m.label(), Object: everything, Time: time.Now(), text: text}
	m.each(text, func() { l.Counters = map[Name]*Counter{} }, func(f figure, instance string, v float64) {
		name := Name{f.object, f.counter}
		c := l.Counters[name]
		if c == nil {
			c = &Counter{Tolerance: f.tolerance}
			l.Counters[name] = c
		}
		c.Names, c.Values = append(c.Names, instance), append(c.Values, v*f.factor)
	})
	return l, needed(l)
}

// begin returns the look of a program when its interval begins: without values to compare.
func (l *Look) begin() *Look {
	begin := *l
	begin.text, begin.Counters = "", make(map[Name]*Counter, len(l.Counters))
	for name, c := range l.Counters {
		timeless := *c
		timeless.Timeless = true
		begin.Counters[name] = &timeless
	}
	return &begin
}

// compareMeters compares rates of programs with rates of the base over the same intervals, in several passes.
func (r *Report) compareMeters(ctx context.Context, base *driver, end time.Time, opt Options) {
	var installed []meter
	for _, m := range meters {
		if _, err := exec.LookPath(m.command[0]); err != nil {
			r.skip(m.label(), errors.New(m.command[0]+" is not installed"))
			continue
		}
		installed = append(installed, m)
	}
	if base.global == nil || len(installed) == 0 {
		return
	}

	for pass := range minGauge {
		if opt.Progress != nil {
			opt.Progress(fmt.Sprintf("comparing rates, pass %d of %d", pass+1, minGauge))
		}
		err := errLate
		if time.Now().Before(end) {
			err = r.meterPass(ctx, base, installed, passes+pass, opt)
		}
		if err != nil {
			r.skip("rates of programs", err)
			return
		}
	}
}

// meterPass runs all programs at the same time.
func (r *Report) meterPass(ctx context.Context, base *driver, all []meter, pass int, opt Options) error {
	var bases []*Look
	look := func() error {
		l, err := base.look(ctx, everything, global)
		bases = append(bases, l)
		return err
	}
	if err := look(); err != nil {
		return err
	}
	shown, errs := make([]*Look, len(all)), make([]error, len(all))
	var running sync.WaitGroup
	begin := time.Now()
	for i := range all {
		running.Go(func() {
			text, err := output(ctx, all[i].command[0], all[i].command[1:]...)
			if err == nil {
				shown[i], err = all[i].parse(text)
			}
			errs[i] = err
		})
	}

	rest(ctx, meterBegins)
	err := look()
	rest(ctx, meterEnds-time.Since(begin))
	err = errors.Join(err, look())
	running.Wait()
	if err = errors.Join(err, look()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errLate
	}

	var looks, ends []*Look
	for i := range all {
		if errs[i] != nil {
			r.skip(all[i].label(), errs[i])
			continue
		}
		looks, ends = append(looks, shown[i].begin()), append(ends, shown[i])
	}
	looks = append(append([]*Look{bases[0]}, looks...), bases[1], bases[2])
	looks = append(append(looks, ends...), bases[3])
	for _, l := range looks {
		if l.Pass = pass; opt.Keep {
			r.keep(l)
		}
	}
	r.comparison.addAll(looks)
	return nil
}
