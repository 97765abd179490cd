// Package pubfile has the layout of a published file, which other programs read
// too: the DLL that delivers the counters on Windows copies objects out of it.
// docs/publish.md describes it in full. All numbers are little-endian; offsets are
// in bytes from the beginning of the structure.
//
// The file is a Header, the driver's name, the Objects, the schema, the head of
// every object, and from HeaderSlots on one Slot behind the other.
package pubfile

// What a file begins with.
const (
	// Magic is written last: a file without it is being made.
	Magic   uint64 = 0x4255504652455057 // "WPERFPUB"
	Version uint32 = 1
)

// Offsets in the header.
const (
	HeaderMagic   = 0  // uint64: Magic
	HeaderVersion = 8  // uint32: Version
	HeaderLength  = 12 // uint32: HeaderSize
	// uint64: odd while slots are being changed; the set of instances is the same while
	// it is
	HeaderGeneration = 16
	HeaderUsed       = 24 // uint64: where the last slot ends; it only grows
	HeaderStarted    = 32 // int64: when publishing began, a FILETIME
	HeaderProcess    = 40 // uint32: process id, for people
	HeaderObjects    = 44 // uint32: number of objects
	HeaderTable      = 48 // uint32: where the objects are, a multiple of 8
	HeaderDriver     = 52 // uint32: where the driver's name is: UTF-16LE with a NUL
	HeaderDriverLen  = 56 // uint32: its bytes, the NUL included
	HeaderSchema     = 60 // uint32: where the schema is: JSON as package registration has it
	HeaderSchemaLen  = 64 // uint32: its bytes
	HeaderSlots      = 68 // uint32: where the first slot is, a multiple of 16
	HeaderSize       = 128
)

// Offsets in an object. Its head is a ready PERF_OBJECT_TYPE of HeaderLength 64
// with its PERF_COUNTER_DEFINITION structures; TotalByteLength and NumInstances
// are those of no instance.
const (
	ObjectHead    = 0  // uint32: where its head is, a multiple of 8
	ObjectHeadLen = 4  // uint32: its bytes, the same as its DefinitionLength
	ObjectBlock   = 8  // uint32: bytes of a PERF_COUNTER_BLOCK of it, a multiple of 8
	ObjectFlags   = 12 // uint32: HasInstances
	ObjectSize    = 32
)

// HasInstances is the flag of an object that has instances. The slots of one
// that has none hold a PERF_COUNTER_BLOCK only.
const HasInstances uint32 = 1

// Offsets in a slot. Its body is a ready PERF_INSTANCE_DEFINITION with its name,
// and a PERF_COUNTER_BLOCK, where values change in place.
const (
	SlotSize     = 0  // uint32: bytes of the slot, a multiple of 16; it never changes
	SlotSequence = 4  // uint32: odd while the slot is in use; 1 more with every change
	SlotObject   = 8  // uint32: position of the object in the table
	SlotLength   = 12 // uint32: bytes of the body
	SlotBody     = 16
	SlotAlign    = 16
)

// FirstTitle is the title of the first object in heads and bodies, where titles
// are relative: 0 stands for no title, and N stands for the title index First Counter + N -
// FirstTitle, or for a help text First Help + N - FirstTitle - 1. The numbers are those
// of the header (.h) that package
// registration writes, plus FirstTitle. ParentObjectInstance of a body is the
// offset in the file of the parent's slot.
const FirstTitle = 2

// LockOffset is the byte of the file on which the publisher keeps an exclusive
// lock on Windows. Where it is free the publisher is gone.
const LockOffset uint64 = 1 << 62

// Limits, which every reader checks.
const (
	MaxFile    = 64 << 20 // bytes of a file
	MaxSchema  = 4 << 20  // bytes of a schema
	MaxObjects = 1 << 10  // objects of a file
	MaxName    = 1 << 10  // UTF-16 units of an instance's name, the NUL included
	MaxFiles   = 1 << 10  // files of a directory
)

// Suffix is the end of the names of published files.
const Suffix = ".winperf"

// Field is one field of the layout.
type Field struct {
	Struct string // "Header", "Object", "Slot"
	Name   string
	Offset int
	Size   int // bytes
}

// Fields returns the fields of all structures in their order. C headers are made
// of it.
func Fields() []Field {
	return []Field{
		{"Header", "Magic", HeaderMagic, 8},
		{"Header", "Version", HeaderVersion, 4},
		{"Header", "Length", HeaderLength, 4},
		{"Header", "Generation", HeaderGeneration, 8},
		{"Header", "Used", HeaderUsed, 8},
		{"Header", "Started", HeaderStarted, 8},
		{"Header", "Process", HeaderProcess, 4},
		{"Header", "Objects", HeaderObjects, 4},
		{"Header", "Table", HeaderTable, 4},
		{"Header", "Driver", HeaderDriver, 4},
		{"Header", "DriverLen", HeaderDriverLen, 4},
		{"Header", "Schema", HeaderSchema, 4},
		{"Header", "SchemaLen", HeaderSchemaLen, 4},
		{"Header", "Slots", HeaderSlots, 4},

		{"Object", "Head", ObjectHead, 4},
		{"Object", "HeadLen", ObjectHeadLen, 4},
		{"Object", "Block", ObjectBlock, 4},
		{"Object", "Flags", ObjectFlags, 4},

		{"Slot", "Size", SlotSize, 4},
		{"Slot", "Sequence", SlotSequence, 4},
		{"Slot", "Object", SlotObject, 4},
		{"Slot", "Length", SlotLength, 4},
	}
}
