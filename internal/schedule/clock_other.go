//go:build !linux

package schedule

import "time"

// suspended returns 0: here the clock of package time includes suspensions, or the system does not
// report them.
func suspended() time.Duration { return 0 }
