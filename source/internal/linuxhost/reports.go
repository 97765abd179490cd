package linuxhost

import (
	"fmt"

	"github.com/winperf/winperf/provider"
)

// reports are what a session has told, so that it tells each thing once: again
// only after an hour without it.
type reports struct {
	short, unread, hidden report
}

// report is one of them.
type report struct {
	told bool
	last int64 // Times.Boot when there was last something to tell
}

// quiet is how long, in ns, a condition must have been over before it is told again.
const quiet = 3600 * 1_000_000_000

// due reports whether there is something to tell now.
func (r *report) due(now int64) bool {
	again := !r.told || now-r.last > quiet
	r.told = true
	r.last = now
	return again
}

// miss notes that something is there and could not be read. That files of other users'
// processes cannot be read is expected, and not told.
func (s *session) miss(err error) {
	if hides(err) {
		s.missed = err
	}
}

// report tells what keeps the current sample from being whole.
func (s *session) report(w *provider.Writer) {
	now := s.times.Boot
	const lacks = "some files could not be read, and totals over them have no value"
	switch {
	case s.short != nil:
		if s.reports.short.due(now) {
			w.Report(fmt.Errorf("%s: %w (close files, or raise the limit of open files)", lacks, s.short))
		}
	case s.missed != nil:
		if s.reports.unread.due(now) {
			w.Report(fmt.Errorf("%s: %w", lacks, s.missed))
		}
	}

	if s.hidden.are && s.pidsRead && s.reports.hidden.due(now) {
		w.Report(errHidden)
	}
}
