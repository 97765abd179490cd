//go:build !linux && !darwin

package console

// InBackground returns false: this system has no jobs.
func InBackground(any) bool { return false }

// Continues returns nil: programs cannot be stopped on this system.
func Continues() func() bool { return nil }
