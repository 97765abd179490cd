package input

import (
	"context"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/experiment/control"
	"github.com/winperf/winperf/experiment/sensor"
)

// ExperimentsUsage is the help of --experiments.
const ExperimentsUsage = "let programs of this account attach experiments to this process;" +
	" warning: an experiment can write files and start programs with the rights of this process"

// OpenExperiments opens a socket for attaching experiments to a command, until stop is called. Experiments
// measure src, or this machine if src is nil.
func OpenExperiments(ctx context.Context, name string, src winperf.Source) (stop func(), err error) {
	opt := control.Options{Name: name}
	if src != nil {
		schema, err := src.Schema(ctx)
		if err != nil {
			return nil, fmt.Errorf("--experiments: %w", err)
		}
		opt.Sources = []sensor.Origin{{Name: sensor.SourceName(schema), Source: src}}
	}

	server, err := control.Listen(ctx, opt)
	if err != nil {
		return nil, fmt.Errorf("--experiments: %w", err)
	}
	return func() { _ = server.Close() }, nil // Close always returns nil
}
