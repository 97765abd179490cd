package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/measure"
)

// newSampler returns the measurement context of a binding, after its first sample, and the time that it
// took.
func (e *Experiment) newSampler(ctx context.Context, opt *Binding) (sampler, time.Duration, error) {
	s, err := newSampler(ctx, e.origins, opt, measure.Options{
		Cook: opt.Cook, Language: e.opt.Language, Names: e.opt.Names, Clock: e.clock,
		CostlyTogether: true, // a record needs a sample of its event, not an older one
	})
	if err != nil {
		return nil, 0, err
	}

	begin := e.clock.Now()
	for _, step := range []func(context.Context) error{
		s.Prepare, s.Sample, func(context.Context) error { _, err := s.Decode(); return err }, s.Prepare,
	} {
		if err := step(ctx); err != nil {
			_ = s.Close()
			return nil, 0, err
		}
	}
	return s, e.clock.Now().Sub(begin), nil
}

func (b *binding) open(ctx context.Context) error {
	s, took, err := b.experiment.newSampler(ctx, &b.opt)
	if err != nil {
		return err
	}
	b.sampling.Store(int64(took))
	b.sampler, b.prepared = s, true
	b.renew()
	return nil
}

func (b *binding) close() {
	_ = b.sampler.Close()
	b.cancel()
}

// exchange replaces the measurement context of the binding, between two samples.
func (b *binding) exchange(ctx context.Context, s sampler, opt Binding) error {
	changed := make(chan struct{})
	change := func() {
		_ = b.sampler.Close()
		b.sampler, b.prepared = s, true
		b.opt.Paths, b.opt.Sensors = opt.Paths, opt.Sensors
		b.describe()
		close(changed)
	}

	select {
	case b.control <- change:
		<-changed
		return nil
	case <-ctx.Done():
		_ = s.Close()
		return ctx.Err()
	case <-b.done:
		_ = s.Close()
		return fmt.Errorf("binding %q has ended: %w", b.opt.Name, winperf.ErrState)
	}
}

func (b *binding) describe() {
	var all []string
	for _, p := range b.opt.Paths {
		all = append(all, p.String())
	}
	for _, n := range b.opt.Sensors {
		all = append(all, n.String())
	}
	b.sensors.Store(&all)
}
