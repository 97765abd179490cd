// Package index is the flat index that codecs make of the bytes of one sample and through
// which frames read values.
//
// A codec checks every length and offset of untrusted bytes once and fills an Index;
// readers need no further checks. All slices are reused, so decoding allocates nothing
// after the first samples. Offsets are from the start of Data and have 32 bits, because a
// block's length has.
package index

import "github.com/winperf/winperf/counter"

// Index describes one decoded sample. The zero Index is empty. A filled Index must not be
// copied, because Memo refers to its slices.
type Index struct {
	Data       []byte // the bytes of the sample, without those behind the block
	Clocks     counter.Clocks
	Machine    Span  // UTF-16LE name of the machine
	Default    int32 // DefaultObject of the block
	Objects    []Object
	Counters   []Counter  // of all objects, in block order
	Instances  []Instance // of all objects, in block order
	Links      []Link     // of the instances of objects with links, in block order
	Damage     []error    // in the order of detection
	MoreDamage int        // number of damages not listed in Damage
	Memo       any        // private to the codec, for the next sample

	titles []title // objects by title index, made by ResolveParents
}

// Reset empties the index and keeps its memory for the next sample.
func (ix *Index) Reset() {
	clear(ix.Damage)
	*ix = Index{
		Objects:   ix.Objects[:0],
		Counters:  ix.Counters[:0],
		Instances: ix.Instances[:0],
		Links:     ix.Links[:0],
		Damage:    ix.Damage[:0],
		Memo:      ix.Memo,
		titles:    ix.titles[:0],
	}
}

// Poison overwrites the index, for tests; see internal/poison. Offsets of instances are
// then outside Data.
func (ix *Index) Poison() {
	const offset = 0xA5A5A5A5
	for i := range ix.Instances {
		ix.Instances[i] = Instance{Off: offset, Block: offset, Name: Span{offset, offset}}
	}
	for i := range ix.Links {
		ix.Links[i] = Link{ParentObject: offset, ParentInstance: offset, UniqueID: offset - 1<<32, Parent: -1}
	}
	ix.Data = nil
}

// Span is a range of bytes in Data.
type Span struct{ Off, Len uint32 }

// Object is one object of the sample.
type Object struct {
	Off, Len       uint32 // place in Data
	Title, Help    uint32 // title indices
	Detail         uint32
	DefaultCounter int32 // position in the object's definitions, -1 = none
	// NumInstances of the system: a number, NoInstances, or without values MetadataMultiple
	// or MetadataSingle.
	NumInstances int32
	CodePage     uint32 // of instance names; 0 is UTF-16LE
	Time, Freq   int64  // the object's own clock
	Counter0     uint32 // its definitions are Counters[Counter0:CounterEnd]
	CounterEnd   uint32
	// Its instances are Instances[Instance0:InstanceEnd]; a single-instance object with data
	// has one.
	Instance0   uint32
	InstanceEnd uint32
	GUID        [16]byte // of a counter set of version 2; zero = none
	// Definitions identify the definitions for comparison; nil: they are in Data, from the
	// first Counter's Off on.
	Definitions []byte
	// Its instances' links are Links[Link0:]; -1: no instance has a parent or a unique id.
	Link0   int32
	Missing uint32 // offset, from an instance's Block, of the bit map of missing values; 0 = none
	// Clocks is the offset in Data of the object's PerfTime, PerfFreq and Time100ns, 8
	// bytes each; 0 = the sample's clocks.
	Clocks uint32
}

// Counter is one counter definition.
type Counter struct {
	Off         uint32 // place of the definition in Data
	Title, Help uint32
	Type        counter.Type
	Scale       int32
	Detail      uint32
	Size        uint32 // bytes of the raw value or text
	Value       uint32 // offset of the raw value from an instance's Block
	Base        int32  // position of its base in the object's definitions, -1 = none
	ID          uint32 // in version 2
	// Time and Freq are 1 + the positions of the counters that hold its clock and the
	// clock's frequency; 0 = none.
	Time, Freq int32
	// Multi is the offset, from an instance's Block, of the 4-byte count of a multi-timer
	// without a base definition; 0 = none.
	Multi uint32
	State CounterState
}

// CounterState is the readability of a counter's raw value.
type CounterState uint8

// States other than Readable affect the counter, never its object.
const (
	Readable  CounterState = iota // 4 or 8 bytes inside every block of the object
	NoValue                       // zero size: a heading
	TextValue                     // text of Size bytes inside every block of the object
	BadSize                       // Size is neither 0, 4 nor 8 and the type is not text
	// The value is outside some blocks: readers compare it with each block's length.
	OutOfRange
	MissingBase // readable, but the base of its formula is missing
)

// Instance is the place of an instance's name and values. There are many; rare properties
// are in a Link.
type Instance struct {
	Off   uint32 // place of the definition in Data; 0 for a single instance
	Block uint32 // place of its counter block: the block's length, 4 bytes, then the values
	// Name is the place of the name, with any terminator, in the object's code page; it
	// ends at the first NUL.
	Name Span
}

// Link is the parent and id of an instance definition.
type Link struct {
	ParentObject   uint32 // title index, 0 = no parent
	ParentInstance uint32 // position in the parent object
	UniqueID       int32  // NoUniqueID = none
	Parent         int32  // resolved parent: position in Instances, -1 = none or missing
}

// Special values of NumInstances, PERF_OBJECT_TYPE's of winperf.h.
const (
	NoInstances      = -1 // PERF_NO_INSTANCES: one block without a name
	MetadataMultiple = -2 // PERF_METADATA_MULTIPLE_INSTANCES
	MetadataSingle   = -3 // PERF_METADATA_NO_INSTANCES
)

// NoUniqueID is PERF_NO_UNIQUE_ID of winperf.h.
const NoUniqueID = -1

// NoLink is the Link of an instance without parent and unique id.
var NoLink = Link{UniqueID: NoUniqueID, Parent: -1}

// Link returns the link of the instance at position i of the object.
func (ix *Index) Link(o *Object, i int) Link {
	if o.Link0 < 0 {
		return NoLink
	}
	return ix.Links[int(o.Link0)+i]
}
