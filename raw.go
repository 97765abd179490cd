package winperf

import (
	"math"
	"time"

	"github.com/winperf/winperf/counter"
)

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
	// FormatValues: the displayable values of Series, see internal/valueblock. Their source, such as a text log,
	// has no raw ones. What is made for raw values refuses blocks of this format with [ErrNotSupported].
	FormatValues
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
	// Series are the series of the values of FormatValues, in their order. Samples share the slice as long as
	// the series stay the same; it is never changed.
	Series []*Series
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
