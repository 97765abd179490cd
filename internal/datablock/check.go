package datablock

import "github.com/winperf/winperf/internal/index"

// The checks of the decoder, in the order of the structures. Errors of this package wrap a
// check, which wraps a kind of damage such as [ErrTruncated]. A failed check discards the
// counter or instance, the object, or the rest of the block.
var (
	checkBuffer       = index.NewCheck(ErrTruncated, "block header needs %[2]d bytes, %[1]d are there")
	checkSignature    = index.NewCheck(ErrSignature, "got %#016[1]x, want %#016[2]x")
	checkByteOrder    = index.NewCheck(ErrByteOrder, "LittleEndian is %[1]d, want %[2]d")
	checkVersion      = index.NewCheck(ErrVersion, "got %[1]d, want %[2]d")
	checkTotal        = index.NewCheck(ErrLength, "TotalByteLength is %[1]d, want at least %[2]d")
	checkTruncated    = index.NewCheck(ErrTruncated, "TotalByteLength is %[1]d, %[2]d bytes are there")
	checkHeader       = index.NewCheck(ErrLength, "HeaderLength is %[1]d, want 88 to %[2]d")
	checkObjectCount  = index.NewCheck(ErrCount, "NumObjectTypes is %[1]d, there is room for %[2]d")
	checkObjectSpace  = index.NewCheck(ErrTruncated, "object needs %[2]d bytes, %[1]d are left")
	checkObjectLength = index.NewCheck(ErrLength, "object TotalByteLength is %[1]d, want 64 to %[2]d")
	checkObjectHeader = index.NewCheck(ErrLength,
		"HeaderLength is %[1]d and DefinitionLength %[2]d, want 64 <= HeaderLength <= "+
			"DefinitionLength <= TotalByteLength")
	checkCounterCount  = index.NewCheck(ErrCount, "NumCounters is %[1]d, there is room for %[2]d")
	checkInstanceCount = index.NewCheck(ErrCount, "NumInstances is %[1]d, want -3 to %[2]d")
	checkCounterLength = index.NewCheck(ErrLength, "counter definition of %[1]d bytes, want 40 to %[2]d")
	checkMissingMap    = index.NewCheck(ErrValue,
		"bit map of missing values ends at %[1]d of %[2]d bytes, or begins before byte 4")
	checkInstanceSpace  = index.NewCheck(ErrTruncated, "instance definition needs %[2]d bytes, %[1]d are left")
	checkInstanceLength = index.NewCheck(ErrTruncated, "instance definition of %[1]d bytes, want 24 to %[2]d")
	checkName           = index.NewCheck(ErrName,
		"name ends at %[1]d of the %[2]d bytes of its definition, or begins before byte 24")
	checkBlockSpace  = index.NewCheck(ErrTruncated, "counter block needs %[2]d bytes, %[1]d are left")
	checkBlockLength = index.NewCheck(ErrTruncated, "counter block of %[1]d bytes, want 4 to %[2]d")
	checkValue       = index.NewCheck(ErrValue,
		"value ends at %[1]d of the %[2]d bytes of the shortest counter block, or begins before byte 4")
	checkSize = index.NewCheck(ErrSize, "CounterSize is %[1]d of type %#08[2]x, want 0, 4 or 8")
	// a base follows a counter that needs one
	checkBase     = index.NewCheck(ErrMissingBase, "type %#08[1]x needs a base, type %#08[2]x follows")
	checkTimeBase = index.NewCheck(ErrTimeBase, "frequency is %[1]d, type %#08[2]x needs one above 0")
	// definitions may share a value, so a small block can claim very many
	checkValueLimit = index.NewCheck(ErrLimit, "%[1]d values, the limit is %[2]d")
)

// ErrTruncated means that the bytes end too early. It wraps [winperf.ErrBadData].
var ErrTruncated = index.NewKind("truncated")

// The other kinds of damage, which also wrap [winperf.ErrBadData].
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
