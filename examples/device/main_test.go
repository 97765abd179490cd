package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winperf/winperf/measure"
)

// The second pump is new in the second sample, so that it has no rate yet.
func TestRun(t *testing.T) {
	at := time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	samples := [][]pump{{{"north", 100, 1830}}, {{"north", 180, 1825}, {"south", 7, 1830}}}
	read := func(context.Context) ([]pump, error) {
		next := samples[0]
		samples = samples[1:]
		at = at.Add(2 * time.Second)
		return next, nil
	}

	var out strings.Builder
	opt := measure.Options{Count: 1, Interval: 50 * time.Millisecond}
	if err := run(t.Context(), read, now, opt, &out); err != nil {
		t.Fatal(err)
	}
	const want = `\\STATION\Pump(north)\Strokes/sec: 40 per_second
\\STATION\Pump(south)\Strokes/sec: no_previous
\\STATION\Pump(north)\Level: 1825 count
\\STATION\Pump(south)\Level: 1830 count
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

// An error of the device is the error of the measurement.
func TestDeviceFails(t *testing.T) {
	failed := errors.New("no answer")
	read := func(context.Context) ([]pump, error) { return nil, failed }
	var out strings.Builder
	if err := run(t.Context(), read, time.Now, measure.Options{}, &out); !errors.Is(err, failed) || out.Len() > 0 {
		t.Errorf("error %v, output %q", err, out.String())
	}
}

func TestSimulated(t *testing.T) {
	var out strings.Builder
	opt := measure.Options{Count: 1, Interval: 50 * time.Millisecond}
	if err := run(t.Context(), simulated, time.Now, opt, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `\\STATION\Pump(south)\Strokes/sec: 0 per_second`) {
		t.Errorf("got:\n%s", out.String())
	}
}
