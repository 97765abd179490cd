// Package index is the flat index that codecs lay over the bytes of one
// sample and that frames read values through.
//
// A codec checks every length and offset of untrusted bytes once and fills an Index; a
// reader of a filled Index needs no further checks. All slices are reused from one
// sample to the next, so a warm decode allocates nothing. Offsets count from the start
// of Data and fit 32 bits because a block's length does.
package index

import "github.com/winperf/winperf/counter"

// Index describes one decoded sample. The zero Index holds nothing and is
// ready to be filled. An Index that a codec has filled must not be copied: the
// codec recognises in Memo what is in its slices.
type Index struct {
	Data       []byte // the bytes the offsets point into, without what follows the block
	Clocks     counter.Clocks
	Machine    Span  // UTF-16LE name of the machine
	Default    int32 // DefaultObject of the block
	Objects    []Object
	Counters   []Counter  // of all objects, in block order
	Instances  []Instance // of all objects, in block order
	Links      []Link     // of the instances of objects with links, in block order
	Damage     []error    // what was found wrong, in the order it was found
	MoreDamage int        // how many findings are not listed in Damage because there are too many
	Memo       any        // what the codec keeps for the next sample; nobody else reads it

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

// Poison overwrites the index, for tests; see internal/poison. The offsets of
// instances then lie outside of any data.
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
	Off, Len       uint32 // where the object stands in Data
	Title, Help    uint32 // title indices
	Detail         uint32
	DefaultCounter int32 // position of the default counter among the object's definitions, -1 = none
	// NumInstances is as the system gave it: a number, NoInstances, or without values
	// MetadataMultiple or MetadataSingle.
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
	// Definitions are what the definitions say, to tell others from the same; nil: it stands
	// in Data, from the first Counter's Off on.
	Definitions []byte
	// Its instances' links are Links[Link0:], one for each; -1: no instance has a parent or a
	// unique id.
	Link0   int32
	Missing uint32 // offset, from an instance's Block, of the bit map of missing values; 0 = none
	// Clocks is where in Data PerfTime, PerfFreq and Time100ns, 8 bytes each, are that the
	// object was taken at; 0 = those of the sample.
	Clocks uint32
}

// Counter is one counter definition.
type Counter struct {
	Off         uint32 // where the definition stands in Data
	Title, Help uint32
	Type        counter.Type
	Scale       int32
	Detail      uint32
	Size        uint32 // bytes of the raw value; of text its length in bytes
	Value       uint32 // offset of the raw value from an instance's Block
	Base        int32  // position of its base among the object's definitions, -1 = none
	ID          uint32 // of a counter of version 2
	// Time and Freq are one more than the positions of the counters that are its own clock and
	// the clock's frequency; 0 = none.
	Time, Freq int32
	// Multi is the offset, from an instance's Block, of the 4-byte count of a multi-timer that
	// has no base definition; 0 = none.
	Multi uint32
	State CounterState
}

// CounterState tells whether a counter's raw value may be read.
type CounterState uint8

// The states of a counter. Anything but Readable costs the counter, never its object.
const (
	Readable  CounterState = iota // 4 or 8 bytes inside every block of the object
	NoValue                       // zero size: a heading
	TextValue                     // text of Size bytes inside every block of the object
	BadSize                       // Size is neither 0, 4 nor 8 and the type is not text
	// The value lies inside some blocks only, or inside none: readers compare it with each
	// block's length.
	OutOfRange
	MissingBase // readable raw, but the base its formula needs is not there
)

// Instance is one instance: where its name and its values are. There are very
// many of them: what hardly any instance has stands in a Link.
type Instance struct {
	Off   uint32 // where the definition stands in Data; 0 for a single instance, which has none
	Block uint32 // where its counter block starts: the block's length, 4 bytes, then the values
	// Name is as it stands in Data, with any terminator, in the object's code page; it ends at
	// the first NUL.
	Name Span
}

// Link is what an instance definition says about its place and identity.
type Link struct {
	ParentObject   uint32 // title index, 0 = no parent
	ParentInstance uint32 // position in the parent object
	UniqueID       int32  // NoUniqueID = none
	Parent         int32  // resolved parent: position in Instances, -1 = none or dangling
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
