package datablock

import "github.com/winperf/winperf/internal/index"

// Check is a check, for tests.
type Check = *index.Check

// FailBlock are the checks that cost the rest of the block.
var FailBlock = []Check{
	checkBuffer,
	checkSignature,
	checkByteOrder,
	checkVersion,
	checkTotal,
	checkTruncated,
	checkHeader,
	checkObjectCount,
	checkObjectRoom,
	checkObjectLength,
	checkValueLimit,
}

// The checks.
var (
	CheckBuffer         = checkBuffer
	CheckSignature      = checkSignature
	CheckByteOrder      = checkByteOrder
	CheckVersion        = checkVersion
	CheckTotal          = checkTotal
	CheckTruncated      = checkTruncated
	CheckHeader         = checkHeader
	CheckObjectCount    = checkObjectCount
	CheckObjectRoom     = checkObjectRoom
	CheckObjectLength   = checkObjectLength
	CheckObjectHeader   = checkObjectHeader
	CheckCounterCount   = checkCounterCount
	CheckInstanceCount  = checkInstanceCount
	CheckCounterLength  = checkCounterLength
	CheckMissingMap     = checkMissingMap
	CheckInstanceRoom   = checkInstanceRoom
	CheckInstanceLength = checkInstanceLength
	CheckName           = checkName
	CheckBlockRoom      = checkBlockRoom
	CheckBlockLength    = checkBlockLength
	CheckValue          = checkValue
	CheckSize           = checkSize
	CheckBase           = checkBase
	CheckTimeBase       = checkTimeBase
	CheckValueLimit     = checkValueLimit
)

// Checks are all of them.
var Checks = []Check{
	checkBuffer,
	checkSignature,
	checkByteOrder,
	checkVersion,
	checkTotal,
	checkTruncated,
	checkHeader,
	checkObjectCount,
	checkObjectRoom,
	checkObjectLength,
	checkObjectHeader,
	checkCounterCount,
	checkInstanceCount,
	checkCounterLength,
	checkMissingMap,
	checkInstanceRoom,
	checkInstanceLength,
	checkName,
	checkBlockRoom,
	checkBlockLength,
	checkValue,
	checkSize,
	checkBase,
	checkTimeBase,
	checkValueLimit,
}
