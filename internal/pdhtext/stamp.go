package pdhtext

import (
	"bytes"
	"time"
)

// stampForms are the forms of a time stamp by the separator behind its first number:
// Windows' MM/DD/YYYY HH:MM:SS.mmm and the forms of spreadsheet programs. Leading zeros,
// seconds and their fraction may be missing.
var stampForms = map[byte]struct{ whole, short string }{
	'/': {"1/2/2006 15:4:5", "1/2/2006 15:4"},
	'.': {"2.1.2006 15:4:5", "2.1.2006 15:4"},
	'-': {"2006-1-2 15:4:5", "2006-1-2 15:4"},
	'T': {"2006-1-2T15:4:5", "2006-1-2T15:4"},
}

const firstYear = 1601

func parseStamp(b []byte, zone *time.Location) (t time.Time, ok bool) {
	b = trimBlanks(b)
	at := bytes.IndexAny(b, "/.-")
	if at < 0 {
		return t, false
	}

	mark := b[at]
	if mark == '-' && bytes.IndexByte(b, 'T') > 0 {
		mark = 'T'
	}
	form := stampForms[mark].whole
	if bytes.Count(b, []byte{':'}) == 1 {
		form = stampForms[mark].short
	}

	t, err := time.ParseInLocation(form, string(b), zone)
	return t.UTC(), err == nil && t.Year() >= firstYear
}

// notBefore resolves a local time that occurs twice because clocks are set back: the
// earlier time, unless it is before the previous row.
func notBefore(t, before time.Time, zone *time.Location) time.Time {
	t = t.In(zone)
	earlier, later := t, t
	for _, step := range [...]time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} {
		if sameClock(t, t.Add(-step)) {
			earlier = t.Add(-step)
		}
		if sameClock(t, t.Add(step)) {
			later = t.Add(step)
		}
	}

	if earlier.Before(before) {
		return later.UTC()
	}
	return earlier.UTC()
}

// sameClock reports whether two times have the same local time.
func sameClock(a, b time.Time) bool {
	_, offsetA := a.Zone()
	_, offsetB := b.Zone()
	return a.Unix()+int64(offsetA) == b.Unix()+int64(offsetB)
}
