//go:build !linux && !windows

package doctor

import (
	"context"
	"fmt"
	"runtime"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/console"
	"github.com/winperf/winperf/cmd/winperf/internal/diagnosis"
)

func readMachine(context.Context) (*diagnosis.Machine, error) {
	const form = "%s has no performance counters: %w; doctor examines exported registry files here"
	return nil, fmt.Errorf(form, runtime.GOOS, winperf.ErrNotSupported)
}

func writeProbe(*console.App, string) error { return errNoProbe }
