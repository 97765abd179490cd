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
	checkObjectSpace,
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
	CheckObjectSpace    = checkObjectSpace
	CheckObjectLength   = checkObjectLength
	CheckObjectHeader   = checkObjectHeader
	CheckCounterCount   = checkCounterCount
	CheckInstanceCount  = checkInstanceCount
	CheckCounterLength  = checkCounterLength
	CheckMissingMap     = checkMissingMap
	CheckInstanceSpace  = checkInstanceSpace
	CheckInstanceLength = checkInstanceLength
	CheckName           = checkName
	CheckBlockSpace     = checkBlockSpace
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
	checkObjectSpace,
	checkObjectLength,
	checkObjectHeader,
	checkCounterCount,
	checkInstanceCount,
	checkCounterLength,
	checkMissingMap,
	checkInstanceSpace,
	checkInstanceLength,
	checkName,
	checkBlockSpace,
	checkBlockLength,
	checkValue,
	checkSize,
	checkBase,
	checkTimeBase,
	checkValueLimit,
}
