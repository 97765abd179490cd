//go:build !windows

package doctor

import (
	"fmt"

	"github.com/winperf/winperf"
)

var errNoProbe = fmt.Errorf("--probe: %w: only Windows has version 1 providers", winperf.ErrNotSupported)
