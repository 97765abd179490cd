//go:build !linux

package cli

// systemPrograms are programs for tests on this system: none.
var systemPrograms map[string]func()
