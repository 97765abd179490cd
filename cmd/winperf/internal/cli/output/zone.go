package output

import (
	"time"

	"github.com/winperf/winperf/sink"
)

// ShownZone is the zone for times read and shown: the requested zone, otherwise the zone of a log's
// machine (UTC if unknown), otherwise this machine's.
type ShownZone struct {
	*time.Location
	Requested bool
	Unknown   bool // only local times are known
}

// SinkOptions returns the options of a sink with times in the zone.
func (z ShownZone) SinkOptions(file bool) sink.Options {
	opt := sink.Options{File: file, NoZone: z.Unknown}
	opt.Location = z.Location
	if z.Requested {
		opt.Zone = z.String()
	}
	return opt
}

const shownTime = "2006-01-02 15:04:05.000 -07:00"

// Text formats a time for display.
func (z ShownZone) Text(t time.Time) string { return t.In(z.Location).Format(shownTime) }
