//go:build !linux && !darwin && !windows

package cli

const replacesOpen = false
