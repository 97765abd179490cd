//go:build linux || darwin

package cli

// replacesOpen reports whether a file can be replaced while it is open.
const replacesOpen = true
