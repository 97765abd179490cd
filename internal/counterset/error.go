package counterset

import (
	"errors"

	"github.com/winperf/winperf/internal/index"
)

// The checks of the readers, in the order of the structures. The errors of this package
// wrap them.
var (
	checkHeader      = index.NewCheck(errTruncated, "%[1]d bytes, want a header of %[2]d")
	checkTotal       = index.NewCheck(errLength, "dwTotalSize is %[1]d, want 48 to %[2]d")
	checkAnswerCount = index.NewCheck(errCount, "dwNumCounters is %[1]d, room is for %[2]d")
	checkAnswer      = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_HEADER of %[2]d")
	checkAnswerSize  = index.NewCheck(errLength, "PERF_COUNTER_HEADER.dwSize is %[1]d, want 16 to %[2]d")
	checkForm        = index.NewCheck(errForm, "dwType is %[1]d, want 0, 1, 2, 4 or 6")
	checkErrorStatus = index.NewCheck(errForm,
		"dwType is 0, an error, but dwStatus is %[1]d, which is no error")
	checkIDs       = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_MULTI_COUNTERS of %[2]d")
	checkIDsSize   = index.NewCheck(errLength, "PERF_MULTI_COUNTERS.dwSize is %[1]d, want 8 to %[2]d")
	checkIDCount   = index.NewCheck(errCount, "dwCounters is %[1]d, room is for %[2]d")
	checkNoIDs     = index.NewCheck(errCount, "dwCounters is %[1]d, want some")
	checkInstances = index.NewCheck(errTruncated,
		"%[1]d bytes are left, want a PERF_MULTI_INSTANCES of %[2]d")
	checkInstancesSize = index.NewCheck(errLength,
		"PERF_MULTI_INSTANCES.dwTotalSize is %[1]d, want 8 to %[2]d")
	checkInstanceCount = index.NewCheck(errCount, "dwInstances is %[1]d, room is for %[2]d")
	checkInstance      = index.NewCheck(errTruncated,
		"%[1]d bytes are left, want a PERF_INSTANCE_HEADER of %[2]d")
	checkInstanceSize = index.NewCheck(errLength, "PERF_INSTANCE_HEADER.Size is %[1]d, want 8 to %[2]d")
	checkName         = index.NewCheck(ErrName, "no NUL within the name's %[1]d bytes")
	checkValue        = index.NewCheck(errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_DATA of %[2]d")
	checkValueSize    = index.NewCheck(errLength, "PERF_COUNTER_DATA.dwSize is %[1]d, want 16 to %[2]d")
	checkValueSpace   = index.NewCheck(errLength, "dwDataSize is %[1]d, room is for %[2]d")
	checkIdentifier   = index.NewCheck(errTruncated,
		"%[1]d bytes are left, want a PERF_COUNTER_IDENTIFIER of %[2]d")
	checkIdentSize = index.NewCheck(errLength, "PERF_COUNTER_IDENTIFIER.Size is %[1]d, want 40 to %[2]d")
	checkIdentName = index.NewCheck(ErrName, "no NUL within the instance filter's %[1]d bytes")
	checkIdentity  = index.NewCheck(errIdentity, "no identifier has index %[1]d")
	checkSet       = index.NewCheck(errIdentity, "registration information names %[1]d counters, want some")
	checkInfo      = index.NewCheck(errTruncated, "%[1]d bytes of registration information, want %[2]d")
	checkInfoCount = index.NewCheck(errCount, "NumCounters is %[1]d, room is for %[2]d")
	checkReference = index.NewCheck(errReference, "counter %[1]d needs counter %[2]d, which is not there")
	checkDuplicate = index.NewWarning(errDuplicate, "counter %[1]d is there twice")
	checkTime      = index.NewCheck(errReference,
		"counter %[1]d of type %#08[2]x has no PerfTimeId and PerfFreqId")
	checkString       = index.NewCheck(ErrName, "no NUL within %[1]d bytes of text")
	checkStrings      = index.NewCheck(errTruncated, "%[1]d bytes, want a PERF_STRING_BUFFER_HEADER of %[2]d")
	checkStringsSize  = index.NewCheck(errLength, "PERF_STRING_BUFFER_HEADER.dwSize is %[1]d, want 8 to %[2]d")
	checkStringCount  = index.NewCheck(errCount, "dwCounters is %[1]d, room is for %[2]d")
	checkStringOffset = index.NewCheck(errLength, "dwOffset is %[1]d, want less than %[2]d")
	// entries may share texts
	checkStringTotal = index.NewCheck(errCount, "texts of %[1]d bytes together, want at most %[2]d")
)

// The kinds of damage. A check wraps one of them, which wraps winperf.ErrBadData.
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

// ErrEncode means that a structure cannot be written.
var ErrEncode = errors.New("cannot be encoded")
