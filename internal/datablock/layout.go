package datablock

import "encoding/binary"

// Sizes of the structures of winperf.h, equal on 32 and 64 bits. They are the minimum; a
// structure's length field is its real size.
const (
	HeadLen     = 88 // PERF_DATA_BLOCK
	ObjectLen   = 64 // PERF_OBJECT_TYPE
	CounterLen  = 40 // PERF_COUNTER_DEFINITION
	InstanceLen = 24 // PERF_INSTANCE_DEFINITION
	blockSize   = 4  // PERF_COUNTER_BLOCK
)

// Offsets of the fields of PERF_DATA_BLOCK.
const (
	AtSignature     = 0
	AtLittleEndian  = 8
	AtVersion       = 12
	AtRevision      = 16
	AtTotal         = 20
	AtHeaderLength  = 24
	AtNumObjects    = 28
	AtDefaultObject = 32
	AtSystemTime    = 36
	AtPadding       = 52
	AtPerfTime      = 56
	AtPerfFreq      = 64
	AtPerfTime100ns = 72
	AtNameLength    = 80
	AtNameOffset    = 84
)

// Offsets of the fields of PERF_OBJECT_TYPE.
const (
	AtObjTotal          = 0
	AtObjDefinition     = 4
	AtObjHeader         = 8
	AtObjTitle          = 12
	AtObjTitleText      = 16
	AtObjHelp           = 20
	AtObjHelpText       = 24
	AtObjDetail         = 28
	AtObjNumCounters    = 32
	AtObjDefaultCounter = 36
	AtObjNumInstances   = 40
	AtObjCodePage       = 44
	AtObjTime           = 48
	AtObjFreq           = 56
	// An extension by this project behind the structure, which other readers skip: a mark
	// and the offset, in every counter block, of a bit map of definitions without a value.
	AtObjMissingMark = 64
	AtObjMissing     = 68
	MissingLen       = 8
)

// Offsets of the fields of PERF_COUNTER_DEFINITION.
const (
	AtCtrLength    = 0
	AtCtrTitle     = 4
	AtCtrTitleText = 8
	AtCtrHelp      = 12
	AtCtrHelpText  = 16
	AtCtrScale     = 20
	AtCtrDetail    = 24
	AtCtrType      = 28
	AtCtrSize      = 32
	AtCtrOffset    = 36
)

// Offsets of the fields of PERF_INSTANCE_DEFINITION.
const (
	AtInstLength         = 0
	AtInstParentObject   = 4
	AtInstParentInstance = 8
	AtInstUniqueID       = 12
	AtInstNameOffset     = 16
	AtInstNameLength     = 20
)

// The constants of PERF_DATA_BLOCK, and the mark of this project's extension.
const (
	Signature    = 0x0046_0052_0045_0050 // "PERF" in UTF-16LE
	signatureBig = 0x4600_5200_4500_5000 // the same, big-endian
	Version      = 1                     // PERF_DATA_VERSION
	Revision     = 1                     // PERF_DATA_REVISION
	MissingMark  = 0x414E_584C           // "LXNA"
)

// Loads are byte-wise because providers do not align structures.

func u32(b []byte, off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
func i32(b []byte, off int) int32  { return int32(binary.LittleEndian.Uint32(b[off:])) }
func i64(b []byte, off int) int64  { return int64(binary.LittleEndian.Uint64(b[off:])) }

// MissingMapLen returns the length in bytes of a bit map of n definitions.
func MissingMapLen(n int) uint32 { return uint32(n/8) + uint32(min(n%8, 1)) }

// Padding returns the number of bytes from n to a multiple of 8.
func Padding(n int) int { return -n & 7 }

// Pad appends zeros until the length from start is a multiple of 8.
func Pad(dst []byte, start int) []byte {
	return append(dst, make([]byte, Padding(len(dst)-start))...)
}
