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
	Metadata bool
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

// Raw is one sample as a system gave it. Together with its Schema it is
// complete: it can be stored and decoded again on any system.
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
	// structures. Package counterset reads it.
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
	// Machine is the name of the machine the samples come from, without
	// backslashes; it may be empty when only a sample tells.
	Machine() string
	// Close releases what the source holds. Queries must not be used after.
	Close() error
}

// CostlySource is implemented by sources whose whole Schema takes long, though they
// know soon what is costly.
type CostlySource interface {
	Source
	// CostlySchema returns a schema with the costly objects and their names, and
	// perhaps nothing else.
	CostlySchema(ctx context.Context) (*Schema, error)
}

// CostlySchema returns a schema that tells which objects of a source are costly. It
// may hold nothing else; nil is nothing.
func CostlySchema(ctx context.Context, src Source) (*Schema, error) {
	if c, ok := src.(CostlySource); ok {
		return c.CostlySchema(ctx)
	}
	return src.Schema(ctx)
}

// Query is a selection compiled for one source.
type Query interface {
	// Sample takes one sample and puts it into raw, using raw.Bytes' capacity
	// where it is large enough. It decodes nothing; once warm it allocates
	// nothing. At the end of recorded data it returns io.EOF.
	Sample(ctx context.Context, raw *Raw) error
	// Close releases what the query holds.
	Close() error
}

// CookedQuery is implemented by queries over samples that hold displayable values already, such as a text log.
type CookedQuery interface {
	Query
	// Readings takes the next sample and appends its readings to buf. At the end it returns io.EOF.
	//
	// All readings of a sample have its time, and a counter of an instance has
	// the same Series from sample to sample, in the same place as long as that
	// is possible. One that has no value in a sample has a reading that says so
	// by its status. What the query's selection does not want is left out.
	// Sample is not called; it may return an error that wraps ErrNotSupported.
	Readings(ctx context.Context, buf []Reading) ([]Reading, error)
}

// Recorded is implemented by sources of recorded samples, whose pace is the
// record's and not the clock's.
type Recorded interface {
	// Recorded tells the number of samples, or -1 where it is not known.
	Recorded() int
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
