//go:build !linux && !windows

package resources

// Meter reads the values. The zero Meter is ready for use, by one goroutine.
type Meter struct{}

func (*Meter) add(map[string]float64) {}
