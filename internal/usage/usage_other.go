//go:build !linux && !darwin && !windows

package usage

import "time"

func processor() (time.Duration, bool) { return 0, false }
