package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/sensor"
	"github.com/winperf/winperf/measure"
)

type sampler interface {
	Prepare(ctx context.Context) error
	Sample(ctx context.Context) error
	// Decode returns the cycle of each source, valid until the next Decode.
	Decode() ([]sensor.MemberCycle, error)
	Close() error
}

func newSampler(
	ctx context.Context, origins []sensor.Origin, b *Binding, opt measure.Options,
) (sampler, error) {
	if len(origins) == 1 {
		return newSingle(origins[0], b, opt)
	}
	origins, err := sensor.Assign(origins, b.Sensors)
	if err != nil {
		return nil, err
	}
	j, err := sensor.Join(ctx, origins, winperf.Selection{Paths: b.Paths}, opt)
	if err != nil {
		return nil, err
	}
	return j, nil
}

type single struct {
	*measure.Measurement
	cycle [1]sensor.MemberCycle
}

func newSingle(o sensor.Origin, b *Binding, opt measure.Options) (*single, error) {
	sel := winperf.Selection{Paths: slices.Clone(b.Paths)}
	for _, n := range b.Sensors {
		if o.Name != "" && !strings.EqualFold(n.Source, o.Name) {
			return nil, fmt.Errorf("sensor %s: %w: the source is %s", n, winperf.ErrNoMachine, o.Name)
		}
		sel.Paths = append(sel.Paths, n.Path())
	}
	s := &single{Measurement: measure.New(o.Source, sel, opt)}
	s.cycle[0].Origin = o.Name
	return s, nil
}

func (s *single) Decode() (_ []sensor.MemberCycle, err error) {
	if s.cycle[0].Cycle, err = s.Measurement.Decode(); err != nil {
		return nil, err
	}
	return s.cycle[:], nil
}
