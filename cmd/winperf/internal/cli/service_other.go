//go:build !windows

package cli

import (
	"fmt"

	"github.com/winperf/winperf"
)

func services() (serviceManager, error) {
	const elsewhere = "%w: services are installed on Windows; dist/winperf.service is a unit for systemd"
	return nil, fmt.Errorf(elsewhere, winperf.ErrNotSupported)
}
