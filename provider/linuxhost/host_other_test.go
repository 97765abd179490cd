//go:build !linux

package linuxhost

import (
	"errors"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
)

func TestNotSupported(t *testing.T) {
	if h, err := New(Options{}); h != nil || !errors.Is(err, winperf.ErrNotSupported) {
		t.Errorf("New() = %v, %v; want an error that wraps ErrNotSupported", h, err)
	}
	if c := Clocks(); c != (counter.Clocks{}) {
		t.Errorf("Clocks() = %+v, want none", c)
	}
}
