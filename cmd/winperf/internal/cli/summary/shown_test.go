package summary

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/winperf/winperf/cmd/winperf/internal/cli/output"
	"github.com/winperf/winperf/internal/logs"
)

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		c    logs.Comparison
		want string
	}{
		{logs.Comparison{Difference: -1}, ""}, {logs.Comparison{Difference: -1, Differs: true}, "differs"}, {logs.Comparison{}, ""},
		{logs.Comparison{Difference: 0.009}, "< 0.01 %"}, {logs.Comparison{Difference: 0.01, Points: true}, "0.01 points"},
		{logs.Comparison{Difference: 12.345, Differs: true}, "12.35 % differs"},
	} {
		if got := verdict(&tt.c); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.c, got, tt.want)
		}
	}
}

func TestShortTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1_234_567_890: "1.23s", time.Second: "1s", 999_999_999: "1s", 12_345_678: "12.35ms", time.Millisecond: "1ms",
		999_999: "1ms", 123_456: "123.5µs", 0: "0s",
	} {
		if got := shortTime(d); got != want {
			t.Errorf("%d ns: %s, want %s", d, got, want)
		}
	}
}

// TestMeanCost: the cost of a sample is the mean of all; preparing is done once.
func TestMeanCost(t *testing.T) {
	s := side{samples: 4, cost: sideCost{Prepare: 8, Sample: 12, Decode: 16, Processor: 20, Allocations: 24, Bytes: 28}}
	want := sideCost{Prepare: 8, Sample: 3, Decode: 4, Processor: 5, Allocations: 6, Bytes: 7}
	if got := s.mean(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.samples = 0
	if got := s.mean(); got != s.cost {
		t.Errorf("of no sample %+v, want %+v", got, s.cost)
	}
}

// TestShownSources: names are short as long as they differ.
func TestShownSources(t *testing.T) {
	long := strings.Repeat("x", 30)
	for _, names := range [][]string{{"a", "b", "a"}, {long + "1", long + "2"}} {
		if diff := cmp.Diff(names, shownSources(names)); diff != "" {
			t.Errorf("sources (-want +got):\n%s", diff)
		}
	}
	if got := shownSources([]string{long, long}); got[0] != got[1] || len(got[0]) >= len(long) {
		t.Errorf("the same source twice: %q", got)
	}
}

// TestFirstFindings: the first twenty gaps and findings are kept, and all are counted.
func TestFirstFindings(t *testing.T) {
	start := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for _, n := range []int{0, 1, maxShown, maxShown + 1, maxShown + 5} {
		s := logSummary{zone: output.ShownZone{Location: time.UTC}}
		var lines []string
		at := start
		s.intervals.add(at)
		for range 2*n + 1 {
			at = at.Add(time.Second)
			s.intervals.add(at)
		}
		for i := range n {
			s.addDamage([]error{errors.New(fmt.Sprint(i))})
			if i < maxShown {
				lines = append(lines, fmt.Sprint(i))
			}
			at = at.Add(1500 * time.Millisecond)
			s.intervals.add(at)
		}
		s.finish()

		if n > maxShown {
			lines = append(lines, fmt.Sprintf("and %d more", n-maxShown))
		}
		if diff := cmp.Diff(lines, addMore(s.Findings, s.Damage)); diff != "" || s.Damage != n {
			t.Errorf("%d findings: %d counted (-want +got):\n%s", n, s.Damage, diff)
		}
		gaps := s.gapLines()
		if s.GapCount != n || len(gaps) != len(lines) || s.Interval != 1 {
			t.Errorf("%d gaps: %d counted, %q, interval %v", n, s.GapCount, gaps, s.Interval)
		}
		if n > 0 && !strings.HasPrefix(gaps[0], "1.5s after 2026-01-02 15:04:") {
			t.Errorf("gap %s", gaps[0])
		}
	}
}

func TestZoneText(t *testing.T) {
	minutes := func(n int) *int { return &n }
	for _, tt := range []struct {
		s    logSummary
		want string
	}{
		{logSummary{Zone: "EET", OffsetMinutes: minutes(120)}, "EET (UTC+02:00)"},
		{logSummary{OffsetMinutes: minutes(-210)}, "(UTC-03:30)"}, {logSummary{OffsetMinutes: minutes(0)}, "(UTC+00:00)"},
		{logSummary{Raw: true}, "not named; times are shown in UTC"}, {logSummary{Raw: true, Zone: "X"}, "X; times are shown in UTC"},
		{logSummary{}, "not named; times are read as UTC"},
		{logSummary{Zone: "X"}, `"X", without its offset; times are read as UTC`},
	} {
		if got := tt.s.zoneText(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestSummaryRows: nothing is said of what is not known.
func TestSummaryRows(t *testing.T) {
	s := logSummary{Raw: true}
	want := [][]string{{"format", "raw values"}, {"zone", "not named; times are shown in UTC"}, {"samples", "0"}}
	if diff := cmp.Diff(want, s.rows()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	s.Size = 1
	if got := s.rows()[1]; got[0] != "size" || got[1] != "1 bytes" {
		t.Errorf("row %q", got)
	}
}
