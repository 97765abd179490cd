package winperf

import (
	"context"
	"errors"
	"time"
)

// Selection lists the paths and objects requested from a source. Paths, Objects, Global and Costly
// add up. The other fields restrict the samples. The zero Selection requests nothing.
type Selection struct {
	// Paths are counters by name, with wildcards in object, instance and counter.
	Paths []Path
	// Objects are the identities of objects requested with all counters and instances.
	Objects []ObjectID
	// Global requests all objects that are not costly, like the query "Global" of version 1.
	Global bool
	// Unneeded are the identities of objects that Global need not include. A source may include them,
	// if it saves nothing by omitting them. Paths and Objects can still request them.
	Unneeded []ObjectID
	// Costly requests all costly objects, like the query "Costly" of version 1.
	Costly bool
	// Metadata requests only definitions (objects, counters and names). The samples of a source
	// that supports this may lack instances and values.
	Metadata bool
	// NamesOnly requests only the names of objects, counters and instances. A source may omit the
	// values to reduce cost. A log of displayable values has no definitions: with Metadata or
	// NamesOnly it returns one sample with all its series, whatever their times, without values.
	NamesOnly bool
	// Begin and End limit the samples of a log by their times, both inclusive; zero means no limit.
	// Live sources ignore them.
	Begin, End time.Time
	// Before also requests the last sample before Begin, from which the rates of the first sample in the
	// range are computed. Live sources, and logs without such a sample, ignore it.
	Before bool
	// Every omits samples of a log that are less than this after the previous one; 0 omits none.
	// Captures and binary logs skip them without decoding. Live sources ignore it.
	Every time.Duration
}

// Select returns the selection of counter paths in the form of [ParsePath]. The error names every
// invalid path and wraps ErrPath.
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

// Within reports whether t is between Begin and End. It returns true for the zero time, which means
// an unknown time.
func (s *Selection) Within(t time.Time) bool {
	return t.IsZero() || !(!s.Begin.IsZero() && t.Before(s.Begin) || !s.End.IsZero() && t.After(s.End))
}

// Source provides samples of a live system or of a log.
//
// A Source may be used from several goroutines; each of its queries may be used by one goroutine at
// a time.
type Source interface {
	// Compile compiles a selection into a query. An unknown name is not an error: the samples lack
	// its counters. An error wraps ErrNoMachine if a path names a machine that the source does not
	// read, and ErrNotSupported if the source cannot fulfil the selection.
	Compile(ctx context.Context, sel Selection) (Query, error)
	// Schema returns the names and definitions that the source knows now.
	Schema(ctx context.Context) (*Schema, error)
	// Describe returns the properties of the source. It may be called at any time from any
	// goroutine.
	Describe() Description
	// Close releases the source's resources. Its queries must not be used afterwards.
	Close() error
}

// Description has the properties of a source. A source around another source returns the
// description of the inner source, except for the properties that it changes.
type Description struct {
	// Machine is the name of the sampled machine, without backslashes. It may be empty if only the
	// samples contain the name.
	Machine string
	// Recorded reports whether the source is a log, not a live source. For a log, Samples is the
	// number of samples, -1 if unknown, and Log is the description in the file.
	Recorded bool
	Samples  int
	Log      LogInfo
	// Cooked reports whether the samples hold displayable values instead of raw values. A function
	// that needs raw values can refuse such a source, or check each sample with [Sample.CheckRaw].
	Cooked bool
	// Costly returns a schema that lists the costly objects, or nil. All other contents of the
	// schema may be missing. Only sources whose Schema is slow set this field. See [CostlySchema].
	Costly func(context.Context) (*Schema, error)
	// Anomalies appends the anomalies of the source after the cursor n to buf, oldest first, and
	// returns buf and the cursor for the next call. An example is a failed provider, whose objects
	// are missing. Errors that a sample reports are not included. Cursor 0 is before all anomalies,
	// math.MaxUint64 after all of them. A source keeps a bounded number of anomalies: a late caller
	// misses the oldest ones. The field is nil for a source without anomalies.
	Anomalies func(buf []Anomaly, n uint64) ([]Anomaly, uint64)
	// Files are the directories from which the source reads a Linux machine, if not from /, /proc and
	// /sys.
	Files HostFiles
}

// HostFiles are the directories of a Linux machine as a program in a container sees them. Root is the
// machine's /, Proc its /proc, Sys its /sys. Empty directories of a value that is not zero are "/", and
// proc and sys below Root.
type HostFiles struct{ Root, Proc, Sys string }

// CostlySchema returns a schema whose Costly lists the costly objects of a source. It calls
// Description.Costly, or Source.Schema if that field is nil, and returns its result and error. The
// schema may be nil. All its other contents may be missing.
func CostlySchema(ctx context.Context, src Source) (*Schema, error) {
	if costly := src.Describe().Costly; costly != nil {
		return costly(ctx)
	}
	return src.Schema(ctx)
}

// LogInfo is the description that a log contains in addition to its samples. Unknown fields are
// empty.
type LogInfo struct {
	// Format is the kind of file: "PDH-CSV 4.0", "PDH binary (.blg)".
	Format string
	// System is the system that wrote it: "Windows 6.2, build 9200".
	System string
	// Zone is the time zone's name as in the file.
	Zone string
	// Location is the time zone of the machine that wrote the log, in which its times are shown;
	// nil if unknown, which means UTC.
	Location *time.Location
	// NoZone reports whether the times are local times in an unknown zone.
	NoZone bool
	// Raw reports whether the log has raw values, not displayable values.
	Raw bool
	// Begin and End are the times of the first and last sample; zero if they are unknown without
	// reading the whole log.
	Begin, End time.Time
	// Encoding is the encoding of the log's text if it is not obvious: "code page 1251 (guessed)".
	Encoding string
}
