//go:build !linux

package schedule

import "time"

// suspended returns 0: here the clock of package time goes on, or the system does not tell.
func suspended() time.Duration { return 0 }
