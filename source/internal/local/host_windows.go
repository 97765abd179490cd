package local

import (
	"context"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/source/internal/consumer"
	"github.com/winperf/winperf/source/internal/pdh"
	"github.com/winperf/winperf/source/internal/registry"
)

// openHost opens the interfaces of the system, which query its providers. They cannot include
// providers of this program.
func openHost(opt Options) (host, error) {
	if len(opt.Providers) > 0 {
		return host{}, fmt.Errorf("providers of the program's own on Windows: %w yet",
			winperf.ErrNotSupported)
	}
	openRegistry := func(ctx context.Context) (winperf.Source, error) {
		return registry.Open(ctx, registry.Options{})
	}
	openSets := func(context.Context) (winperf.Source, error) { return consumer.Open(consumer.Options{}) }
	openPdh := func(context.Context) (winperf.Source, error) { return pdh.Open(pdh.Options{}) }

	src, err := compose(context.Background(),
		&member{name: "registry", open: openRegistry},
		&member{name: "perflib", apart: true, open: openSets},
		&member{name: "pdh", fallback: true, open: openPdh},
	)
	if err != nil {
		return host{}, err
	}
	return host{source: src}, nil
}
