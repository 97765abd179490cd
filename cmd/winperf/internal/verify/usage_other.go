//go:build !linux && !windows

package verify

import "github.com/winperf/winperf"

// usageNow is for systems with live sources.
func usageNow() (usage, error) { return usage{}, winperf.ErrNotSupported }
