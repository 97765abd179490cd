package perfdata

import (
	"fmt"

	"github.com/winperf/winperf/internal/index"
)

// Severity says what a failed check costs.
type Severity uint8

// The severities.
const (
	// Warning costs nothing. Warnings are listed only if asked for.
	Warning Severity = iota
	// DropItem costs the counter or the instance.
	DropItem
	// DropObject costs the object.
	DropObject
	// FailBlock costs the rest of the block; objects before the damage stay.
	FailBlock
)

var severityWords = [...]string{"warning", "drop item", "drop object", "fail block"}

// String returns the severity in words, such as "drop object".
func (s Severity) String() string {
	if int(s) < len(severityWords) {
		return severityWords[s]
	}
	return "unknown"
}

// Check names one of the checks that a decoder makes. It is what the errors of this
// package wrap, and wraps a kind of damage such as [ErrTruncated].
type Check uint8

// The checks, in the order of the structures they look at.
const (
	CheckBuffer         Check = iota // the buffer holds a PERF_DATA_BLOCK
	CheckSignature                   // PERF_DATA_BLOCK.Signature
	CheckByteOrder                   // the block is little-endian
	CheckVersion                     // PERF_DATA_BLOCK.Version is 1
	CheckTotal                       // PERF_DATA_BLOCK.TotalByteLength covers the structure
	CheckTruncated                   // the buffer holds TotalByteLength bytes
	CheckHeader                      // PERF_DATA_BLOCK.HeaderLength
	CheckMachine                     // the machine's name is inside the block and has whole characters
	CheckObjectCount                 // NumObjectTypes fits the block
	CheckObjectRoom                  // a PERF_OBJECT_TYPE is inside the block
	CheckObjectLength                // PERF_OBJECT_TYPE.TotalByteLength
	CheckObjectHeader                // HeaderLength and DefinitionLength of an object
	CheckCounterCount                // NumCounters fits the definitions
	CheckInstanceCount               // NumInstances is defined and fits the object
	CheckCounterLength               // PERF_COUNTER_DEFINITION.ByteLength
	CheckMissingMap                  // the bit map of missing values is inside every counter block
	CheckInstanceRoom                // a PERF_INSTANCE_DEFINITION is inside the object
	CheckInstanceLength              // PERF_INSTANCE_DEFINITION.ByteLength
	CheckName                        // the instance's name is inside its definition
	CheckNameText                    // the name has whole characters
	CheckBlockRoom                   // a PERF_COUNTER_BLOCK is inside the object
	CheckBlockLength                 // PERF_COUNTER_BLOCK.ByteLength
	CheckValue                       // a value is inside its counter block
	CheckSize                        // CounterSize can be read
	CheckValueAlignment              // CounterOffset is a multiple of CounterSize
	CheckAlignment                   // a structure starts on a multiple of 8
	CheckPadding                     // ByteLength of instances and blocks is a multiple of 8
	CheckBase                        // a base follows a counter that needs one
	CheckBaseClass                   // the base is of the class that belongs to the counter
	CheckSlack                       // the objects fill the block
	CheckParent                      // the parent instance is in the block
	CheckDuplicate                   // no two objects have one title index
	CheckTimeBase                    // the clock of a counter has a frequency
	CheckInstanceLimit               // Limits.Instances
	CheckValueLimit                  // Limits.Values
	CheckNameLimit                   // Limits.NameBytes
)

// rule is what is known about one check. In its text %[1]d is what was read
// and %[2]d what it was compared with.
type rule struct {
	severity Severity
	kind     error
	text     string
}

// rules is the one table of checks.
var rules = [...]rule{
	CheckBuffer:         {FailBlock, ErrTruncated, "block header needs %[2]d bytes, %[1]d are there"},
	CheckSignature:      {FailBlock, ErrSignature, "got %#016[1]x, want %#016[2]x"},
	CheckByteOrder:      {FailBlock, ErrByteOrder, "LittleEndian is %[1]d, want %[2]d"},
	CheckVersion:        {FailBlock, ErrVersion, "got %[1]d, want %[2]d"},
	CheckTotal:          {FailBlock, ErrLength, "TotalByteLength is %[1]d, want at least %[2]d"},
	CheckTruncated:      {FailBlock, ErrTruncated, "TotalByteLength is %[1]d, %[2]d bytes are there"},
	CheckHeader:         {FailBlock, ErrLength, "HeaderLength is %[1]d, want 88 to %[2]d"},
	CheckMachine:        {Warning, ErrName, "machine name of %[1]d bytes at offset %[2]d"},
	CheckObjectCount:    {FailBlock, ErrCount, "NumObjectTypes is %[1]d, there is room for %[2]d"},
	CheckObjectRoom:     {FailBlock, ErrTruncated, "object needs %[2]d bytes, %[1]d are left"},
	CheckObjectLength:   {FailBlock, ErrLength, "object TotalByteLength is %[1]d, want 64 to %[2]d"},
	CheckObjectHeader:   {DropObject, ErrLength, "HeaderLength is %[1]d and DefinitionLength %[2]d, want 64 <= HeaderLength <= DefinitionLength <= TotalByteLength"},
	CheckCounterCount:   {DropObject, ErrCount, "NumCounters is %[1]d, there is room for %[2]d"},
	CheckInstanceCount:  {DropObject, ErrCount, "NumInstances is %[1]d, want -3 to %[2]d"},
	CheckCounterLength:  {DropObject, ErrLength, "counter definition of %[1]d bytes, want 40 to %[2]d"},
	CheckMissingMap:     {DropObject, ErrValue, "bit map of missing values ends at %[1]d of %[2]d bytes, or begins before byte 4"},
	CheckInstanceRoom:   {DropObject, ErrTruncated, "instance definition needs %[2]d bytes, %[1]d are left"},
	CheckInstanceLength: {DropObject, ErrTruncated, "instance definition of %[1]d bytes, want 24 to %[2]d"},
	CheckName:           {DropItem, ErrName, "name ends at %[1]d of the %[2]d bytes of its definition, or begins before byte 24"},
	CheckNameText:       {Warning, ErrName, "name of %[1]d bytes, %[2]d of them no character"},
	CheckBlockRoom:      {DropObject, ErrTruncated, "counter block needs %[2]d bytes, %[1]d are left"},
	CheckBlockLength:    {DropObject, ErrTruncated, "counter block of %[1]d bytes, want 4 to %[2]d"},
	CheckValue:          {DropItem, ErrValue, "value ends at %[1]d of the %[2]d bytes of the shortest counter block, or begins before byte 4"},
	CheckSize:           {DropItem, ErrSize, "CounterSize is %[1]d of type %#08[2]x, want 0, 4 or 8"},
	CheckValueAlignment: {Warning, ErrMisaligned, "CounterOffset is %[1]d, want a multiple of %[2]d"},
	CheckAlignment:      {Warning, ErrMisaligned, "structure at offset %[1]d, want a multiple of %[2]d"},
	CheckPadding:        {Warning, ErrMisaligned, "ByteLength is %[1]d, want a multiple of %[2]d"},
	CheckBase:           {DropItem, ErrMissingBase, "type %#08[1]x needs a base, type %#08[2]x follows"},
	CheckBaseClass:      {Warning, ErrMissingBase, "type %#08[1]x has a base of another class: %#08[2]x"},
	CheckSlack:          {Warning, ErrSlack, "objects end at %[1]d, the block at %[2]d"},
	CheckParent:         {Warning, ErrDanglingParent, "parent object %[1]d has no instance %[2]d"},
	CheckDuplicate:      {Warning, ErrDuplicate, "object %[1]d is also at offset %[2]d"},
	CheckTimeBase:       {DropItem, ErrTimeBase, "frequency is %[1]d, type %#08[2]x needs one above 0"},
	CheckInstanceLimit:  {FailBlock, ErrLimit, "%[1]d instances, the limit is %[2]d"},
	CheckValueLimit:     {FailBlock, ErrLimit, "%[1]d values, the limit is %[2]d"},
	CheckNameLimit:      {FailBlock, ErrLimit, "%[1]d bytes of names, the limit is %[2]d"},
}

// Severity tells what it costs when the check fails.
func (c Check) Severity() Severity { return rules[c].severity }

// Error returns the kind of damage in words.
func (c Check) Error() string { return rules[c].kind.Error() }

// Unwrap returns the kind of damage.
func (c Check) Unwrap() error { return rules[c].kind }

// Describe says what was read and what it was compared with.
func (c Check) Describe(got, want int64) string { return fmt.Sprintf(rules[c].text, got, want) }

// The kinds of damage. The errors of this package wrap one of them, and through
// it [winperf.ErrBadData].
var (
	ErrTruncated      = index.NewKind("truncated")
	ErrSignature      = index.NewKind("bad signature")
	ErrByteOrder      = index.NewKind("unsupported byte order")
	ErrVersion        = index.NewKind("unsupported version")
	ErrLength         = index.NewKind("bad length")
	ErrCount          = index.NewKind("implausible count")
	ErrName           = index.NewKind("bad name")
	ErrValue          = index.NewKind("value out of range")
	ErrSize           = index.NewKind("unsupported size")
	ErrMisaligned     = index.NewKind("misaligned")
	ErrMissingBase    = index.NewKind("missing base")
	ErrSlack          = index.NewKind("slack")
	ErrDanglingParent = index.NewKind("dangling parent")
	ErrDuplicate      = index.NewKind("duplicate object")
	ErrTimeBase       = index.NewKind("bad time base")
	ErrLimit          = index.NewKind("over limit")
	ErrText           = index.NewKind("bad text form")
)
