package perfdata

import (
	"strconv"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// ErrTruncated tells that the bytes end before what they claim to hold. It wraps
// [winperf.ErrBadData].
var ErrTruncated = datablock.ErrTruncated

// firstValue is the first offset in a counter block that a value may have.
const firstValue = datablock.FirstValue

// Block is a performance data block that can be changed: a PERF_DATA_BLOCK with
// all its objects. The zero Block is an empty block.
//
// Lengths, counts and the fixed fields of the structures are not in it: they follow
// from the rest when it is encoded. What a real block has beyond a plain layout
// (bytes between and behind the structures, larger structures, lengths that are
// wrong) is kept, so that a block that was parsed is encoded to the same bytes.
type Block struct {
	DefaultObject int32     // title index of the object to show first
	SystemTime    [8]uint16 // SYSTEMTIME: year, month, day of week, day, hour, minute, second, millisecond
	PerfTime      int64     // ticks of the performance counter
	PerfFreq      int64     // ticks per second
	Time100ns     int64     // PerfTime100nSec: FILETIME in UTC
	Objects       []Object

	name      nameField  // the machine's, UTF-16LE
	tail      []byte     // what follows the last object inside the block
	overrides []override // of PERF_DATA_BLOCK
}

// Object is a PERF_OBJECT_TYPE with its definitions, instances and values.
type Object struct {
	// Raw, if not nil, is the whole object as bytes, and the other fields are
	// empty: an object too damaged to be taken apart.
	Raw []byte

	Title, Help    uint32 // title indices
	Detail         uint32 // DetailLevel: 100 novice to 400 wizard
	DefaultCounter int32  // position of the counter to show first, -1 = none
	Form           Form   // which kind of instances it has
	CodePage       uint32 // of instance names, 0 = UTF-16LE
	Time, Freq     int64  // the object's own clock: ticks, and ticks per second
	// Missing is the offset, in every counter block, of a bit map of the
	// definitions that have no value there; 0 = none. The header of such an
	// object is 8 bytes longer. [Object.Layout] sets it.
	Missing   uint32
	Extra     []byte // what the header has beyond that
	Counters  []Counter
	Instances []Instance // of a single-instance object exactly one, without a definition

	gap       []byte     // what follows the last definition inside DefinitionLength
	tail      []byte     // what follows the last counter block inside the object
	overrides []override // of PERF_OBJECT_TYPE
}

// Form says what PERF_OBJECT_TYPE.NumInstances means for an object.
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

// String returns the word for the form that the text form of blocks has.
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
	Detail      uint32 // DetailLevel
	Type        counter.Type
	Size        uint32 // CounterSize: bytes of the raw value
	Offset      uint32 // CounterOffset: of the raw value, from the start of a counter block; at least 4

	extra     []byte     // what the definition has beyond the structure
	overrides []override // of PERF_COUNTER_DEFINITION
}

// Instance is a PERF_INSTANCE_DEFINITION with its PERF_COUNTER_BLOCK.
// [Object.AddInstance] makes one.
type Instance struct {
	ParentObject   uint32 // title index, 0 = no parent
	ParentInstance uint32 // position of the parent
	UniqueID       int32  // -1 = none
	// Data is the counter block without its length of 4 bytes: the value of a counter
	// begins at Data[Offset-4]. [Object.Value] reads it.
	Data []byte

	name nameField
	// Overrides of PERF_INSTANCE_DEFINITION and, counting on behind the name,
	// of PERF_COUNTER_BLOCK.
	overrides []override
}

// nameField is a name behind a structure and where in it the name stands. The
// zero nameField is no name.
type nameField struct {
	Offset, Length uint32 // NameOffset and NameLength; they need not fit Bytes
	Bytes          []byte // all that follows the structure: the name and what is around it
}

// newName returns a name laid out as usual: right behind a structure of size
// bytes, with its terminator, filled up with zeros to a multiple of 8.
func newName(s string, codePage uint32, size int) (nameField, error) {
	b, err := wire.EncodeText(s, codePage)
	if err != nil {
		return nameField{}, err
	}
	n := nameField{Offset: uint32(size), Length: uint32(len(b))}
	n.Bytes = datablock.Pad(b, -size)
	return n, nil
}

// text returns the name behind a structure of size bytes, "" if there is none.
func (n nameField) text(codePage uint32, size int) string {
	begin := int64(n.Offset) - int64(size)
	if begin < 0 || begin+int64(n.Length) > int64(len(n.Bytes)) {
		return ""
	}
	return wire.Text(n.Bytes[begin:][:n.Length], codePage)
}

// override replaces 4 bytes of an encoded structure, such as a length that is
// wrong on purpose or a reserved field.
type override struct {
	Offset uint32 // from the start of the structure
	Value  uint32
}
