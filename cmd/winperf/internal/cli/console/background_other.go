//go:build !linux && !darwin

package console

// InBackground would tell whether a terminal is another job's now; there are no jobs on
// this system.
func InBackground(any) bool { return false }

// Continues would return a function that reports whether the program went on after a stop; there
// are none on this system.
func Continues() func() bool { return nil }
