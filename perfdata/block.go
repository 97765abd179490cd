package perfdata

import (
	"strconv"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// ErrTruncated means that the bytes end too early. It wraps [winperf.ErrBadData].
var ErrTruncated = datablock.ErrTruncated

// firstValue is the lowest offset of a value in a counter block.
const firstValue = datablock.FirstValue

// Block is a performance data block that can be changed: a PERF_DATA_BLOCK with all its
// objects. The zero Block is an empty block.
//
// Lengths, counts and fixed fields are computed when the block is encoded. Deviations of a
// real block from the plain layout (bytes between and behind the structures, larger
// structures, wrong lengths) are kept, so that a block that was parsed is encoded to the
// same bytes.
type Block struct {
	DefaultObject int32     // title index of the object to show first
	SystemTime    [8]uint16 // SYSTEMTIME: year, month, day of week, day, hour, minute, second, millisecond
	PerfTime      int64     // ticks of the performance counter
	PerfFreq      int64     // ticks per second
	Time100ns     int64     // PerfTime100nSec: FILETIME in UTC
	Objects       []Object

	name      nameField  // the machine's name, UTF-16LE
	tail      []byte     // bytes behind the last object inside the block
	overrides []override // of PERF_DATA_BLOCK
}

// Object is a PERF_OBJECT_TYPE with its definitions, instances and values.
type Object struct {
	// Raw, if not nil, holds the bytes of an object too damaged to be parsed. The other
	// fields are then empty.
	Raw []byte

	Title, Help    uint32 // title indices
	Detail         uint32 // DetailLevel: 100 novice to 400 wizard
	DefaultCounter int32  // position of the counter to show first, -1 = none
	Form           Form
	CodePage       uint32 // of instance names, 0 = UTF-16LE
	Time, Freq     int64  // the object's own clock: ticks, and ticks per second
	// Missing is the offset in every counter block of a bit map of definitions without a
	// value; 0 = none. The header of such an object is 8 bytes longer. [Object.Layout] sets
	// it.
	Missing   uint32
	Extra     []byte // more bytes of the header
	Counters  []Counter
	Instances []Instance // a single-instance object has one, without a definition

	gap       []byte     // bytes behind the last definition inside DefinitionLength
	tail      []byte     // bytes behind the last counter block inside the object
	overrides []override // of PERF_OBJECT_TYPE
}

// Form is the meaning of PERF_OBJECT_TYPE.NumInstances.
type Form int32

// The forms.
const (
	Multiple Form = 0                 // any number of instances
	Single   Form = index.NoInstances // one unnamed instance (PERF_NO_INSTANCES)
	// definitions only, of an object with instances (PERF_METADATA_MULTIPLE_INSTANCES)
	MetadataMultiple Form = index.MetadataMultiple
	// definitions only, of a single-instance object (PERF_METADATA_NO_INSTANCES)
	MetadataSingle Form = index.MetadataSingle
)

// String returns the word of the text form.
func (f Form) String() string {
	for _, w := range forms {
		if w.form == f {
			return w.word
		}
	}
	return strconv.Itoa(int(f))
}

// Counter is a PERF_COUNTER_DEFINITION. [NewCounter] makes one.
type Counter struct {
	Title, Help uint32 // title indices
	Scale       int32  // DefaultScale, a power of ten
	Detail      uint32
	Type        counter.Type
	Size        uint32 // CounterSize: bytes of the raw value
	Offset      uint32 // CounterOffset: of the raw value in a counter block; at least 4

	extra     []byte     // more bytes of the definition
	overrides []override // of PERF_COUNTER_DEFINITION
}

// Instance is a PERF_INSTANCE_DEFINITION with its PERF_COUNTER_BLOCK.
// [Object.AddInstance] makes one.
type Instance struct {
	ParentObject   uint32 // title index, 0 = no parent
	ParentInstance uint32 // position of the parent
	UniqueID       int32  // -1 = none
	// Data is the counter block without its length of 4 bytes: the value of a counter
	// begins at Data[Offset-4]. See [Object.Value].
	Data []byte

	name nameField
	// Overrides of PERF_INSTANCE_DEFINITION; offsets behind its name are in
	// PERF_COUNTER_BLOCK.
	overrides []override
}

// nameField is a name behind a structure. The zero nameField is no name.
type nameField struct {
	Offset, Length uint32 // NameOffset and NameLength; they need not fit Bytes
	Bytes          []byte // all bytes behind the structure, including the name
}

// newName returns a name in the plain layout: behind a structure of size bytes, terminated,
// padded with zeros to a multiple of 8.
func newName(s string, codePage uint32, size int) (nameField, error) {
	b, err := wire.EncodeText(s, codePage)
	if err != nil {
		return nameField{}, err
	}
	n := nameField{Offset: uint32(size), Length: uint32(len(b))}
	n.Bytes = datablock.Pad(b, -size)
	return n, nil
}

// text returns the name behind a structure of size bytes, or "".
func (n nameField) text(codePage uint32, size int) string {
	begin := int64(n.Offset) - int64(size)
	if begin < 0 || begin+int64(n.Length) > int64(len(n.Bytes)) {
		return ""
	}
	return wire.Text(n.Bytes[begin:][:n.Length], codePage)
}

// override replaces 4 bytes of an encoded structure, for example a wrong length or a
// reserved field.
type override struct {
	Offset uint32 // from the start of the structure
	Value  uint32
}
