package winperf

import (
	"context"
	"time"
)

// LogInfo is what a log or capture says about itself apart from its samples.
// What is not known is empty.
type LogInfo struct {
	// Format is the kind of file: "PDH-CSV 4.0", "PDH binary (.blg)".
	Format string
	// System is the system that wrote it: "Windows 6.2, build 9200".
	System string
	// Zone is the time zone's name as the file spells it.
	Zone string
	// Location is the zone of the machine that wrote it, in which people expect
	// its times; nil where it is not known.
	Location *time.Location
	// Encoding is the form of the text in it where that is no matter of course:
	// "code page 1251 (guessed)".
	Encoding string
}

// Described is implemented by sources that can tell what kind of file they
// read.
type Described interface {
	// Log returns what the file says about itself.
	Log() LogInfo
}

// DamagedQuery is implemented by queries that pass over what is damaged, and go on
// behind it: in recorded data, or in what other programs publish.
type DamagedQuery interface {
	Query
	// Damage returns what was found wrong since the last call, at the end of the
	// data too; each error says where. The list is short: of much damage the
	// last error counts what is left out. Of what is published on this machine
	// there may be notices behind it (publish.Notice), which are no damage.
	Damage() []error
}

// Positioned is implemented by queries that know how far they have come in a
// file.
type Positioned interface {
	// Position returns the number of bytes read so far and of all there are.
	Position() (at, size int64)
}

// SeriesQuery is implemented by cooked queries that can tell their series
// without their values, such as that of a text log.
type SeriesQuery interface {
	CookedQuery
	// Series returns all series that its readings have anywhere in the data.
	Series(ctx context.Context) ([]*Series, error)
}
