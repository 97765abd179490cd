package perfdata

import "encoding/binary"

// Sizes of the structures of winperf.h, which are the same on 32 and 64 bits.
// They are the least a structure may have; its own length fields say how long
// it is.
const (
	headerSize   = 88 // PERF_DATA_BLOCK
	objectSize   = 64 // PERF_OBJECT_TYPE
	counterSize  = 40 // PERF_COUNTER_DEFINITION
	instanceSize = 24 // PERF_INSTANCE_DEFINITION
	blockSize    = 4  // PERF_COUNTER_BLOCK
)

// Offsets of the fields of PERF_DATA_BLOCK.
const (
	atSignature     = 0
	atLittleEndian  = 8
	atVersion       = 12
	atRevision      = 16
	atTotal         = 20
	atHeaderLength  = 24
	atNumObjects    = 28
	atDefaultObject = 32
	atSystemTime    = 36
	atPadding       = 52
	atPerfTime      = 56
	atPerfFreq      = 64
	atPerfTime100ns = 72
	atNameLength    = 80
	atNameOffset    = 84
)

// Offsets of the fields of PERF_OBJECT_TYPE.
const (
	atObjTotal          = 0
	atObjDefinition     = 4
	atObjHeader         = 8
	atObjTitle          = 12
	atObjTitleText      = 16
	atObjHelp           = 20
	atObjHelpText       = 24
	atObjDetail         = 28
	atObjNumCounters    = 32
	atObjDefaultCounter = 36
	atObjNumInstances   = 40
	atObjCodePage       = 44
	atObjTime           = 48
	atObjFreq           = 56
	// Two fields of this project behind the structure, which other readers
	// step over: a mark and the offset, in every counter block, of a bit map
	// of the definitions that have no value there.
	atObjMissingMark = 64
	atObjMissing     = 68
	missingSize      = 8
)

// Offsets of the fields of PERF_COUNTER_DEFINITION.
const (
	atCtrLength    = 0
	atCtrTitle     = 4
	atCtrTitleText = 8
	atCtrHelp      = 12
	atCtrHelpText  = 16
	atCtrScale     = 20
	atCtrDetail    = 24
	atCtrType      = 28
	atCtrSize      = 32
	atCtrOffset    = 36
)

// Offsets of the fields of PERF_INSTANCE_DEFINITION.
const (
	atInstLength         = 0
	atInstParentObject   = 4
	atInstParentInstance = 8
	atInstUniqueID       = 12
	atInstNameOffset     = 16
	atInstNameLength     = 20
)

const (
	signature    = 0x0046_0052_0045_0050 // "PERF" in UTF-16LE
	signatureBig = 0x4600_5200_4500_5000 // the same, big-endian
	version      = 1                     // PERF_DATA_VERSION
	revision     = 1                     // PERF_DATA_REVISION
	missingMark  = 0x414E_584C           // "LXNA"
)

// The loads are byte-wise because providers do not keep to any alignment.

func u32(b []byte, off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
func i32(b []byte, off int) int32  { return int32(binary.LittleEndian.Uint32(b[off:])) }
func i64(b []byte, off int) int64  { return int64(binary.LittleEndian.Uint64(b[off:])) }

// missingMapSize is the length in bytes of a bit map of n definitions.
func missingMapSize(n int) uint32 { return uint32(n/8) + uint32(min(n%8, 1)) }
