package perfdata

import (
	"slices"

	"github.com/winperf/winperf/internal/index"
)

// The text form of a block is for reading, comparing and writing by hand; tests
// keep their blocks in it. It is line by line, a keyword and what belongs to
// it, and leaves out whatever a plain layout implies:
//
//	block name="HOST" perftime=1000 perffreq=10000000 time100ns=133500000000000000
//	object 238                               # Processor
//	  counter 6 PERF_100NSEC_TIMER_INV       # % Processor Time
//	  counter 148 PERF_COUNTER_COUNTER scale=-2
//	  instance "0" : 88000000 4711
//	  instance "_Total" : 88000000 4711
//	object 2 form=single
//	  counter 44 PERF_COUNTER_RAWCOUNT
//	  values : 3
//
// Spaces separate words, "#" begins a comment, strings are quoted as in Go,
// numbers are decimal or hexadecimal with 0x, and HEX stands for bytes as
// hexadecimal digits. Indentation means nothing. A line belongs to the nearest
// line above it that it can belong to.
//
//	block [name=STRING] [default=N] [perftime=N] [perffreq=N] [time100ns=N]
//	      [systemtime=N,N,N,N,N,N,N,N] [nameoffset=N] [namelength=N] [rest=HEX]
//
// is the header, PERF_DATA_BLOCK. What is left out is 0. rest replaces all
// that follows the structure, the name and its padding.
//
//	object TITLE [help=N] [detail=N] [default=N] [form=FORM] [codepage=N]
//	       [time=N] [freq=N] [missing=N]
//
// is a PERF_OBJECT_TYPE. help is TITLE + 1, detail 100, and FORM multiple
// unless it is single, metadata-multiple or metadata-single. missing is the
// offset of the bit map of missing values; missing=auto puts it behind the
// values.
//
//	counter TITLE TYPE [help=N] [scale=N] [detail=N] [size=N] [offset=N]
//
// is a PERF_COUNTER_DEFINITION. TYPE is a name of winperf.h or a number. size
// is what belongs to the type and offset the next place behind the values so
// far.
//
//	instance NAME [parent=N] [position=N] [id=N] [nameoffset=N] [namelength=N]
//	         [rest=HEX] [size=N] : VALUE...
//	values [size=N] : VALUE...
//
// are a PERF_INSTANCE_DEFINITION with its PERF_COUNTER_BLOCK, and the block of
// an object that has no instances. NAME is a string or "-" for none, parent and
// position name the parent, id is the unique id. size is the length of the
// counter block. There is one VALUE for each counter, in order: a number, a
// string for a text counter, hex:HEX for any bytes, or "-" for no change of
// what is there, zeros or an earlier counter's value at the same place. A "?"
// before it marks the value as missing; "?" alone is "?-".
//
// All else is for odd layouts and damage:
//
//	bytes OFFSET HEX   bytes of the counter block; OFFSET as in CounterOffset
//	set FIELD=N ...    4 bytes of the structure above, by the field's name in
//	                   winperf.h or by offset; BlockByteLength is the length of
//	                   an instance's counter block
//	extra HEX          the rest of an object's header or of a definition
//	gap HEX            bytes behind the definitions
//	tail HEX           bytes behind the counter blocks
//	raw HEX            a whole object as bytes
//	slack HEX          bytes behind the last object

// fieldName names 4 bytes of a structure.
type fieldName struct {
	name   string
	offset uint32
}

// Fields of the structures that Encode works out or that carry nothing, and so
// have no words of their own in the text form.
var (
	headerFields = []fieldName{
		{"LittleEndian", atLittleEndian}, {"Version", atVersion}, {"Revision", atRevision},
		{"TotalByteLength", atTotal}, {"HeaderLength", atHeaderLength}, {"NumObjectTypes", atNumObjects},
		{"SystemNameLength", atNameLength}, {"SystemNameOffset", atNameOffset},
	}
	objectFields = []fieldName{
		{"TotalByteLength", atObjTotal}, {"DefinitionLength", atObjDefinition}, {"HeaderLength", atObjHeader},
		{"ObjectNameTitle", atObjTitleText}, {"ObjectHelpTitle", atObjHelpText},
		{"NumCounters", atObjNumCounters}, {"NumInstances", atObjNumInstances},
	}
	counterFields = []fieldName{
		{"ByteLength", atCtrLength}, {"CounterNameTitle", atCtrTitleText},
		{"CounterHelpTitle", atCtrHelpText},
	}
	instanceFields = []fieldName{
		{"ByteLength", atInstLength}, {"NameOffset", atInstNameOffset}, {"NameLength", atInstNameLength},
	}
)

// blockLength names the length of the counter block behind an instance.
const blockLength = "BlockByteLength"

// places are the fields of an instance's structures.
func (in *Instance) places(named bool) []fieldName {
	if !named {
		return []fieldName{{blockLength, 0}}
	}
	return append(slices.Clip(instanceFields),
		fieldName{blockLength, uint32(instanceSize + len(in.Name.Bytes))})
}

// field is a key of the text form with the variable for its value, or the function that
// reads it. It is left out where it has the implied value.
type field struct {
	key     string
	to      any
	implied any
}

func (b *Block) fields() []field {
	return []field{
		{"default", &b.DefaultObject, int32(0)},
		{"perftime", &b.PerfTime, int64(0)},
		{"perffreq", &b.PerfFreq, int64(0)},
		{"time100ns", &b.Time100ns, int64(0)},
		{"systemtime", &b.SystemTime, [8]uint16{}},
	}
}

func (o *Object) fields() []field {
	return []field{
		{"help", &o.Help, o.Title + 1},
		{"detail", &o.Detail, uint32(100)},
		{"default", &o.DefaultCounter, int32(0)},
		{"form", &o.Form, Multiple},
		{"codepage", &o.CodePage, uint32(0)},
		{"time", &o.Time, int64(0)},
		{"freq", &o.Freq, int64(0)},
		{"missing", &o.Missing, uint32(0)},
	}
}

func (c *Counter) fields() []field {
	plain := NewCounter(c.Title, c.Type)
	return []field{
		{"help", &c.Help, plain.Help},
		{"scale", &c.Scale, int32(0)},
		{"detail", &c.Detail, plain.Detail},
		{"size", &c.Size, plain.Size},
	}
}

func (in *Instance) fields() []field {
	return []field{
		{"parent", &in.ParentObject, uint32(0)},
		{"position", &in.ParentInstance, uint32(0)},
		{"id", &in.UniqueID, int32(index.NoUniqueID)},
	}
}

// fields are those of a name that is not laid out as usual.
func (n *NameField) fields() []field {
	return []field{{"nameoffset", &n.Offset, uint32(0)}, {"namelength", &n.Length, uint32(0)},
		{"rest", &n.Bytes, nil}}
}

// formWord is a form and the word for it.
type formWord struct {
	form Form
	word string
}

var forms = [...]formWord{
	{Multiple, "multiple"}, {Single, "single"},
	{MetadataMultiple, "metadata-multiple"}, {MetadataSingle, "metadata-single"},
}
