package winperf

import (
	"context"
	"errors"
	"time"
)

// Selection lists the paths and objects requested from a source. All fields add up; the zero
// Selection requests nothing.
type Selection struct {
	// Paths are counters by name, with wildcards in object, instance and counter.
	Paths []Path
	// Objects are whole objects by identity.
	Objects []ObjectID
	// Global requests all objects that are not costly, as the V1 query "Global".
	Global bool
	// Costly requests all costly objects, as the V1 query "Costly".
	Costly bool
	// Metadata requests definitions only (objects, counters and names), if the source supports that.
	// The samples may then lack instances and values.
	Metadata bool
	// NamesOnly requests only the names of objects, counters and instances. A source may omit the
	// values to reduce cost. With Metadata or NamesOnly a log of displayable values, which has no
	// definitions, returns one sample: all its series, whatever their times, without values.
	NamesOnly bool
	// Begin and End limit the samples of a log by their times, both inclusive; zero means no limit.
	// Live sources ignore them.
	Begin, End time.Time
}

// Select returns the selection of counter paths in the form of [ParsePath]. The error names every
// invalid path, and wraps ErrPath.
func Select(paths ...string) (Selection, error) {
	var sel Selection
	var errs []error
	for _, text := range paths {
		path, err := ParsePath(text)
		errs = append(errs, err)
		sel.Paths = append(sel.Paths, path)
	}

	if err := errors.Join(errs...); err != nil {
		return Selection{}, err
	}
	return sel, nil
}

// Within reports whether t is between Begin and End. The zero time, which means unknown, always is.
func (s *Selection) Within(t time.Time) bool {
	return t.IsZero() || !(!s.Begin.IsZero() && t.Before(s.Begin) || !s.End.IsZero() && t.After(s.End))
}

// Source provides samples of a live system or of a log.
//
// A Source may be used from several goroutines; each of its queries by one at a time.
type Source interface {
	// Compile compiles a selection into a query. Unknown names are no error: the samples do not
	// contain them. An error wraps ErrNoMachine if a path names another machine than the source's,
	// and ErrNotSupported if the source cannot fulfil the selection.
	Compile(ctx context.Context, sel Selection) (Query, error)
	// Schema returns the names and definitions that the source knows now.
	Schema(ctx context.Context) (*Schema, error)
	// Describe returns the properties of the source. It may be called at any time from any
	// goroutine.
	Describe() Description
	// Close releases the source's resources. Its queries must not be used afterwards.
	Close() error
}

// Description has the properties of a source. A source around another one returns the inner
// source's description, except for the properties that it changes.
type Description struct {
	// Machine is the name of the sampled machine, without backslashes. It may be empty if only
	// samples contain it.
	Machine string
	// Recorded reports that the source is a log, not a live system. Samples is the number of its
	// samples, -1 if unknown, and Log its own description.
	Recorded bool
	Samples  int
	Log      LogInfo
	// Cooked reports that samples hold displayable values instead of raw ones. It is for functions
	// that need raw values and refuse such a source; others check samples ([Sample.CheckRaw]).
	Cooked bool
	// Costly returns a schema that lists the costly objects, possibly nothing else, or nil. Sources
	// with a slow Schema set it; otherwise it is nil and Schema lists them.
	Costly func(context.Context) (*Schema, error)
	// Anomalies appends anomalies of the source, oldest first, to buf, such as a provider that
	// failed and whose objects are missing. It does not repeat the errors of samples. n is the
	// number of anomalies that the caller has already received since the source was opened.
	// Anomalies returns buf and the n of the next call. A source keeps a bounded number of
	// anomalies; a late caller misses the oldest. The field is nil for a source without anomalies.
	Anomalies func(buf []Anomaly, n uint64) ([]Anomaly, uint64)
}

// CostlySchema returns a schema whose Costly lists the costly objects of a source, possibly without
// other contents. It is nil if no costly object is known.
func CostlySchema(ctx context.Context, src Source) (*Schema, error) {
	if costly := src.Describe().Costly; costly != nil {
		return costly(ctx)
	}
	return src.Schema(ctx)
}

// LogInfo is the description that a log or capture contains, apart from its samples. Unknown fields
// are empty.
type LogInfo struct {
	// Format is the kind of file: "PDH-CSV 4.0", "PDH binary (.blg)".
	Format string
	// System is the system that wrote it: "Windows 6.2, build 9200".
	System string
	// Zone is the time zone's name as in the file.
	Zone string
	// Location is the time zone of the machine that wrote the log, for showing its times; nil if
	// unknown: times are then shown in UTC.
	Location *time.Location
	// NoZone reports that the times are local times in an unknown zone.
	NoZone bool
	// Raw reports that the log's readings are raw values, not displayable ones.
	Raw bool
	// Encoding is the encoding of the log's text if it is not obvious: "code page 1251 (guessed)".
	Encoding string
}
