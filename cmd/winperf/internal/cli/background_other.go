//go:build !linux && !darwin

package cli

// inBackground would tell whether a terminal is another job's now; there are no jobs on
// this system.
func inBackground(any) bool { return false }

// continues would return a function that reports whether the program went on after a stop; there
// are none on this system.
func continues() func() bool { return nil }
