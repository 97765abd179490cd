package counterset

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/index"
)

// Check names one of the checks that a reader makes. It is what the errors of this
// package wrap.
type Check uint8

// The checks, in the order of the structures they look at.
const (
	CheckHeader        Check = iota // the bytes hold a PERF_DATA_HEADER
	CheckTotal                      // PERF_DATA_HEADER.dwTotalSize
	CheckAnswerCount                // PERF_DATA_HEADER.dwNumCounters fits the data
	CheckAnswer                     // a PERF_COUNTER_HEADER is inside the data
	CheckAnswerSize                 // PERF_COUNTER_HEADER.dwSize
	CheckForm                       // PERF_COUNTER_HEADER.dwType is a known one
	CheckErrorStatus                // PERF_COUNTER_HEADER.dwStatus of an answer that is an error says which
	CheckIDs                        // a PERF_MULTI_COUNTERS is inside the answer
	CheckIDsSize                    // PERF_MULTI_COUNTERS.dwSize
	CheckIDCount                    // PERF_MULTI_COUNTERS.dwCounters fits its size
	CheckNoIDs                      // PERF_MULTI_COUNTERS.dwCounters is above 0
	CheckInstances                  // a PERF_MULTI_INSTANCES is inside the answer
	CheckInstancesSize              // PERF_MULTI_INSTANCES.dwTotalSize
	CheckInstanceCount              // PERF_MULTI_INSTANCES.dwInstances fits its size
	CheckInstance                   // a PERF_INSTANCE_HEADER is inside the list
	CheckInstanceSize               // PERF_INSTANCE_HEADER.Size
	CheckName                       // the instance's name has a terminator
	CheckValue                      // a PERF_COUNTER_DATA is inside the list
	CheckValueSize                  // PERF_COUNTER_DATA.dwSize
	CheckValueRoom                  // PERF_COUNTER_DATA.dwDataSize fits dwSize
	CheckIdentifier                 // a PERF_COUNTER_IDENTIFIER is inside the bytes
	CheckIdentSize                  // PERF_COUNTER_IDENTIFIER.Size
	CheckIdentName                  // the instance filter has a terminator
	CheckIdentity                   // an answer belongs to an identifier
	CheckSet                        // the set of an answer has registration information
	CheckInfo                       // the bytes hold a PERF_COUNTERSET_REG_INFO
	CheckInfoCount                  // NumCounters fits the bytes
	CheckReference                  // a counter that another one names is there
	CheckDuplicate                  // a counter id is there once
	CheckTime                       // an object timer has a clock
	CheckString                     // a string has whole characters and a terminator
	CheckStrings                    // the bytes hold a PERF_STRING_BUFFER_HEADER
	CheckStringsSize                // PERF_STRING_BUFFER_HEADER.dwSize
	CheckStringCount                // PERF_STRING_BUFFER_HEADER.dwCounters fits its size
	CheckStringOffset               // PERF_STRING_COUNTER_HEADER.dwOffset
	CheckStringTotal                // the texts together, of which entries may share some
)

// rule is what a failed check is an error of, and how it is put into words with
// Got and Want.
type rule struct {
	kind error
	text string
}

var rules = [...]rule{
	CheckHeader:        {ErrTruncated, "%[1]d bytes, want a header of %[2]d"},
	CheckTotal:         {ErrLength, "dwTotalSize is %[1]d, want 48 to %[2]d"},
	CheckAnswerCount:   {ErrCount, "dwNumCounters is %[1]d, room is for %[2]d"},
	CheckAnswer:        {ErrTruncated, "%[1]d bytes are left, want a PERF_COUNTER_HEADER of %[2]d"},
	CheckAnswerSize:    {ErrLength, "PERF_COUNTER_HEADER.dwSize is %[1]d, want 16 to %[2]d"},
	CheckForm:          {ErrForm, "dwType is %[1]d, want 0, 1, 2, 4 or 6"},
	CheckErrorStatus:   {ErrForm, "dwType is 0, an error, but dwStatus is %[1]d, which is none"},
	CheckIDs:           {ErrTruncated, "%[1]d bytes are left, want a PERF_MULTI_COUNTERS of %[2]d"},
	CheckIDsSize:       {ErrLength, "PERF_MULTI_COUNTERS.dwSize is %[1]d, want 8 to %[2]d"},
	CheckIDCount:       {ErrCount, "dwCounters is %[1]d, room is for %[2]d"},
	CheckNoIDs:         {ErrCount, "dwCounters is %[1]d, want some"},
	CheckInstances:     {ErrTruncated, "%[1]d bytes are left, want a PERF_MULTI_INSTANCES of %[2]d"},
	CheckInstancesSize: {ErrLength, "PERF_MULTI_INSTANCES.dwTotalSize is %[1]d, want 8 to %[2]d"},
	CheckInstanceCount: {ErrCount, "dwInstances is %[1]d, room is for %[2]d"},
	CheckInstance:      {ErrTruncated, "%[1]d bytes are left, want a PERF_INSTANCE_HEADER of %[2]d"},
	CheckInstanceSize:  {ErrLength, "PERF_INSTANCE_HEADER.Size is %[1]d, want 8 to %[2]d"},
	CheckName:          {ErrName, "no NUL within the name's %[1]d bytes"},
	CheckValue:         {ErrTruncated, "%[1]d bytes are left, want a PERF_COUNTER_DATA of %[2]d"},
	CheckValueSize:     {ErrLength, "PERF_COUNTER_DATA.dwSize is %[1]d, want 16 to %[2]d"},
	CheckValueRoom:     {ErrLength, "dwDataSize is %[1]d, room is for %[2]d"},
	CheckIdentifier:    {ErrTruncated, "%[1]d bytes are left, want a PERF_COUNTER_IDENTIFIER of %[2]d"},
	CheckIdentSize:     {ErrLength, "PERF_COUNTER_IDENTIFIER.Size is %[1]d, want 40 to %[2]d"},
	CheckIdentName:     {ErrName, "no NUL within the instance filter's %[1]d bytes"},
	CheckIdentity:      {ErrIdentity, "no identifier has index %[1]d"},
	CheckSet:           {ErrIdentity, "registration information names %[1]d counters, want some"},
	CheckInfo:          {ErrTruncated, "%[1]d bytes of registration information, want %[2]d"},
	CheckInfoCount:     {ErrCount, "NumCounters is %[1]d, room is for %[2]d"},
	CheckReference:     {ErrReference, "counter %[1]d needs counter %[2]d, which is not there"},
	CheckDuplicate:     {ErrDuplicate, "counter %[1]d is there twice"},
	CheckTime:          {ErrReference, "counter %[1]d of type %#08[2]x has no PerfTimeId and PerfFreqId"},
	CheckString:        {ErrName, "no NUL within %[1]d bytes of text"},
	CheckStrings:       {ErrTruncated, "%[1]d bytes, want a PERF_STRING_BUFFER_HEADER of %[2]d"},
	CheckStringsSize:   {ErrLength, "PERF_STRING_BUFFER_HEADER.dwSize is %[1]d, want 8 to %[2]d"},
	CheckStringCount:   {ErrCount, "dwCounters is %[1]d, room is for %[2]d"},
	CheckStringOffset:  {ErrLength, "dwOffset is %[1]d, want less than %[2]d"},
	CheckStringTotal:   {ErrCount, "texts of %[1]d bytes together, want at most %[2]d"},
}

// Error returns the kind of damage in words.
func (c Check) Error() string { return rules[c].kind.Error() }

// Unwrap returns the kind of damage.
func (c Check) Unwrap() error { return rules[c].kind }

// Describe says what was read and what it was compared with.
func (c Check) Describe(got, want int64) string { return fmt.Sprintf(rules[c].text, got, want) }

// fault is a check that failed. Its text is made only when it is asked for.
func fault(c Check, offset uint32, got, want int64) *winperf.DataError {
	return &winperf.DataError{Err: c, Offset: int64(offset), Got: got, Want: want, Warning: c == CheckDuplicate}
}

// The kinds of damage. A [Check] wraps one of them, and through it
// winperf.ErrBadData.
var (
	ErrTruncated = index.NewKind("truncated")
	ErrLength    = index.NewKind("bad length")
	ErrCount     = index.NewKind("implausible count")
	ErrForm      = index.NewKind("unknown form of answer")
	ErrName      = index.NewKind("bad text")
	ErrIdentity  = index.NewKind("unknown counter set")
	ErrReference = index.NewKind("missing counter")
	ErrDuplicate = index.NewKind("duplicate counter")
)

// ErrEncode tells that something cannot be written in the form asked for.
var ErrEncode = errors.New("cannot be encoded")
