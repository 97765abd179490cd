/* Made from internal/pubfile/pubfile.go by: go generate ./internal/providerdll */
#ifndef WINPERF_LAYOUT_H
#define WINPERF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define WP_Magic 0x4255504652455057ull
#define WP_Version 0x1u
#define WP_HasInstances 0x1u
#define WP_FirstTitle 0x2u
#define WP_LockOffset 0x4000000000000000ull
#define WP_MaxFile 0x4000000u
#define WP_MaxObjects 0x400u
#define WP_MaxName 0x400u
#define WP_MaxFiles 0x400u
#define WP_SlotAlign 0x10u
#define WP_HeaderSize 0x80u
#define WP_ObjectSize 0x20u
#define WP_SlotBody 0x10u
#define WP_HeaderMagic 0x0u
#define WP_HeaderVersion 0x8u
#define WP_HeaderLength 0xcu
#define WP_HeaderGeneration 0x10u
#define WP_HeaderUsed 0x18u
#define WP_HeaderStarted 0x20u
#define WP_HeaderProcess 0x28u
#define WP_HeaderObjects 0x2cu
#define WP_HeaderTable 0x30u
#define WP_HeaderDriver 0x34u
#define WP_HeaderDriverLen 0x38u
#define WP_HeaderSchema 0x3cu
#define WP_HeaderSchemaLen 0x40u
#define WP_HeaderSlots 0x44u
#define WP_ObjectHead 0x0u
#define WP_ObjectHeadLen 0x4u
#define WP_ObjectBlock 0x8u
#define WP_ObjectFlags 0xcu
#define WP_SlotSize 0x0u
#define WP_SlotSequence 0x4u
#define WP_SlotObject 0x8u
#define WP_SlotLength 0xcu

struct wp_layout_Header {
	uint64_t Magic;
	uint32_t Version;
	uint32_t Length;
	uint64_t Generation;
	uint64_t Used;
	uint64_t Started;
	uint32_t Process;
	uint32_t Objects;
	uint32_t Table;
	uint32_t Driver;
	uint32_t DriverLen;
	uint32_t Schema;
	uint32_t SchemaLen;
	uint32_t Slots;
};
_Static_assert(offsetof(struct wp_layout_Header, Magic) == WP_HeaderMagic, "HeaderMagic");
_Static_assert(offsetof(struct wp_layout_Header, Version) == WP_HeaderVersion, "HeaderVersion");
_Static_assert(offsetof(struct wp_layout_Header, Length) == WP_HeaderLength, "HeaderLength");
_Static_assert(offsetof(struct wp_layout_Header, Generation) == WP_HeaderGeneration, "HeaderGeneration");
_Static_assert(offsetof(struct wp_layout_Header, Used) == WP_HeaderUsed, "HeaderUsed");
_Static_assert(offsetof(struct wp_layout_Header, Started) == WP_HeaderStarted, "HeaderStarted");
_Static_assert(offsetof(struct wp_layout_Header, Process) == WP_HeaderProcess, "HeaderProcess");
_Static_assert(offsetof(struct wp_layout_Header, Objects) == WP_HeaderObjects, "HeaderObjects");
_Static_assert(offsetof(struct wp_layout_Header, Table) == WP_HeaderTable, "HeaderTable");
_Static_assert(offsetof(struct wp_layout_Header, Driver) == WP_HeaderDriver, "HeaderDriver");
_Static_assert(offsetof(struct wp_layout_Header, DriverLen) == WP_HeaderDriverLen, "HeaderDriverLen");
_Static_assert(offsetof(struct wp_layout_Header, Schema) == WP_HeaderSchema, "HeaderSchema");
_Static_assert(offsetof(struct wp_layout_Header, SchemaLen) == WP_HeaderSchemaLen, "HeaderSchemaLen");
_Static_assert(offsetof(struct wp_layout_Header, Slots) == WP_HeaderSlots, "HeaderSlots");
_Static_assert(sizeof(struct wp_layout_Header) <= 128, "Header");

struct wp_layout_Object {
	uint32_t Head;
	uint32_t HeadLen;
	uint32_t Block;
	uint32_t Flags;
};
_Static_assert(offsetof(struct wp_layout_Object, Head) == WP_ObjectHead, "ObjectHead");
_Static_assert(offsetof(struct wp_layout_Object, HeadLen) == WP_ObjectHeadLen, "ObjectHeadLen");
_Static_assert(offsetof(struct wp_layout_Object, Block) == WP_ObjectBlock, "ObjectBlock");
_Static_assert(offsetof(struct wp_layout_Object, Flags) == WP_ObjectFlags, "ObjectFlags");
_Static_assert(sizeof(struct wp_layout_Object) <= 32, "Object");

struct wp_layout_Slot {
	uint32_t Size;
	uint32_t Sequence;
	uint32_t Object;
	uint32_t Length;
};
_Static_assert(offsetof(struct wp_layout_Slot, Size) == WP_SlotSize, "SlotSize");
_Static_assert(offsetof(struct wp_layout_Slot, Sequence) == WP_SlotSequence, "SlotSequence");
_Static_assert(offsetof(struct wp_layout_Slot, Object) == WP_SlotObject, "SlotObject");
_Static_assert(offsetof(struct wp_layout_Slot, Length) == WP_SlotLength, "SlotLength");
_Static_assert(sizeof(struct wp_layout_Slot) <= 16, "Slot");

/* Types whose values can be published, and their bytes. */
#define WP_TYPES(X) \
	X(0x00000000u, 4u) \
	X(0x00000100u, 8u) \
	X(0x00010000u, 4u) \
	X(0x00010100u, 8u) \
	X(0x00012000u, 8u) \
	X(0x00020000u, 4u) \
	X(0x00020100u, 8u) \
	X(0x00400400u, 4u) \
	X(0x00400500u, 8u) \
	X(0x00410400u, 4u) \
	X(0x00450400u, 4u) \
	X(0x00450500u, 8u) \
	X(0x00550500u, 8u) \
	X(0x00650500u, 8u) \
	X(0x10410400u, 4u) \
	X(0x10410500u, 8u) \
	X(0x20020400u, 4u) \
	X(0x20020500u, 8u) \
	X(0x20410500u, 8u) \
	X(0x20470500u, 8u) \
	X(0x20510500u, 8u) \
	X(0x20570500u, 8u) \
	X(0x20610500u, 8u) \
	X(0x20670500u, 8u) \
	X(0x20c20400u, 4u) \
	X(0x21410500u, 8u) \
	X(0x21510500u, 8u) \
	X(0x22410500u, 8u) \
	X(0x22510500u, 8u) \
	X(0x23410500u, 8u) \
	X(0x23510500u, 8u) \
	X(0x30020400u, 8u) \
	X(0x30240500u, 8u) \
	X(0x40020500u, 8u) \
	X(0x40030401u, 4u) \
	X(0x40030402u, 4u) \
	X(0x40030403u, 4u) \
	X(0x40030500u, 8u) \
	X(0x40030503u, 8u) \
	X(0x42030500u, 8u) \
	X(0x80000000u, 4u)

#endif
