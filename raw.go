package winperf

import (
	"math"
	"time"

	"github.com/winperf/winperf/counter"
)

// Format is the layout of the bytes of a [Raw].
type Format uint8

// The formats.
const (
	FormatNone Format = iota
	FormatV1          // PERF_DATA_BLOCK of winperf.h, version 1
	// FormatV2: a PERF_DATA_HEADER of perflib.h with its answers, directly followed by
	// PERF_COUNTER_IDENTIFIER structures: one with a zero GUID and the machine's name as its
	// instance, the query's counters from PerfQueryCounterInfo, and the refused counters from
	// PerfAddCounters. Schema.Sets describes the sets and counters.
	FormatV2
	// FormatValues: the displayable values of Series, see internal/valueblock, from a source without
	// raw values, such as a text log. Functions that need raw values refuse this format with
	// [ErrNotSupported].
	FormatValues
)

// Quirks are known deviations of a kind of server that a decoder accepts. A source sets them for
// its server; without them decoding is strict.
type Quirks uint8

// The quirks.
const (
	// TotalExcludesHeader: PERF_DATA_BLOCK.TotalByteLength does not count the header (Samba).
	TotalExcludesHeader Quirks = 1 << iota
	// WidthFromType: CounterSize is wrong; the type's size bits give the width (Samba).
	WidthFromType
	// ClocksTogether: PerfTime and PerfTime100nSec were read at the same moment, and PerfTime
	// continues while the machine is suspended (the Linux host). A comparison of the two clocks then
	// shows whether the system time was set. Without this flag, formulas divide by differences of
	// the system time without this check, as on Windows.
	ClocksTogether
)

// Raw is the unchanged answer of one interface of a system, in most cases a whole sample. Together
// with its Schema it can be stored and decoded on any system.
type Raw struct {
	Format Format
	Quirks Quirks
	Bytes  []byte
	// Clocks are the times of the sample, for formats without times in the bytes. FormatV1 has its
	// times in the bytes.
	Clocks counter.Clocks
	// Schema has the source's names and definitions. Samples of one query share it; after a change
	// the source returns a new one.
	Schema *Schema
	// Series are the series of the values of FormatValues, in their order. Samples share the slice
	// as long as the series stay the same; it is never changed.
	Series []*Series
}

// Schema has the names and definitions that a source knows apart from its samples. It is immutable.
type Schema struct {
	// Names are the name tables, the source's preferred language first.
	Names []NameTable
	// Costly are the title indices of the costly objects.
	Costly []uint32
	// Sets are the counter sets that samples of FormatV2 may hold.
	Sets []CounterSet
	// Damage are errors in the source's tables. The affected entries are missing in Names and Sets.
	Damage []error
	// Interface is the interface that provides the samples: "registry", "perflib", "local", "file".
	Interface string
	// Interfaces maps the title index of an object to its interface, if that is not Interface. It is
	// for samples from several interfaces.
	Interfaces map[uint32]string
}

// InterfaceOf returns the interface that provides an object.
func (s *Schema) InterfaceOf(title uint32) string {
	if name, ok := s.Interfaces[title]; ok {
		return name
	}
	return s.Interface
}

// CounterSet describes one counter set: an object of version 2. Version 2 has no title indices. The
// source assigns them, so that the name tables also contain the names of counter sets.
type CounterSet struct {
	GUID GUID
	// Title is the title index of the set's name. The k-th counter in Info, from 0, has Title+2+2k;
	// each help text has the index of its name plus 1.
	Title uint32
	// Info is the registration information from the system: a PERF_COUNTERSET_REG_INFO of perflib.h
	// and its PERF_COUNTER_REG_INFO structures. Package frame decodes it with a sample.
	Info []byte
}

// NameTable has the names and help texts of one language in the registry's form: MULTI_SZ,
// UTF-16LE, pairs of decimal index and text. Package nametable parses it.
type NameTable struct {
	Language string // hexadecimal language ID as in the registry: "009"
	Counter  []byte // names of objects and counters
	Help     []byte // help texts; may be empty
}

// filetimeEpoch is 1601-01-01 UTC, the start of FILETIME, in Unix seconds.
const filetimeEpoch = -11644473600

// FromFiletime converts a FILETIME (100 ns since 1601-01-01 UTC) to a time in UTC. Every value is
// valid; the years range from -27627 to 30828.
func FromFiletime(ft int64) time.Time {
	return time.Unix(filetimeEpoch+ft/1e7, ft%1e7*100).UTC()
}

// ToFiletime converts a time to a FILETIME, rounded down to 100 ns. A time outside the range of
// FromFiletime becomes the nearest time in it.
func ToFiletime(t time.Time) int64 {
	switch {
	case t.After(FromFiletime(math.MaxInt64)):
		return math.MaxInt64
	case t.Before(FromFiletime(math.MinInt64)):
		return math.MinInt64
	}
	return (t.Unix()-filetimeEpoch)*1e7 + int64(t.Nanosecond())/100
}
