package winperf

import (
	"context"
	"math"
	"time"

	"github.com/winperf/winperf/counter"
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
	// Of a source that holds displayable values and no definitions a sample then
	// has all the series that there are anywhere in the data, without values.
	Metadata bool
	// Begin and End bound the samples of a recording by their times, both
	// inclusive; zero is no bound. They say nothing to a live source.
	Begin, End time.Time
}

// Within reports whether the selection wants a sample of this time. A time that is
// not known, the zero time, is wanted.
func (s *Selection) Within(t time.Time) bool {
	return t.IsZero() || !(!s.Begin.IsZero() && t.Before(s.Begin) || !s.End.IsZero() && t.After(s.End))
}

// Format says how the bytes of a [Raw] are laid out.
type Format uint8

// The formats.
const (
	FormatNone Format = iota
	FormatV1          // PERF_DATA_BLOCK of winperf.h, version 1
	// FormatV2: a PERF_DATA_HEADER of perflib.h with its answers, and directly
	// behind it the PERF_COUNTER_IDENTIFIER structures of the query as
	// PerfQueryCounterInfo, or for those that were refused PerfAddCounters, gave
	// them. One with a zero GUID has the name of the machine as its instance.
	// What the sets and counters are is in the Schema's Sets.
	FormatV2
)

// Quirks are known peculiarities of one kind of server that a decoder allows
// for. A source that knows its server sets them; otherwise decoding is strict.
type Quirks uint8

// The quirks.
const (
	// TotalExcludesHeader: PERF_DATA_BLOCK.TotalByteLength does not count the
	// header (Samba).
	TotalExcludesHeader Quirks = 1 << iota
	// WidthFromType: CounterSize is wrong and the width follows from the size
	// bits of the type (Samba).
	WidthFromType
	// ClocksTogether: PerfTime and PerfTime100nSec were read at the same moment
	// and PerfTime goes on while the machine is suspended, so that the two tell a
	// system time that was set (the Linux host). Without it counters are divided by
	// the system time as it is, as Windows does.
	ClocksTogether
)

// Raw is the answer of one interface as the system gave it, nearly always a whole
// sample. Together with its Schema it is complete: it can be stored and decoded again
// on any system.
type Raw struct {
	Format Format
	Quirks Quirks
	Bytes  []byte
	// Clocks are the times of the sample for formats whose bytes hold none;
	// FormatV1 has its own.
	Clocks counter.Clocks
	// Schema is what the source knows about names. Samples of one query share
	// it; a source that learns new names hands out a new one.
	Schema *Schema
}

// Schema is what a source knows about objects and counters apart from their
// samples. It is immutable.
type Schema struct {
	// Names are the name tables, the source's preferred language first.
	Names []NameTable
	// Costly are the title indices of the costly objects.
	Costly []uint32
	// Sets are the counter sets that samples of FormatV2 may hold.
	Sets []CounterSet
	// Damage is what was found wrong while the tables were read, and does not
	// show in them any more.
	Damage []error
	// Interface names the interface the samples come from: "registry",
	// "perflib", "local", "file".
	Interface string
	// Interfaces are, by title index, the interfaces of objects that come from
	// another one than Interface, where samples are joined from several.
	Interfaces map[uint32]string
}

// InterfaceOf names the interface that an object comes from.
func (s *Schema) InterfaceOf(title uint32) string {
	if name, ok := s.Interfaces[title]; ok {
		return name
	}
	return s.Interface
}

// CounterSet is what a source knows about one counter set of Perflib version 2.
// Sets have no title indices of their own; a source gives them some, so that
// their names stand in name tables as all others do.
type CounterSet struct {
	GUID GUID
	// Title is the title index of the set's name. That of the k-th counter in
	// Info, from 0, is Title+2+2k; each help text has the index above its name's.
	Title uint32
	// Info is the registration information as the system gave it: a
	// PERF_COUNTERSET_REG_INFO of perflib.h and its PERF_COUNTER_REG_INFO
	// structures. Package frame reads it when it decodes a sample.
	Info []byte
}

// NameTable is one language's names and help texts in the form the registry
// keeps them: MULTI_SZ, UTF-16LE, pairs of decimal index and text. Package
// nametable reads them.
type NameTable struct {
	Language string // hexadecimal language id as the registry spells it: "009"
	Counter  []byte // names of objects and counters
	Help     []byte // help texts; may be empty
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
	// Cooked tells that samples hold displayable values and no raw ones.
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
	// Raw tells that its readings are raw values, not what they are displayed as.
	Raw bool
	// Encoding is the form of the text in it where that is not obvious:
	// "code page 1251 (guessed)".
	Encoding string
}

// filetimeEpoch is 1601-01-01 UTC, from which FILETIME counts, in Unix seconds.
const filetimeEpoch = -11644473600

// FromFiletime turns a FILETIME (100 ns since 1601-01-01 UTC) into a time in
// UTC. Every value is a time, of the years -27627 to 30828.
func FromFiletime(ft int64) time.Time {
	return time.Unix(filetimeEpoch+ft/1e7, ft%1e7*100).UTC()
}

// ToFiletime turns a time into a FILETIME, rounded down to 100 ns. Times
// outside the range of FromFiletime give its nearest end.
func ToFiletime(t time.Time) int64 {
	switch {
	case t.After(FromFiletime(math.MaxInt64)):
		return math.MaxInt64
	case t.Before(FromFiletime(math.MinInt64)):
		return math.MinInt64
	}
	return (t.Unix()-filetimeEpoch)*1e7 + int64(t.Nanosecond())/100
}
