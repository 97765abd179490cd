//go:build !linux && !darwin

package live

func stopJob() {}
