package retry

import (
	"errors"
	"strconv"
	"time"
)

// mostAfter is the longest wait that the other side may ask for.
const mostAfter = time.Hour

// After returns the wait that a header Retry-After asks for (RFC 9110, 10.2.3): seconds, or a date. It is at
// most an hour, and 0 for a text that is neither and for a date in the past.
func After(text string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // then it has the highest value there is
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
