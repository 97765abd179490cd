// Package capture writes and reads winperf's own log format: raw samples, byte for byte as
// the system returned them, with the names and all other data needed to decode them. A
// [Writer] appends samples, [Open] reads the index of a [File], and a [Cursor] reads its
// samples. The package uses readers and writers and opens no file; source.Open opens a
// capture by name.
//
// # Properties
//
// A capture only grows at its end. Each sample reaches the underlying writer in one call
// and complete: a writer that is killed loses at most the current sample, and the rest of
// the file is as good as a closed one. All records have checksums. Damage affects only its
// record: readers find the next record by its mark and report the skipped bytes. Names and
// other data that several samples need are stored twice.
//
// A false length in a file costs little memory: readers allocate it while they decompress
// the payload. A record that has a wrong checksum, or is longer than its kind allows, is
// damaged. A sample, a reference or a schema may have 64 MiB, a schema 131,072 sections,
// an index 128 schemas.
//
// # Format
//
// All numbers are little-endian. A FILETIME counts 100 ns since 1601-01-01 UTC; 0 means
// unknown. CRC-32C is the checksum of RFC 3720 (Castagnoli). An identity is the first 8
// bytes of the SHA-256 of the content it identifies.
//
// The file consists of a file head of 24 bytes and records:
//
//	 0  8  89 57 50 43 0D 0A 1A 0A
//	 8  4  version: 2; version 1 has no samples of several parts
//	12  4  file id, a number that all records repeat
//	16  4  0
//	20  4  CRC-32C of the 20 bytes before
//
// A record is a head of 48 bytes and a payload:
//
//	 0  4  mark: C5 57 50 52
//	 4  1  kind: 1 schema, 2 reference, 3 sample, 4 index, 5 end; skip other kinds
//	 5  1  compression of the payload: 0 none, 1 deflate (RFC 1951)
//	 6  2  0
//	 8  4  file id
//	12  4  stored length of the payload
//	16  4  length of the payload without compression
//	20  4  CRC-32C of the payload as stored
//	24  8  number of the record, from 0
//	32  8  key: of a sample its time as FILETIME, of a schema or reference its identity,
//	       else 0
//	40  4  0
//	44  4  CRC-32C of the 44 bytes before
//
// The payload of a schema is a list of sections, each a u32 tag, a u32 length and as many
// bytes. Skip sections with unknown tags:
//
//	1  interface of the samples (winperf.Schema.Interface), UTF-8
//	2  title indices of costly objects, 4 bytes each
//	3  name table: u32 length and language in UTF-8, u32 length and the counter
//	   names, u32 length and the help texts, both as in winperf.NameTable
//	4  damage of the names: one byte, 1 for a warning (nothing lost), else 0,
//	   and the text, UTF-8
//	5  counter set: GUID, u32 title index, registration information (winperf.CounterSet)
//	6  an object of another interface than section 1: u32 title index, interface, UTF-8
//	7  time zone of the machine, with its rules in the year of the first sample: the 172
//	   bytes of TIME_ZONE_INFORMATION of timezoneapi.h
//	8  writer of the samples, or of the log they were converted from, UTF-8
//
// The payload of a reference is the bytes of a sample. The payload of a sample is:
//
//	 0  1  format (winperf.Format)
//	 1  1  quirks (winperf.Quirks)
//	 2  2  0
//	 4  4  length of the sample's bytes
//	 8  8  identity of its schema, 0 for none
//	16  8  identity of its reference, 0 for none
//	24 40  the clocks of winperf.Raw, five of 8 bytes in the order of counter.Clocks
//	64     the sample's bytes or, with a reference, their difference from it
//
// A sample of several parts has the format 255. Its bytes begin with the number of parts (8
// bytes), then follows for each part:
//
//	 0  1  format
//	 1  1  quirks
//	 2  2  flags: 1 no block; 2 the block is the same as in the previous sample;
//	       4 with flag 2: the block is omitted here; 8 only some of its objects belong
//	       to the sample; 16 the part is sampled on its own schedule
//	 4  4  length of the block, 0 if none or omitted
//	 8 40  clocks
//	48  8  with flag 2: offset in the file of the earlier sample record that has the
//	       block; with flag 4 this record is in the same group
//	56  2  length of the part's name, UTF-8
//	58  2  length of the reason why the part has no block, UTF-8
//	60  2  number of objects that belong to the sample
//	62  2  0
//	64     the name, the reason, and of each object u32 title index and GUID
//
// The blocks follow the parts, each at a multiple of 8 bytes.
//
// A difference rebuilds the sample from 8-byte words of its reference. Words are counted
// from 0 in both. Word w of the sample corresponds to word w+shift of the reference; shift
// is 0 at first. The difference begins with an unsigned LEB128 number, the length in bytes
// of a list of steps. The list follows. A step is three LEB128 numbers: the number of
// words that are equal to the reference; the number of other words, which follow; and the
// change of the shift after them (signed, zigzag). Each other word has a literal: the
// exclusive or of the word and the corresponding word of the reference, or the word itself
// if the reference has no such word. Behind the steps are the literals, then the last
// bytes of the sample that do not fill a word. A sample is at most four times as long as
// its reference and the difference together.
//
// Samples form groups. A group begins with its reference and ends with a copy of it and an
// index record. A new schema precedes its first sample and is written again later in the
// file. The payload of an index is not compressed:
//
//	 0  8  offset in the file of the previous index, 0 for none
//	 8  8  offset of the first record of the group
//	16  4  number of samples in the group
//	20  4  number of schemas
//	24  8  earliest time of its samples, FILETIME
//	32  8  latest time
//	40     for each schema of its samples: 8 bytes identity, 8 bytes offset of its latest record
//
// A closed capture ends with an end record, whose payload is not compressed: u64 offset of
// the last index, u64 number of samples in the file. A writer that appends leaves this
// record in place. If the end record is missing or an index is damaged, readers rebuild the
// index from the heads of the records.
package capture

// A difference is always from the first sample of its group, which the file stores twice,
// so damage affects one sample. Deflate is in the standard library and every other
// language; zstd with a dictionary is no better on such differences (docs/measured.md).
