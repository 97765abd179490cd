// Package capture writes and reads winperf's own file of raw samples: every sample
// byte for byte as the system gave it, together with the names and everything else
// that is needed to decode it again years later. A [Writer] appends samples; [Open]
// finds out what is in a [File], and a [Cursor] walks over it. The package works on
// readers and writers and opens no file itself: source.Open reads a capture by its
// name, as a recorded source.
//
// # Properties
//
// A capture is only ever appended to. Each sample reaches the underlying writer
// in one call and complete, so that a writer that is killed loses at most the
// sample that was being written; the rest of the file is as good as a
// closed one. All records carry checksums. Damage costs the record it is in:
// readers find the next one by its mark, and say which bytes they passed over.
// What several samples need, names and references, stands in the file twice.
//
// A length that a file claims is not believed: memory is taken only as bytes come out
// of a payload, and a record that claims more than its kind may hold is damaged, like
// one with a wrong checksum. A sample, a reference or a schema may hold 64 MiB
// (maxBytes), a schema 131,072 sections, an index 128 schemas.
//
// # Format
//
// All numbers are little-endian. A FILETIME counts 100 ns since 1601-01-01 UTC,
// 0 stands for unknown. CRC-32C is the checksum of RFC 3720 (Castagnoli). An
// identity is the first 8 bytes of the SHA-256 of the content that it stands for.
//
// The file begins with 24 bytes and goes on with records to its end:
//
//	 0  8  89 57 50 43 0D 0A 1A 0A
//	 8  4  version: 2; version 1 has no samples of several parts
//	12  4  file id, a number that all records repeat
//	16  4  0
//	20  4  CRC-32C of the 20 bytes before
//
// A record is a head of 48 bytes with a payload behind it:
//
//	 0  4  mark: C5 57 50 52
//	 4  1  kind: 1 schema, 2 reference, 3 sample, 4 index, 5 end; others are to be passed over
//	 5  1  compression of the payload: 0 none, 1 deflate (RFC 1951)
//	 6  2  0
//	 8  4  file id
//	12  4  stored length of the payload
//	16  4  length of the payload without compression
//	20  4  CRC-32C of the payload as stored
//	24  8  number of the record, from 0
//	32  8  key: of a sample its time as FILETIME, of a schema or reference its identity
//	40  4  0
//	44  4  CRC-32C of the 44 bytes before
//
// The payload of a schema is a list of sections, each a u32 tag, a u32 length
// and as many bytes; sections of unknown tags are to be passed over:
//
//	1  interface, UTF-8
//	2  title indices of costly objects, 4 bytes each
//	3  name table: u32 length and language in UTF-8, u32 length and the counter
//	   names, u32 length and the help texts, both as in winperf.NameTable
//	4  something that was wrong with the names: one byte, 1 where nothing was lost by it,
//	   0 otherwise, and the text, UTF-8
//	5  counter set: GUID, u32 title index, registration information (winperf.CounterSet)
//	6  an object that comes from another interface than that of section 1: u32 title
//	   index, interface, UTF-8
//	7  time zone of the machine, with its rules in the year of the first sample: the 172
//	   bytes of TIME_ZONE_INFORMATION of timezoneapi.h
//	8  what wrote the samples, or the log that they were converted from, UTF-8
//
// The payload of a reference is the bytes of a sample. That of a sample is:
//
//	 0  1  format (winperf.Format)
//	 1  1  quirks (winperf.Quirks)
//	 2  2  0
//	 4  4  length of the sample's bytes
//	 8  8  identity of its schema, 0 for none
//	16  8  identity of its reference, 0 for none
//	24 40  the clocks of winperf.Raw, five of 8 bytes in the order of counter.Clocks
//	64     the sample's bytes, or, where there is a reference, their difference from it
//
// A sample of several parts has the format 255, and as its bytes:
//
//	 0  8  number of parts, and for each of them:
//	 0  1  format
//	 1  1  quirks
//	 2  2  1 there is no block; 2 the block is that of the same part in the sample
//	       before; 4 it is not stored again; 8 only some of its objects belong to the sample;
//	       16 the part is collected beside the others
//	 4  4  length of the block, 0 where there is none or it is not stored again
//	 8 40  clocks
//	48  8  of a block that is that of the sample before: the offset in the file of the
//	       sample's record that has it, which stands in the same group where it is
//	       not stored again
//	56  2  length of the part's name, UTF-8
//	58  2  length of the text that says why there is no block, UTF-8
//	60  2  number of objects that belong to the sample
//	62  2  0
//	64     the name, the text, and of each object u32 title index and GUID
//
// Behind the last of them stand the blocks, each at a multiple of 8 bytes.
//
// A difference rebuilds the sample from 8-byte words of its reference. Words w are
// counted from 0 in both; the shift tells that word w of the sample corresponds
// to word w+shift of the reference, and is 0 at first. The difference begins with the
// length in bytes of a list of steps, an unsigned LEB128 number, and the list. A
// step is three LEB128 numbers: so many words are those of the
// reference; then so many words are the exclusive or of a literal and the word of the reference, or the
// literal where the reference has no such word; then the shift changes by a
// number (signed, zigzag). Behind the steps stand the literals, and last the bytes of
// the sample that make no whole word. A sample is at most four times as long as its reference and the
// difference together.
//
// Samples come in groups. In front of the first sample of a group stands its
// reference, behind the last one a copy of the reference and an index record. In
// front of a sample of a new schema stands the schema; copies follow in the course of the file.
// The payload of an index is not compressed:
//
//	 0  8  offset in the file of the index before, 0 for none
//	 8  8  offset of the first record of the group
//	16  4  number of samples in the group
//	20  4  number of schemas
//	24  8  earliest time of its samples, FILETIME
//	32  8  latest time
//	40     for each schema of its samples: 8 bytes identity, 8 bytes offset of its latest record
//
// A capture that was closed ends with an end record, whose payload is not
// compressed: u64 offset of the last index, u64 number of samples in the file.
// A writer that appends leaves it where it is. Without one, and where an index is
// damaged, the index is made again from the heads of the records.
package capture

// Choices worth knowing here:
//
// A capture keeps samples as their difference from another sample of the file, in words of 8
// bytes, and deflates what is left (the standard library's, whose 32 KiB window does not reach
// from one sample into the next by itself). That beats zstd with a dictionary where much is
// the same and comes near it elsewhere (docs/measured.md), so there is no dependency, and any
// program that has deflate can read the format by the description above. A difference is
// always from the first sample of its group, of which the file has two copies, so that damage
// costs one sample. Parts of a sample are one piece of bytes in its record; a block that is
// that of the sample before is not stored again within a group.
