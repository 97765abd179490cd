// Package index is a flat index over the bytes of one sample. Codecs fill it, and frames read
// values through it.
//
// A codec checks every length and offset of untrusted bytes once; readers of a filled Index need no
// further checks. All slices are reused for the next sample, so that a warm decode allocates
// nothing. Offsets count from the start of Data and fit 32 bits, as a block's length does.
package index

import "github.com/winperf/winperf/counter"

// Index describes one decoded sample. The zero Index is empty and ready for use. A filled Index
// must not be copied, because Memo describes its slices.
type Index struct {
	Data       []byte // the block's bytes, without any bytes after it
	Clocks     counter.Clocks
	Machine    Span  // UTF-16LE name of the machine
	Default    int32 // DefaultObject of the block
	Objects    []Object
	Counters   []Counter  // of all objects, in block order
	Instances  []Instance // of all objects, in block order
	Links      []Link     // of the instances of objects with links, in block order
	Damage     []error    // the errors, in the order of their discovery
	MoreDamage int        // number of further errors that Damage does not list
	Memo       any        // private data of the codec for the next sample

	titles []title // objects by title index, made by ResolveParents
}

// Reset empties the index, keeping its memory for the next sample.
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

// Poison overwrites the index, for tests; see internal/poison. The offsets of instances are then
// outside of any data.
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

// Span is a run of bytes in Data.
type Span struct{ Off, Len uint32 }

// Object is one object of the sample.
type Object struct {
	Off, Len       uint32 // position in Data
	Title, Help    uint32 // title indices
	Detail         uint32
	DefaultCounter int32 // position of the default counter among the object's definitions, -1 = none
	// NumInstances is the system's number of instances, or NoInstances; in a sample without values
	// it may be MetadataMultiple or MetadataSingle.
	NumInstances int32
	CodePage     uint32 // of instance names; 0 is UTF-16LE
	Time, Freq   int64  // the object's own clock
	Counter0     uint32 // its definitions are Counters[Counter0:CounterEnd]
	CounterEnd   uint32
	// Its instances are Instances[Instance0:InstanceEnd]; a single-instance object with data has
	// one.
	Instance0   uint32
	InstanceEnd uint32
	GUID        [16]byte // of a counter set of version 2; zero = none
	// Definitions are the bytes of the definitions, to detect changes; nil means they are in Data,
	// from the first Counter's Off.
	Definitions []byte
	// Its instances' links are Links[Link0:], one for each; -1 if no instance has a parent or a
	// unique ID.
	Link0   int32
	Missing uint32 // offset, from an instance's Block, of the bit map of missing values; 0 = none
	// Clocks is the position in Data of the PerfTime, PerfFreq and Time100ns (8 bytes each) of the
	// object; 0 = the sample's.
	Clocks uint32
}

// Counter is one counter definition.
type Counter struct {
	Off         uint32 // position of the definition in Data
	Title, Help uint32
	Type        counter.Type
	Scale       int32
	Detail      uint32
	Size        uint32 // bytes of the raw value; of text its length in bytes
	Value       uint32 // offset of the raw value from an instance's Block
	Base        int32  // position of its base among the object's definitions, -1 = none
	ID          uint32 // of a counter of version 2
	// Time and Freq are one more than the positions of the counters with its own clock and that
	// clock's frequency; 0 = none.
	Time, Freq int32
	// Multi is the offset, from an instance's Block, of the 4-byte count of a multi-timer without a
	// base definition; 0 = none.
	Multi uint32
	State CounterState
}

// CounterState says whether the raw values of a counter are readable.
type CounterState uint8

// The states of a counter. A counter that is not Readable has no values; its object is not
// affected.
const (
	Readable  CounterState = iota // 4 or 8 bytes inside every block of the object
	NoValue                       // zero size: a heading
	TextValue                     // text of Size bytes inside every block of the object
	BadSize                       // Size is neither 0, 4 nor 8 and the type is not text
	// The value is outside of some or all blocks: readers compare it with each block's length.
	OutOfRange
	MissingBase // the raw value is readable, but the base is missing
)

// Instance has the positions of one instance's name and values. Instances are numerous: rarely used
// fields are in Link.
type Instance struct {
	Off   uint32 // position of the definition in Data; 0 for a single instance, which has none
	Block uint32 // start of its counter block: the block's length, 4 bytes, then the values
	// Name is the name in Data, with any terminator, in the object's code page; it ends at the first
	// NUL.
	Name Span
}

// Link is the parent and unique ID of an instance.
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

// NoLink is the Link of an instance without parent and unique ID.
var NoLink = Link{UniqueID: NoUniqueID, Parent: -1}

// Link returns the link of the instance at position i of the object.
func (ix *Index) Link(o *Object, i int) Link {
	if o.Link0 < 0 {
		return NoLink
	}
	return ix.Links[int(o.Link0)+i]
}
