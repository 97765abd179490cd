package counterset

import "encoding/binary"

// Sizes of the structures of perflib.h, in bytes.
const (
	headerSize       = 48 // PERF_DATA_HEADER
	answerSize       = 16 // PERF_COUNTER_HEADER
	multiSize        = 8  // PERF_MULTI_COUNTERS and PERF_MULTI_INSTANCES
	instanceSize     = 8  // PERF_INSTANCE_HEADER
	dataSize         = 8  // PERF_COUNTER_DATA
	slotSize         = 16 // PERF_COUNTER_DATA with a value of 4 or 8 bytes and padding
	identifierSize   = 40 // PERF_COUNTER_IDENTIFIER
	infoSize         = 32 // PERF_COUNTERSET_REG_INFO
	counterInfoSize  = 48 // PERF_COUNTER_REG_INFO
	stringsSize      = 8  // PERF_STRING_BUFFER_HEADER
	stringHeaderSize = 8  // PERF_STRING_COUNTER_HEADER
)

// Offsets of fields.
const (
	atTotal      = 0 // PERF_DATA_HEADER
	atNumAnswers = 4
	atPerfTime   = 8
	atTime100ns  = 16
	atPerfFreq   = 24
	atSystemTime = 32

	atStatus     = 0 // PERF_COUNTER_HEADER
	atForm       = 4
	atAnswerSize = 8

	atMultiSize  = 0 // PERF_MULTI_COUNTERS, PERF_MULTI_INSTANCES
	atMultiCount = 4

	atInstanceSize = 0 // PERF_INSTANCE_HEADER
	atInstanceID   = 4

	atValueSize = 0 // PERF_COUNTER_DATA
	atSlotSize  = 4

	atIdentStatus   = 16 // PERF_COUNTER_IDENTIFIER
	atIdentSize     = 20
	atIdentCounter  = 24
	atIdentInstance = 28
	atIdentIndex    = 32
)

// MaxBytes is the greatest size of a sample: [MS-PCQ] limits the data of one query to 1
// GiB.
const MaxBytes = 1 << 30

var le = binary.LittleEndian

func u32(b []byte, at int) uint32 { return le.Uint32(b[at:]) }
func i64(b []byte, at int) int64  { return int64(le.Uint64(b[at:])) }

// pad appends zeros up to the next multiple of 8 counted from start.
func pad(dst []byte, start int) []byte {
	for (len(dst)-start)%8 != 0 {
		dst = append(dst, 0)
	}
	return dst
}
