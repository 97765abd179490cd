package pdhlog

import (
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/internal/zone"
)

// The container is an event trace file (.etl): buffers of equal size, each with a header of
// 72 bytes and events. The structures of evntrace.h and evntcons.h are WMI_BUFFER_HEADER,
// SYSTEM_TRACE_HEADER with TRACE_LOGFILE_HEADER, and EVENT_TRACE_HEADER.
const (
	bufferHead   = 0x48
	minBuffer    = bufferHead + 80
	maxBuffer    = 16 << 20
	systemHead   = 32 // of the first event
	eventHead    = 48
	prefixLen    = 24   // log GUID, part, parts
	partLen      = 8000 // bytes of a record in one event
	maxParts     = 1 << 16
	eventVersion = 60
	marker       = 0xC0
)

// Offsets in the buffer header.
const (
	atSize     = 0x00
	atTime     = 0x10
	atSequence = 0x18
	atAlign    = 0x29
	atState    = 0x2C
	atUsed     = 0x30
	atFlag     = 0x34
	atType     = 0x36
)

// Header types of events (evntrace.h: TRACE_HEADER_TYPE_*).
const (
	system32  = 1
	system64  = 2
	classic32 = 0x0A
	classic64 = 0x14
)

const (
	typeList      = 32
	typeSample    = 34
	typeCatalogue = 35
	typeNames     = 36
)

// providerGUID is the provider of all events of a performance log,
// {933F3BB3-943E-490D-9CED-3CBB14C14479}.
var providerGUID = [16]byte{
	0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79,
}

const (
	flagSingle = 0
	flagArray  = 1
	flagObject = 0x10
)

// The first two numbers of a counter list: format version, and PDH_LOG_TYPE_BINARY with
// write access (pdh.h).
const (
	listVersion = 0x000006FF
	listType    = 0x00020008
)

// entryHead is the fixed part of an entry of the counter list. Its strings follow; their
// offsets count from here.
const entryHead = 52

// Heads of the records in a sample: "BL", 3, kind, length.
const (
	recordHead = 8
	singleLen  = 48
	arrayHead  = 24 // behind the head of an array
	itemLen    = 24
)

// Kind is the form of the values of one entry of a counter list.
type Kind uint8

// The kinds, by the number in their records.
const (
	Single Kind = 1 // one counter of one instance
	Array  Kind = 2 // one counter of all instances
	Object Kind = 5 // a whole object, as a performance data block
)

// String returns the kind in words.
func (k Kind) String() string {
	switch k {
	case Single:
		return "single counter"
	case Array:
		return "counter of all instances"
	case Object:
		return "whole object"
	}
	return "unknown kind"
}

// Counter is one entry of a log's counter list.
type Counter struct {
	Kind Kind
	// Path of the counter. Path.Instance is parent/name; it is "*" for arrays, and "*" or
	// missing for whole objects, whose Path.Counter is "*".
	Path winperf.Path
	// Parent is the parent in Path.Instance, "" for none.
	Parent string
	// Type is the counter's type; it is unused for whole objects.
	Type counter.Type
	// TimeBase is the ticks per second of the clock that the type uses, or of the
	// performance counter.
	TimeBase int64
	Scale    int32 // DefaultScale, a power of ten
}

// Name is a name in UTF-16LE without terminator, in the reader's memory.
type Name []byte

// String returns the name.
func (n Name) String() string { return wire.Text(n, wire.UTF16LE) }

// Sample is one sample of a log.
type Sample struct {
	// Time is the time of the sample in UTC. It is from a 100 ns clock in the sample if
	// possible, otherwise from Local and the zone.
	Time time.Time
	// Local is the local time in the log, as FILETIME.
	Local int64
	// Ahead is local time minus UTC in this sample, from the clocks in the sample or else
	// from the rules of the log's zone.
	Ahead time.Duration
	// Values has one element for each entry of the counter list, in its order.
	Values []Value
	// Offset is the place of the record in the file.
	Offset int64

	items []Item
}

// Value is the value of one entry of the counter list in a sample.
//
// First, Second and Multi are the fields of PDH_RAW_COUNTER (pdh.h): the raw value; its
// clock or base, see [counter.Type.Second]; the number of components of a multi-timer.
type Value struct {
	// Counter is the entry, or nil if the log's list is lost.
	Counter *Counter
	Kind    Kind
	// Err is the damage of the record. The other fields are then empty.
	Err error
	// Status is CStatus of pdhmsg.h; 0 and 1 mean valid.
	Status        uint32
	First, Second int64 // of Single
	Multi         uint32
	Items         []Item // of Array: the instances, in the log's order
	Block         []byte // of Object: a PERF_DATA_BLOCK
}

// Valid reports whether the value is valid.
func (v *Value) Valid() bool { return v.Err == nil && v.Status <= 1 }

// Denied reports whether the writer of the log was not permitted to read the value.
func (v *Value) Denied() bool { return v.Status == cstatusDenied }

// NoInstance reports whether the instance was missing.
func (v *Value) NoInstance() bool { return v.Status == cstatusNoInstance }

// Item is the raw value of one instance in an array.
type Item struct {
	Name          Name
	First, Second int64
	Multi         uint32
}

// CStatus values of pdhmsg.h that a log may contain.
const (
	cstatusValid       = 0x00000000 // PDH_CSTATUS_VALID_DATA
	cstatusNoInstance  = 0x800007D1 // PDH_CSTATUS_NO_INSTANCE
	cstatusNoObject    = 0xC0000BB8 // PDH_CSTATUS_NO_OBJECT
	cstatusNoCounter   = 0xC0000BB9 // PDH_CSTATUS_NO_COUNTER
	cstatusInvalidData = 0xC0000BBA // PDH_CSTATUS_INVALID_DATA
	cstatusDenied      = 0xC0000BDB // PDH_ACCESS_DENIED
)

// Header describes a log.
type Header struct {
	// Machine is the machine of the first entry of the counter list, or of the names,
	// without backslashes. It is set when one of them has been read.
	Machine      string
	LogName      string // name of the file when it was written
	GUID         winperf.GUID
	Major, Minor uint8 // version of Windows
	Build        uint32
	PointerSize  int   // 4 or 8
	PerfFreq     int64 // ticks per second of the performance counter
	Processors   int
	BufferSize   int
	Buffers      int       // number in the file head; 0 if the log was not closed
	Start, End   time.Time // UTC; zero if unknown
	EventsLost   int
	zone         zone.Info
	// Program is the writer of the log if it is not Windows. Such writers put their name
	// behind the log's name (see Options.System), where Windows has nothing.
	Program string
}
