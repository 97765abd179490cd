package counterset

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// check names one of the checks that a reader makes. It is what the errors of this
// package wrap.
type check uint8

// The checks, in the order of the structures they look at.
const (
	checkHeader        check = iota // the bytes hold a PERF_DATA_HEADER
	checkTotal                      // PERF_DATA_HEADER.dwTotalSize
	checkAnswerCount                // PERF_DATA_HEADER.dwNumCounters fits the data
	checkAnswer                     // a PERF_COUNTER_HEADER is inside the data
	checkAnswerSize                 // PERF_COUNTER_HEADER.dwSize
	checkForm                       // PERF_COUNTER_HEADER.dwType is a known one
	checkErrorStatus                // PERF_COUNTER_HEADER.dwStatus of an answer that is an error says which
	checkIDs                        // a PERF_MULTI_COUNTERS is inside the answer
	checkIDsSize                    // PERF_MULTI_COUNTERS.dwSize
	checkIDCount                    // PERF_MULTI_COUNTERS.dwCounters fits its size
	checkNoIDs                      // PERF_MULTI_COUNTERS.dwCounters is above 0
	checkInstances                  // a PERF_MULTI_INSTANCES is inside the answer
	checkInstancesSize              // PERF_MULTI_INSTANCES.dwTotalSize
	checkInstanceCount              // PERF_MULTI_INSTANCES.dwInstances fits its size
	checkInstance                   // a PERF_INSTANCE_HEADER is inside the list
	checkInstanceSize               // PERF_INSTANCE_HEADER.Size
	checkName                       // the instance's name has a terminator
	checkValue                      // a PERF_COUNTER_DATA is inside the list
	checkValueSize                  // PERF_COUNTER_DATA.dwSize
	checkValueRoom                  // PERF_COUNTER_DATA.dwDataSize fits dwSize
	checkIdentifier                 // a PERF_COUNTER_IDENTIFIER is inside the bytes
	checkIdentSize                  // PERF_COUNTER_IDENTIFIER.Size
	checkIdentName                  // the instance filter has a terminator
	checkIdentity                   // an answer belongs to an identifier
	checkSet                        // the set of an answer has registration information
	checkInfo                       // the bytes hold a PERF_COUNTERSET_REG_INFO
	checkInfoCount                  // NumCounters fits the bytes
	checkReference                  // a counter that another one names is there
	checkDuplicate                  // a counter id is there once
	checkTime                       // an object timer has a clock
	checkString                     // a string has whole characters and a terminator
	checkStrings                    // the bytes hold a PERF_STRING_BUFFER_HEADER
	checkStringsSize                // PERF_STRING_BUFFER_HEADER.dwSize
	checkStringCount                // PERF_STRING_BUFFER_HEADER.dwCounters fits its size
	checkStringOffset               // PERF_STRING_COUNTER_HEADER.dwOffset
	checkStringTotal                // the texts together, of which entries may share some
)

// rule is what a failed check is an error of, and how it is put into words with
// Got and Want.
type rule struct {
	kind error
	text string
}

var rules = [...]rule{
	checkHeader:        {errTruncated, "%[1]d bytes, want a header of %[2]d"},
	checkTotal:         {errLength, "dwTotalSize is %[1]d, want 48 to %[2]d"},
	checkAnswerCount:   {errCount, "dwNumCounters is %[1]d, room is for %[2]d"},
	checkAnswer:        {errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_HEADER of %[2]d"},
	checkAnswerSize:    {errLength, "PERF_COUNTER_HEADER.dwSize is %[1]d, want 16 to %[2]d"},
	checkForm:          {errForm, "dwType is %[1]d, want 0, 1, 2, 4 or 6"},
	checkErrorStatus:   {errForm, "dwType is 0, an error, but dwStatus is %[1]d, which is no error"},
	checkIDs:           {errTruncated, "%[1]d bytes are left, want a PERF_MULTI_COUNTERS of %[2]d"},
	checkIDsSize:       {errLength, "PERF_MULTI_COUNTERS.dwSize is %[1]d, want 8 to %[2]d"},
	checkIDCount:       {errCount, "dwCounters is %[1]d, room is for %[2]d"},
	checkNoIDs:         {errCount, "dwCounters is %[1]d, want some"},
	checkInstances:     {errTruncated, "%[1]d bytes are left, want a PERF_MULTI_INSTANCES of %[2]d"},
	checkInstancesSize: {errLength, "PERF_MULTI_INSTANCES.dwTotalSize is %[1]d, want 8 to %[2]d"},
	checkInstanceCount: {errCount, "dwInstances is %[1]d, room is for %[2]d"},
	checkInstance:      {errTruncated, "%[1]d bytes are left, want a PERF_INSTANCE_HEADER of %[2]d"},
	checkInstanceSize:  {errLength, "PERF_INSTANCE_HEADER.Size is %[1]d, want 8 to %[2]d"},
	checkName:          {ErrName, "no NUL within the name's %[1]d bytes"},
	checkValue:         {errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_DATA of %[2]d"},
	checkValueSize:     {errLength, "PERF_COUNTER_DATA.dwSize is %[1]d, want 16 to %[2]d"},
	checkValueRoom:     {errLength, "dwDataSize is %[1]d, room is for %[2]d"},
	checkIdentifier:    {errTruncated, "%[1]d bytes are left, want a PERF_COUNTER_IDENTIFIER of %[2]d"},
	checkIdentSize:     {errLength, "PERF_COUNTER_IDENTIFIER.Size is %[1]d, want 40 to %[2]d"},
	checkIdentName:     {ErrName, "no NUL within the instance filter's %[1]d bytes"},
	checkIdentity:      {errIdentity, "no identifier has index %[1]d"},
	checkSet:           {errIdentity, "registration information names %[1]d counters, want some"},
	checkInfo:          {errTruncated, "%[1]d bytes of registration information, want %[2]d"},
	checkInfoCount:     {errCount, "NumCounters is %[1]d, room is for %[2]d"},
	checkReference:     {errReference, "counter %[1]d needs counter %[2]d, which is not there"},
	checkDuplicate:     {errDuplicate, "counter %[1]d is there twice"},
	checkTime:          {errReference, "counter %[1]d of type %#08[2]x has no PerfTimeId and PerfFreqId"},
	checkString:        {ErrName, "no NUL within %[1]d bytes of text"},
	checkStrings:       {errTruncated, "%[1]d bytes, want a PERF_STRING_BUFFER_HEADER of %[2]d"},
	checkStringsSize:   {errLength, "PERF_STRING_BUFFER_HEADER.dwSize is %[1]d, want 8 to %[2]d"},
	checkStringCount:   {errCount, "dwCounters is %[1]d, room is for %[2]d"},
	checkStringOffset:  {errLength, "dwOffset is %[1]d, want less than %[2]d"},
	checkStringTotal:   {errCount, "texts of %[1]d bytes together, want at most %[2]d"},
}

// Error returns the kind of damage in words.
func (c check) Error() string { return rules[c].kind.Error() }

// Unwrap returns the kind of damage.
func (c check) Unwrap() error { return rules[c].kind }

// Describe says what was read and what it was compared with.
func (c check) Describe(got, want int64) string { return fmt.Sprintf(rules[c].text, got, want) }

// fault is a check that failed. Its text is made only when it is asked for.
func fault(c check, offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{Err: c, Offset: int64(offset), Got: got, Want: want,
		Warning: c == checkDuplicate}
}

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
