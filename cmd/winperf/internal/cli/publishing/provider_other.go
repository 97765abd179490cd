//go:build !windows

package publishing

import (
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/regfile"
)

// RegistrationSystem returns the system that registers providers.
func RegistrationSystem() (regfile.System, error) {
	return nil, fmt.Errorf("%w: providers are registered on Windows", winperf.ErrNotSupported)
}

func collectFrom(regfile.System, string) (delivered, error) {
	return delivered{}, winperf.ErrNotSupported // RegistrationSystem returns an error first
}
