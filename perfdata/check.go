package perfdata

import (
	"fmt"

	"github.com/winperf/winperf/internal/index"
)

// severity says what a failed check costs.
type severity uint8

// The severities.
const (
	// warning costs nothing. Warnings are listed only if asked for.
	warning severity = iota
	// dropItem costs the counter or the instance.
	dropItem
	// dropObject costs the object.
	dropObject
	// failBlock costs the rest of the block; objects before the damage stay.
	failBlock
)

var severityWords = [...]string{"warning", "drop item", "drop object", "fail block"}

// String returns the severity in words, such as "drop object".
func (s severity) String() string {
	if int(s) < len(severityWords) {
		return severityWords[s]
	}
	return "unknown"
}

// check names one of the checks that a decoder makes. It is what the errors of this
// package wrap, and wraps a kind of damage such as [ErrTruncated].
type check uint8

// The checks, in the order of the structures they look at.
const (
	checkBuffer         check = iota // the buffer holds a PERF_DATA_BLOCK
	checkSignature                   // PERF_DATA_BLOCK.Signature
	checkByteOrder                   // the block is little-endian
	checkVersion                     // PERF_DATA_BLOCK.Version is 1
	checkTotal                       // PERF_DATA_BLOCK.TotalByteLength covers the structure
	checkTruncated                   // the buffer holds TotalByteLength bytes
	checkHeader                      // PERF_DATA_BLOCK.HeaderLength
	checkMachine                     // the machine's name is inside the block and has whole characters
	checkObjectCount                 // NumObjectTypes fits the block
	checkObjectRoom                  // a PERF_OBJECT_TYPE is inside the block
	checkObjectLength                // PERF_OBJECT_TYPE.TotalByteLength
	checkObjectHeader                // HeaderLength and DefinitionLength of an object
	checkCounterCount                // NumCounters fits the definitions
	checkInstanceCount               // NumInstances is defined and fits the object
	checkCounterLength               // PERF_COUNTER_DEFINITION.ByteLength
	checkMissingMap                  // the bit map of missing values is inside every counter block
	checkInstanceRoom                // a PERF_INSTANCE_DEFINITION is inside the object
	checkInstanceLength              // PERF_INSTANCE_DEFINITION.ByteLength
	checkName                        // the instance's name is inside its definition
	checkNameText                    // the name has whole characters
	checkBlockRoom                   // a PERF_COUNTER_BLOCK is inside the object
	checkBlockLength                 // PERF_COUNTER_BLOCK.ByteLength
	checkValue                       // a value is inside its counter block
	checkSize                        // CounterSize can be read
	checkValueAlignment              // CounterOffset is a multiple of CounterSize
	checkAlignment                   // a structure starts on a multiple of 8
	checkPadding                     // ByteLength of instances and blocks is a multiple of 8
	checkBase                        // a base follows a counter that needs one
	checkBaseClass                   // the base is of the class that belongs to the counter
	checkSlack                       // the objects fill the block
	checkParent                      // the parent instance is in the block
	checkDuplicate                   // no two objects have one title index
	checkTimeBase                    // the clock of a counter has a frequency
	checkInstanceLimit               // Limits.Instances
	checkValueLimit                  // Limits.Values
	checkNameLimit                   // Limits.NameBytes
)

// rule is what is known about one check. In its text %[1]d is what was read
// and %[2]d what it was compared with.
type rule struct {
	severity severity
	kind     error
	text     string
}

// rules is the one table of checks.
var rules = [...]rule{
	checkBuffer:       {failBlock, ErrTruncated, "block header needs %[2]d bytes, %[1]d are there"},
	checkSignature:    {failBlock, ErrSignature, "got %#016[1]x, want %#016[2]x"},
	checkByteOrder:    {failBlock, ErrByteOrder, "LittleEndian is %[1]d, want %[2]d"},
	checkVersion:      {failBlock, ErrVersion, "got %[1]d, want %[2]d"},
	checkTotal:        {failBlock, ErrLength, "TotalByteLength is %[1]d, want at least %[2]d"},
	checkTruncated:    {failBlock, ErrTruncated, "TotalByteLength is %[1]d, %[2]d bytes are there"},
	checkHeader:       {failBlock, ErrLength, "HeaderLength is %[1]d, want 88 to %[2]d"},
	checkMachine:      {warning, ErrName, "machine name of %[1]d bytes at offset %[2]d"},
	checkObjectCount:  {failBlock, ErrCount, "NumObjectTypes is %[1]d, there is room for %[2]d"},
	checkObjectRoom:   {failBlock, ErrTruncated, "object needs %[2]d bytes, %[1]d are left"},
	checkObjectLength: {failBlock, ErrLength, "object TotalByteLength is %[1]d, want 64 to %[2]d"},
	checkObjectHeader: {dropObject, ErrLength,
		"HeaderLength is %[1]d and DefinitionLength %[2]d, want 64 <= HeaderLength <= DefinitionLength <= " +
			"TotalByteLength"},
	checkCounterCount:  {dropObject, ErrCount, "NumCounters is %[1]d, there is room for %[2]d"},
	checkInstanceCount: {dropObject, ErrCount, "NumInstances is %[1]d, want -3 to %[2]d"},
	checkCounterLength: {dropObject, ErrLength, "counter definition of %[1]d bytes, want 40 to %[2]d"},
	checkMissingMap: {dropObject, ErrValue,
		"bit map of missing values ends at %[1]d of %[2]d bytes, or begins before byte 4"},
	checkInstanceRoom:   {dropObject, ErrTruncated, "instance definition needs %[2]d bytes, %[1]d are left"},
	checkInstanceLength: {dropObject, ErrTruncated, "instance definition of %[1]d bytes, want 24 to %[2]d"},
	checkName: {dropItem, ErrName, "name ends at %[1]d of the %[2]d bytes of its definition, or " +
		"begins before byte 24"},
	checkNameText:    {warning, ErrName, "name of %[1]d bytes, %[2]d of them no character"},
	checkBlockRoom:   {dropObject, ErrTruncated, "counter block needs %[2]d bytes, %[1]d are left"},
	checkBlockLength: {dropObject, ErrTruncated, "counter block of %[1]d bytes, want 4 to %[2]d"},
	checkValue: {dropItem, ErrValue,
		"value ends at %[1]d of the %[2]d bytes of the shortest counter block, or begins before byte 4"},
	checkSize:           {dropItem, ErrSize, "CounterSize is %[1]d of type %#08[2]x, want 0, 4 or 8"},
	checkValueAlignment: {warning, ErrMisaligned, "CounterOffset is %[1]d, want a multiple of %[2]d"},
	checkAlignment:      {warning, ErrMisaligned, "structure at offset %[1]d, want a multiple of %[2]d"},
	checkPadding:        {warning, ErrMisaligned, "ByteLength is %[1]d, want a multiple of %[2]d"},
	checkBase:           {dropItem, ErrMissingBase, "type %#08[1]x needs a base, type %#08[2]x follows"},
	checkBaseClass:      {warning, ErrMissingBase, "type %#08[1]x has a base of another class: %#08[2]x"},
	checkSlack:          {warning, ErrSlack, "objects end at %[1]d, the block at %[2]d"},
	checkParent:         {warning, ErrDanglingParent, "parent object %[1]d has no instance %[2]d"},
	checkDuplicate:      {warning, ErrDuplicate, "object %[1]d is also at offset %[2]d"},
	checkTimeBase:       {dropItem, ErrTimeBase, "frequency is %[1]d, type %#08[2]x needs one above 0"},
	checkInstanceLimit:  {failBlock, ErrLimit, "%[1]d instances, the limit is %[2]d"},
	checkValueLimit:     {failBlock, ErrLimit, "%[1]d values, the limit is %[2]d"},
	checkNameLimit:      {failBlock, ErrLimit, "%[1]d bytes of names, the limit is %[2]d"},
}

// severity tells what it costs when the check fails.
func (c check) severity() severity { return rules[c].severity }

// Error returns the kind of damage in words.
func (c check) Error() string { return rules[c].kind.Error() }

// Unwrap returns the kind of damage.
func (c check) Unwrap() error { return rules[c].kind }

// Describe says what was read and what it was compared with.
func (c check) Describe(got, want int64) string { return fmt.Sprintf(rules[c].text, got, want) }

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
