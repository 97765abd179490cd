package zone

import (
	"testing"
	"time"
)

// TestLeapYear reads the rules of a zone that is known by its rules alone in a leap year:
// there time tells a bound on the last day that is not behind it.
func TestLeapYear(t *testing.T) {
	berlin := Info{
		Bias:         -60,
		StandardName: "CET", StandardDate: Date{Month: 10, Day: 5, Hour: 3},
		DaylightName: "CEST", DaylightDate: Date{Month: 3, Day: 5, Hour: 2}, DaylightBias: -60,
	}
	for _, year := range []int{2023, 2024, 2025} {
		if got := At(berlin.Location(), time.Date(year, 7, 1, 0, 0, 0, 0, time.UTC)); got != berlin {
			t.Errorf("in %d %+v, want %+v", year, got, berlin)
		}
	}
}
