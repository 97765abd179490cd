package cli

import (
	"errors"
	"strings"
	"time"
)

// momentForms are the forms of --begin and --end: relog's and ISO 8601's. Those
// of relog have no time without seconds, which there are minutes and seconds.
var momentForms = []string{
	"1/2/2006 15:04:05.999", "1/2/2006 3:04:05 PM", "1/2/2006 3:04:05PM",
	"2006-01-02 15:04:05.999999999", "2006-01-02 15:04",
	time.RFC3339Nano,
}

// dayForms have no time of day.
var dayForms = []string{"1/2/2006", "2006-01-02"}

var errMoment = errors.New("expected a time such as '6/30/2007 15:40:38', 2007-06-30T15:40:38 or 2007-06-30T13:40:38Z, or a day")

// parseMoment reads a time in a zone; "" is the zero time. A day is its
// beginning, or at the end of a range its end.
func parseMoment(s string, zone *time.Location, end bool) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	s = strings.ToUpper(strings.Join(strings.Fields(s), " "))
	for _, form := range dayForms {
		if t, err := time.ParseInLocation(form, s, zone); err == nil {
			if end {
				t = t.AddDate(0, 0, 1).Add(-1)
			}
			return t, nil
		}
	}

	for _, form := range momentForms {
		for _, text := range []string{s, strings.Replace(s, "T", " ", 1)} {
			if t, err := time.ParseInLocation(form, text, zone); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, errMoment
}
