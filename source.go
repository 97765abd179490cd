package winperf

import (
	"context"
	"errors"
	"time"
)

// Selection is what is wanted of a source. The parts add up; the zero
// Selection wants nothing.
type Selection struct {
	// Paths are counters by name; wildcards may stand in the object, the
	// instance and the counter.
	Paths []Path
	// Objects are whole objects by identity.
	Objects []ObjectID
	// Global wants every object that is not costly, as the V1 query "Global".
	Global bool
	// Costly wants every costly object, as the V1 query "Costly".
	Costly bool
	// Metadata wants definitions only, where the source can do that: objects,
	// counters and names, but perhaps no instances and no values.
	Metadata bool
	// NamesOnly wants the names of objects, counters and instances. A source may leave
	// out the values, where that costs less.
	// With Metadata or NamesOnly a log of displayable values, which have no definitions, gives
	// one sample: all its series, whatever their times, without values.
	NamesOnly bool
	// Begin and End bound the samples of a recording by their times, both
	// inclusive; zero is no bound. They say nothing to a live source.
	Begin, End time.Time
}

// Select returns the selection of counter paths, as [ParsePath] reads them. The error names
// every path that cannot be read, and wraps ErrPath.
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

// Within reports whether the selection wants a sample of this time. A time that is
// not known, the zero time, is wanted.
func (s *Selection) Within(t time.Time) bool {
	return t.IsZero() || !(!s.Begin.IsZero() && t.Before(s.Begin) || !s.End.IsZero() && t.After(s.End))
}

// Source is where samples come from.
//
// A Source may be used from several goroutines; each of its queries by one at
// a time.
type Source interface {
	// Compile turns a selection into a query. Names that the source does not
	// know are no error: the samples just do not hold them. An error wraps
	// ErrNoMachine where a path names another machine than the source's, and
	// ErrNotSupported where the source cannot do what is asked.
	Compile(ctx context.Context, sel Selection) (Query, error)
	// Schema returns what the source knows about names now.
	Schema(ctx context.Context) (*Schema, error)
	// Describe says what the source is. It may be called at any time from any
	// goroutine.
	Describe() Description
	// Close releases what the source holds. Queries must not be used after.
	Close() error
}

// Description says what a source is. A wrapper of a source describes it as the one
// beneath does, but for what it changes.
type Description struct {
	// Machine is the name of the machine the samples come from, without
	// backslashes; it may be empty when only a sample tells.
	Machine string
	// Recorded tells that the samples are those of a record, whose pace is not the
	// clock's. Samples is how many there are, -1 where that is not known, and Log what
	// the record says about itself.
	Recorded bool
	Samples  int
	Log      LogInfo
	// Cooked says that samples hold displayable values and no raw ones. It is for functions that
	// need raw values and refuse such a source; others read the samples ([Sample.CheckRaw]).
	Cooked bool
	// Costly returns a schema that tells which objects are costly, and perhaps
	// nothing else. It is for sources whose whole Schema takes long, though they know
	// this soon; it is nil where Schema serves. The schema may be nil.
	Costly func(context.Context) (*Schema, error)
	// Anomalies appends to buf, oldest first, what the source noticed apart from
	// the errors of its samples, such as a provider that failed and cost its
	// objects: what came after the first n anomalies since it was opened. It
	// returns buf and how many there were until now, which is the n of the next
	// call. A source keeps a bounded number of them; a late caller misses the
	// oldest. It is nil where the source notices nothing.
	Anomalies func(buf []Anomaly, n uint64) ([]Anomaly, uint64)
}

// CostlySchema returns a schema whose Costly are the costly objects of a source. It
// may hold nothing else; it is nil where no object is known to be costly.
func CostlySchema(ctx context.Context, src Source) (*Schema, error) {
	if costly := src.Describe().Costly; costly != nil {
		return costly(ctx)
	}
	return src.Schema(ctx)
}

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
	// its times; nil where it is not known: they are shown in UTC then.
	Location *time.Location
	// NoZone says that the times are as a clock showed them, in a zone that is not known.
	NoZone bool
	// Raw tells that its readings are raw values, not what they are displayed as.
	Raw bool
	// Encoding is the form of the text in it where that is not obvious:
	// "code page 1251 (guessed)".
	Encoding string
}
