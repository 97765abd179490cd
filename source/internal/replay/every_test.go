package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/capture"
	"github.com/winperf/winperf/internal/perftest"
)

// samplesOf returns the times and bytes of the selected samples.
func samplesOf(t *testing.T, src winperf.Source, sel winperf.Selection) (times []time.Time, blocks [][]byte) {
	t.Helper()
	q, err := src.Compile(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	var s winperf.Sample
	for {
		err := q.Next(t.Context(), &s)
		if errors.Is(err, io.EOF) {
			return times, blocks
		}
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, capture.Time(&s))
		blocks = append(blocks, bytes.Clone(s.Parts[0].Block.Bytes))
	}
}

// timesOf returns the times of the selected samples without their bytes.
func timesOf(t *testing.T, src winperf.Source, sel winperf.Selection) []time.Time {
	t.Helper()
	q, err := src.Compile(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	times, err := q.(interface {
		Times(context.Context) ([]time.Time, error)
	}).Times(t.Context())
	if err != nil {
		t.Error(err)
	}
	return times
}

// TestEvery: samples that follow too soon are omitted, and the others are unchanged.
func TestEvery(t *testing.T) {
	name, _ := captureFile(t, 40)
	logs := map[string]winperf.Source{"capture": openCapture(t, name)}
	logs["blg"] = openBLG(t, perftest.Data(t, "blg", realCounters))
	for kind, src := range logs {
		sel := winperf.Selection{Global: true, Costly: true}
		times, blocks := samplesOf(t, src, sel)
		if len(times) < 10 {
			t.Fatalf("%s: %d samples", kind, len(times))
		}
		if got := timesOf(t, src, sel); !slices.EqualFunc(got, times, time.Time.Equal) {
			t.Errorf("%s: the times are %v, want %v", kind, got, times)
		}
		if log := src.Describe().Log; kind == "capture" && (!log.Begin.Equal(times[0]) || !log.End.Equal(times[len(times)-1])) {
			t.Errorf("%s: %v to %v, want %v to %v", kind, log.Begin, log.End, times[0], times[len(times)-1])
		}

		sel.Every = 5 * (times[1].Sub(times[0])) / 2
		sel.Begin, sel.End = times[2], times[len(times)-2]
		thinTimes, thinBlocks := samplesOf(t, src, sel)
		if got := timesOf(t, src, sel); !slices.EqualFunc(got, thinTimes, time.Time.Equal) {
			t.Errorf("%s: the times of some samples are %v, want %v", kind, got, thinTimes)
		}
		at, last := 0, time.Time{}
		for i, time := range times {
			if time.Before(sel.Begin) || time.After(sel.End) || !last.IsZero() && time.Sub(last) < sel.Every {
				continue
			}
			last = time
			if at >= len(thinTimes) || !thinTimes[at].Equal(time) || !bytes.Equal(thinBlocks[at], blocks[i]) {
				t.Fatalf("%s: sample %d is not sample %d of the log", kind, at, i)
			}
			at++
		}
		if at != len(thinTimes) || at < 3 {
			t.Errorf("%s: %d samples, want %d", kind, len(thinTimes), at)
		}
	}
}
