package datablock

import "github.com/winperf/winperf/internal/index"

// The checks that a decoder makes, in the order of the structures they look at. They are
// what the errors of this package wrap, and wrap a kind of damage such as [ErrTruncated].
// A check that fails costs the counter or instance, the object, or the rest of the block.
var (
	// the buffer holds a PERF_DATA_BLOCK
	checkBuffer = index.NewCheck(ErrTruncated, "block header needs %[2]d bytes, %[1]d are there")
	// PERF_DATA_BLOCK.Signature
	checkSignature = index.NewCheck(ErrSignature, "got %#016[1]x, want %#016[2]x")
	// the block is little-endian
	checkByteOrder = index.NewCheck(ErrByteOrder, "LittleEndian is %[1]d, want %[2]d")
	// PERF_DATA_BLOCK.Version is 1
	checkVersion = index.NewCheck(ErrVersion, "got %[1]d, want %[2]d")
	// PERF_DATA_BLOCK.TotalByteLength covers the structure
	checkTotal = index.NewCheck(ErrLength, "TotalByteLength is %[1]d, want at least %[2]d")
	// the buffer holds TotalByteLength bytes
	checkTruncated = index.NewCheck(ErrTruncated, "TotalByteLength is %[1]d, %[2]d bytes are there")
	// PERF_DATA_BLOCK.HeaderLength
	checkHeader = index.NewCheck(ErrLength, "HeaderLength is %[1]d, want 88 to %[2]d")
	// NumObjectTypes fits the block
	checkObjectCount = index.NewCheck(ErrCount, "NumObjectTypes is %[1]d, there is room for %[2]d")
	// a PERF_OBJECT_TYPE is inside the block
	checkObjectRoom = index.NewCheck(ErrTruncated, "object needs %[2]d bytes, %[1]d are left")
	// PERF_OBJECT_TYPE.TotalByteLength
	checkObjectLength = index.NewCheck(ErrLength, "object TotalByteLength is %[1]d, want 64 to %[2]d")
	// HeaderLength and DefinitionLength of an object
	checkObjectHeader = index.NewCheck(ErrLength,
		"HeaderLength is %[1]d and DefinitionLength %[2]d, want 64 <= HeaderLength <= "+
			"DefinitionLength <= TotalByteLength")
	// NumCounters fits the definitions
	checkCounterCount = index.NewCheck(ErrCount, "NumCounters is %[1]d, there is room for %[2]d")
	// NumInstances is defined and fits the object
	checkInstanceCount = index.NewCheck(ErrCount, "NumInstances is %[1]d, want -3 to %[2]d")
	// PERF_COUNTER_DEFINITION.ByteLength
	checkCounterLength = index.NewCheck(ErrLength, "counter definition of %[1]d bytes, want 40 to %[2]d")
	// the bit map of missing values is inside every counter block
	checkMissingMap = index.NewCheck(ErrValue,
		"bit map of missing values ends at %[1]d of %[2]d bytes, or begins before byte 4")
	// a PERF_INSTANCE_DEFINITION is inside the object
	checkInstanceRoom = index.NewCheck(ErrTruncated, "instance definition needs %[2]d bytes, %[1]d are left")
	// PERF_INSTANCE_DEFINITION.ByteLength
	checkInstanceLength = index.NewCheck(ErrTruncated, "instance definition of %[1]d bytes, want 24 to %[2]d")
	// the instance's name is inside its definition
	checkName = index.NewCheck(ErrName,
		"name ends at %[1]d of the %[2]d bytes of its definition, or begins before byte 24")
	// a PERF_COUNTER_BLOCK is inside the object
	checkBlockRoom = index.NewCheck(ErrTruncated, "counter block needs %[2]d bytes, %[1]d are left")
	// PERF_COUNTER_BLOCK.ByteLength
	checkBlockLength = index.NewCheck(ErrTruncated, "counter block of %[1]d bytes, want 4 to %[2]d")
	// a value is inside its counter block
	checkValue = index.NewCheck(ErrValue,
		"value ends at %[1]d of the %[2]d bytes of the shortest counter block, or begins before byte 4")
	// CounterSize can be read
	checkSize = index.NewCheck(ErrSize, "CounterSize is %[1]d of type %#08[2]x, want 0, 4 or 8")
	// a base follows a counter that needs one
	checkBase = index.NewCheck(ErrMissingBase, "type %#08[1]x needs a base, type %#08[2]x follows")
	// the clock of a counter has a frequency
	checkTimeBase = index.NewCheck(ErrTimeBase, "frequency is %[1]d, type %#08[2]x needs one above 0")
	// definitions may share a value, so a small block can claim very many
	checkValueLimit = index.NewCheck(ErrLimit, "%[1]d values, the limit is %[2]d")
)

// ErrTruncated tells that the bytes end before what they claim to hold. It wraps
// [winperf.ErrBadData].
var ErrTruncated = index.NewKind("truncated")

// The other kinds of damage, which wrap [winperf.ErrBadData] too.
var (
	ErrSignature   = index.NewKind("bad signature")
	ErrByteOrder   = index.NewKind("unsupported byte order")
	ErrVersion     = index.NewKind("unsupported version")
	ErrLength      = index.NewKind("bad length")
	ErrCount       = index.NewKind("implausible count")
	ErrName        = index.NewKind("bad name")
	ErrValue       = index.NewKind("value out of range")
	ErrSize        = index.NewKind("unsupported size")
	ErrMissingBase = index.NewKind("missing base")
	ErrTimeBase    = index.NewKind("bad time base")
	ErrLimit       = index.NewKind("over limit")
)
