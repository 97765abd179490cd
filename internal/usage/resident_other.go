//go:build !linux

package usage

func resident() (uint64, bool) { return 0, false }
