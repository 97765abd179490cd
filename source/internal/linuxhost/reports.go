package linuxhost

import (
	"fmt"

	"github.com/winperf/winperf/provider"
)

// reports repeats a problem only after an hour without it.
type reports struct {
	short, unread, hidden report
}

type report struct {
	reported bool
	last     int64 // Times.Boot of the last occurrence
}

// repeatAfter is in ns.
const repeatAfter = 3600 * 1_000_000_000

// due reports whether to report a problem that occurs now.
func (r *report) due(now int64) bool {
	again := !r.reported || now-r.last > repeatAfter
	r.reported = true
	r.last = now
	return again
}

// noteMissed records unexpected read errors. Missing permissions are expected.
func (s *session) noteMissed(err error) {
	if isFailure(err) {
		s.missed = err
	}
}

func (s *session) report(w *provider.Writer) {
	now := s.times.Boot
	const missing = "cannot read some files, so their totals are missing"
	switch {
	case s.short != nil:
		if s.reports.short.due(now) {
			w.Report(fmt.Errorf("%s: %w (close files or raise the limit of open files)", missing, s.short))
		}
	case s.missed != nil:
		if s.reports.unread.due(now) {
			w.Report(fmt.Errorf("%s: %w", missing, s.missed))
		}
	}

	if s.hidden.are && s.pidsRead && s.reports.hidden.due(now) {
		w.Report(errHidden)
	}
}
