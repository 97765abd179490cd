// Package pubfile defines the layout of a published file. Other programs read it, too: the DLL that
// supplies the counters on Windows copies objects from it. docs/publish.md describes it in full.
// All numbers are little-endian; offsets are in bytes from the start of the structure.
//
// The file contains a Header, the driver's name, the Objects, the schema, the head of every object,
// and from HeaderSlots the Slots, one after the other.
package pubfile

// The start of a file.
const (
	// Magic is written last: a file without it is incomplete.
	Magic   uint64 = 0x4255504652455057 // "WPERFPUB"
	Version uint32 = 1
)

// Offsets in the header.
const (
	HeaderMagic   = 0  // uint64: Magic
	HeaderVersion = 8  // uint32: Version
	HeaderLength  = 12 // uint32: HeaderSize
	// uint64: odd while slots are being changed; the set of instances changes only then
	HeaderGeneration = 16
	HeaderUsed       = 24 // uint64: end of the last slot; it only grows
	HeaderStarted    = 32 // int64: start of publishing, a FILETIME
	HeaderProcess    = 40 // uint32: process ID, for people
	HeaderObjects    = 44 // uint32: number of objects
	HeaderTable      = 48 // uint32: position of the objects, a multiple of 8
	HeaderDriver     = 52 // uint32: position of the driver's name: UTF-16LE with a NUL
	HeaderDriverLen  = 56 // uint32: its bytes, including the NUL
	HeaderSchema     = 60 // uint32: position of the schema: JSON in the form of package registration
	HeaderSchemaLen  = 64 // uint32: its bytes
	HeaderSlots      = 68 // uint32: position of the first slot, a multiple of 16
	HeaderSize       = 128
)

// Offsets in an object. Its head is a PERF_OBJECT_TYPE of HeaderLength 64 with its
// PERF_COUNTER_DEFINITION structures, ready for use; TotalByteLength and NumInstances are for no
// instances.
const (
	ObjectHead    = 0  // uint32: position of its head, a multiple of 8
	ObjectHeadLen = 4  // uint32: its bytes, the same as its DefinitionLength
	ObjectBlock   = 8  // uint32: bytes of its PERF_COUNTER_BLOCK, a multiple of 8
	ObjectFlags   = 12 // uint32: HasInstances
	ObjectSize    = 32
)

// HasInstances is the flag of an object with instances. Slots of other objects hold only a
// PERF_COUNTER_BLOCK.
const HasInstances uint32 = 1

// Offsets in a slot. Its body is a PERF_INSTANCE_DEFINITION with its name, ready for use, and a
// PERF_COUNTER_BLOCK, where values change in place.
const (
	SlotSize     = 0  // uint32: bytes of the slot, a multiple of 16; it never changes
	SlotSequence = 4  // uint32: odd while the slot is in use; 1 more with every change
	SlotObject   = 8  // uint32: position of the object in the table
	SlotLength   = 12 // uint32: bytes of the body
	SlotBody     = 16
	SlotAlign    = 16
)

// FirstTitle is the title of the first object in heads and bodies, where titles are relative: 0 is
// no title, and N is the title index First Counter + N - FirstTitle, or for a help text First Help
// + N - FirstTitle - 1. The numbers are the ones in the header file (.h) that package registration
// writes, plus FirstTitle. ParentObjectInstance of a body is the file offset of the parent's slot.
const FirstTitle = 2

// LockOffset is the byte of the file that the publisher locks exclusively on Windows. If it is not
// locked, the publisher has ended.
const LockOffset uint64 = 1 << 62

// Limits. Every reader checks them.
const (
	MaxFile    = 64 << 20 // bytes of a file
	MaxSchema  = 4 << 20  // bytes of a schema
	MaxObjects = 1 << 10  // objects of a file
	MaxName    = 1 << 10  // UTF-16 units of an instance's name, including the NUL
	MaxFiles   = 1 << 10  // files of a directory
)

// Suffix ends the names of published files.
const Suffix = ".winperf"

// Field is one field of the layout.
type Field struct {
	Struct string // "Header", "Object", "Slot"
	Name   string
	Offset int
	Size   int // bytes
}

// Fields returns the fields of all structures in their order, for generating C headers.
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
