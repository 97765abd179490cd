package retry

import (
	"errors"
	"strconv"
	"time"
)

// mostAfter is the longest wait accepted from a server.
const mostAfter = time.Hour

// After returns the wait that a Retry-After header requests (RFC 9110, 10.2.3): seconds, or a date.
// It is at most an hour, and 0 for an invalid text or a date in the past.
func After(text string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // for ErrRange seconds is the maximum
		return min(time.Duration(seconds)*time.Second, mostAfter)
	}

	const form = "Mon, 02 Jan 2006 15:04:05 GMT"
	for _, layout := range []string{form, time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, text); err == nil {
			return min(max(at.Sub(now), 0), mostAfter)
		}
	}
	return 0
}
