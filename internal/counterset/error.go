package counterset

import (
	"errors"

	"github.com/winperf/winperf/internal/index"
)

// The checks that a reader makes, in the order of the structures they look at. They are
// what the errors of this package wrap.
var (
	// the bytes hold a PERF_DATA_HEADER
	checkHeader = index.NewCheck(errTruncated, "%[1]d bytes, want a header of %[2]d")
	// PERF_DATA_HEADER.dwTotalSize
	checkTotal = index.NewCheck(errLength, "dwTotalSize is %[1]d, want 48 to %[2]d")
	// PERF_DATA_HEADER.dwNumCounters fits the data
	checkAnswerCount = index.NewCheck(errCount, "dwNumCounters is %[1]d, room is for %[2]d")
	// a PERF_COUNTER_HEADER is inside the data
	checkAnswer = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_HEADER of %[2]d")
	// PERF_COUNTER_HEADER.dwSize
	checkAnswerSize = index.NewCheck(errLength, "PERF_COUNTER_HEADER.dwSize is %[1]d, want 16 to %[2]d")
	// PERF_COUNTER_HEADER.dwType is a known one
	checkForm = index.NewCheck(errForm, "dwType is %[1]d, want 0, 1, 2, 4 or 6")
	// PERF_COUNTER_HEADER.dwStatus of an answer that is an error says which
	checkErrorStatus = index.NewCheck(errForm,
		"dwType is 0, an error, but dwStatus is %[1]d, which is no error")
	// a PERF_MULTI_COUNTERS is inside the answer
	checkIDs = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_MULTI_COUNTERS of %[2]d")
	// PERF_MULTI_COUNTERS.dwSize
	checkIDsSize = index.NewCheck(errLength, "PERF_MULTI_COUNTERS.dwSize is %[1]d, want 8 to %[2]d")
	// PERF_MULTI_COUNTERS.dwCounters fits its size
	checkIDCount = index.NewCheck(errCount, "dwCounters is %[1]d, room is for %[2]d")
	// PERF_MULTI_COUNTERS.dwCounters is above 0
	checkNoIDs = index.NewCheck(errCount, "dwCounters is %[1]d, want some")
	// a PERF_MULTI_INSTANCES is inside the answer
	checkInstances = index.NewCheck(errTruncated,
		"%[1]d bytes are left, want a PERF_MULTI_INSTANCES of %[2]d")
	// PERF_MULTI_INSTANCES.dwTotalSize
	checkInstancesSize = index.NewCheck(errLength,
		"PERF_MULTI_INSTANCES.dwTotalSize is %[1]d, want 8 to %[2]d")
	// PERF_MULTI_INSTANCES.dwInstances fits its size
	checkInstanceCount = index.NewCheck(errCount, "dwInstances is %[1]d, room is for %[2]d")
	// a PERF_INSTANCE_HEADER is inside the list
	checkInstance = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_INSTANCE_HEADER of %[2]d")
	// PERF_INSTANCE_HEADER.Size
	checkInstanceSize = index.NewCheck(errLength, "PERF_INSTANCE_HEADER.Size is %[1]d, want 8 to %[2]d")
	// the instance's name has a terminator
	checkName = index.NewCheck(ErrName, "no NUL within the name's %[1]d bytes")
	// a PERF_COUNTER_DATA is inside the list
	checkValue = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_DATA of %[2]d")
	// PERF_COUNTER_DATA.dwSize
	checkValueSize = index.NewCheck(errLength, "PERF_COUNTER_DATA.dwSize is %[1]d, want 16 to %[2]d")
	// PERF_COUNTER_DATA.dwDataSize fits dwSize
	checkValueRoom = index.NewCheck(errLength, "dwDataSize is %[1]d, room is for %[2]d")
	// a PERF_COUNTER_IDENTIFIER is inside the bytes
	checkIdentifier = index.NewCheck(errTruncated,
		"%[1]d bytes are left, want a PERF_COUNTER_IDENTIFIER of %[2]d")
	// PERF_COUNTER_IDENTIFIER.Size
	checkIdentSize = index.NewCheck(errLength, "PERF_COUNTER_IDENTIFIER.Size is %[1]d, want 40 to %[2]d")
	// the instance filter has a terminator
	checkIdentName = index.NewCheck(ErrName, "no NUL within the instance filter's %[1]d bytes")
	// an answer belongs to an identifier
	checkIdentity = index.NewCheck(errIdentity, "no identifier has index %[1]d")
	// the set of an answer has registration information
	checkSet = index.NewCheck(errIdentity, "registration information names %[1]d counters, want some")
	// the bytes hold a PERF_COUNTERSET_REG_INFO
	checkInfo = index.NewCheck(errTruncated, "%[1]d bytes of registration information, want %[2]d")
	// NumCounters fits the bytes
	checkInfoCount = index.NewCheck(errCount, "NumCounters is %[1]d, room is for %[2]d")
	// a counter that another one names is there
	checkReference = index.NewCheck(errReference, "counter %[1]d needs counter %[2]d, which is not there")
	// a counter id is there once
	checkDuplicate = index.NewWarning(errDuplicate, "counter %[1]d is there twice")
	// an object timer has a clock
	checkTime = index.NewCheck(errReference,
		"counter %[1]d of type %#08[2]x has no PerfTimeId and PerfFreqId")
	// a string has whole characters and a terminator
	checkString = index.NewCheck(ErrName, "no NUL within %[1]d bytes of text")
	// the bytes hold a PERF_STRING_BUFFER_HEADER
	checkStrings = index.NewCheck(errTruncated, "%[1]d bytes, want a PERF_STRING_BUFFER_HEADER of %[2]d")
	// PERF_STRING_BUFFER_HEADER.dwSize
	checkStringsSize = index.NewCheck(errLength, "PERF_STRING_BUFFER_HEADER.dwSize is %[1]d, want 8 to %[2]d")
	// PERF_STRING_BUFFER_HEADER.dwCounters fits its size
	checkStringCount = index.NewCheck(errCount, "dwCounters is %[1]d, room is for %[2]d")
	// PERF_STRING_COUNTER_HEADER.dwOffset
	checkStringOffset = index.NewCheck(errLength, "dwOffset is %[1]d, want less than %[2]d")
	// the texts together, of which entries may share some
	checkStringTotal = index.NewCheck(errCount, "texts of %[1]d bytes together, want at most %[2]d")
)

// The kinds of damage. A check wraps one of them, and through it
// winperf.ErrBadData.
var (
	errTruncated = index.NewKind("truncated")
	errLength    = index.NewKind("bad length")
	errCount     = index.NewKind("implausible count")
	errForm      = index.NewKind("unknown form of answer")
	ErrName      = index.NewKind("bad text")
	errIdentity  = index.NewKind("unknown counter set")
	errReference = index.NewKind("missing counter")
	errDuplicate = index.NewKind("duplicate counter")
)

// ErrEncode tells that something cannot be written in the form asked for.
var ErrEncode = errors.New("cannot be encoded")
