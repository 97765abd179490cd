package perfdata

import (
	"slices"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// errText is wrapped by every error of [ParseText].
var errText = index.NewKind("bad text form")

// fieldName names 4 bytes of a structure.
type fieldName struct {
	name   string
	offset uint32
}

// Fields that Encode computes or that have no meaning. The text form has no keys for them.
var (
	headerFields = []fieldName{
		{"LittleEndian", datablock.AtLittleEndian},
		{"Version", datablock.AtVersion}, {"Revision", datablock.AtRevision},
		{"TotalByteLength", datablock.AtTotal}, {"HeaderLength", datablock.AtHeaderLength},
		{"NumObjectTypes", datablock.AtNumObjects},
		{"SystemNameLength", datablock.AtNameLength}, {"SystemNameOffset", datablock.AtNameOffset},
	}
	objectFields = []fieldName{
		{"TotalByteLength", datablock.AtObjTotal}, {"DefinitionLength", datablock.AtObjDefinition},
		{"HeaderLength", datablock.AtObjHeader},
		{"ObjectNameTitle", datablock.AtObjTitleText}, {"ObjectHelpTitle", datablock.AtObjHelpText},
		{"NumCounters", datablock.AtObjNumCounters}, {"NumInstances", datablock.AtObjNumInstances},
	}
	counterFields = []fieldName{
		{"ByteLength", datablock.AtCtrLength}, {"CounterNameTitle", datablock.AtCtrTitleText},
		{"CounterHelpTitle", datablock.AtCtrHelpText},
	}
	instanceFields = []fieldName{
		{"ByteLength", datablock.AtInstLength},
		{"NameOffset", datablock.AtInstNameOffset}, {"NameLength", datablock.AtInstNameLength},
	}
)

const blockLength = "BlockByteLength"

// places returns the fields of an instance's structures.
func (in *Instance) places(named bool) []fieldName {
	if !named {
		return []fieldName{{blockLength, 0}}
	}
	return append(slices.Clip(instanceFields),
		fieldName{blockLength, uint32(datablock.InstanceLen + len(in.name.Bytes))})
}

// field is a key of the text form with a pointer to its value, or a function that reads it.
// It is omitted if the value is the implied one.
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

// fields returns the keys of a name that is not in the plain layout.
func (n *nameField) fields() []field {
	return []field{{"nameoffset", &n.Offset, uint32(0)}, {"namelength", &n.Length, uint32(0)},
		{"rest", &n.Bytes, nil}}
}

type formWord struct {
	form Form
	word string
}

var forms = [...]formWord{
	{Multiple, "multiple"}, {Single, "single"},
	{MetadataMultiple, "metadata-multiple"}, {MetadataSingle, "metadata-single"},
}
