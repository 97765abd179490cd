package output

import (
	"time"

	"github.com/winperf/winperf/sink"
)

// ShownZone is the zone that times are read and shown in: the one that was asked for, else
// that of the machine that a record is of, or UTC where the record does not say it, else
// this machine's.
type ShownZone struct {
	*time.Location
	Asked   bool
	Unknown bool // only what stood on the wall is known
}

// SinkOptions are those of a sink of readings that have their times in the zone.
func (z ShownZone) SinkOptions(file bool) sink.Options {
	opt := sink.Options{File: file, NoZone: z.Unknown}
	opt.Location = z.Location
	if z.Asked {
		opt.Zone = z.String()
	}
	return opt
}

// shownTime is the form of times for people. What is shown can be given as a time.
const shownTime = "2006-01-02 15:04:05.000 -07:00"

// Text is a time for people.
func (z ShownZone) Text(t time.Time) string { return t.In(z.Location).Format(shownTime) }
