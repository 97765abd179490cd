package capture

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

const (
	fileHeadSize = 24
	headSize     = 48
	version      = 2

	// maxLength limits both lengths of a valid head.
	maxLength = 1 << 30
)

// maxBytes limits one sample, and the names of samples: 64 MiB, as a source accepts from a
// machine. All objects of a large server have some 14 MiB.
const maxBytes = 64 << 20

// magic begins every capture. Like PNG's it shows whether the file was transferred as text.
var magic = [8]byte{0x89, 'W', 'P', 'C', '\r', '\n', 0x1a, '\n'}

var mark = [4]byte{0xc5, 'W', 'P', 'R'}

// Magic returns the first bytes of every capture.
func Magic() []byte { return magic[:] }

type kind uint8

const (
	kindSchema kind = 1 + iota
	kindReference
	kindSample
	kindIndex
	kindEnd
)

func (k kind) String() string {
	if k >= kindSchema && k <= kindEnd {
		names := [...]string{"a record of names", "a reference", "a sample", "an index", "the end record"}
		return names[k-kindSchema]
	}
	return fmt.Sprintf("a record of kind %d", uint8(k))
}

// most returns the greatest length of a record's payload, stored and without compression.
func (k kind) most() uint32 {
	switch k {
	case kindIndex:
		return indexSize + maxIndexed*indexedSize
	case kindEnd:
		return endSize
	case kindSample:
		return sampleHeadSize + maxBytes
	}
	return maxBytes
}

// The compression of a payload.
const (
	stored uint8 = iota
	deflated
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

func appendFileHead(b []byte, id uint32) []byte {
	at := len(b)
	b = append(b, magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.LittleEndian.AppendUint32(b, 0)
	return binary.LittleEndian.AppendUint32(b, checksum(b[at:]))
}

type head struct {
	kind        kind
	compression uint8
	file        uint32 // file id
	stored      uint32 // bytes of the payload in the file
	size        uint32 // bytes of the payload without compression
	sum         uint32 // of the stored payload
	number      uint64
	key         uint64 // time or identity

	offset int64 // of the record
}

func (h *head) end() int64 { return h.offset + headSize + int64(h.stored) }

func (h *head) put(b []byte) {
	b = b[:headSize]
	clear(b)
	copy(b, mark[:])
	b[4], b[5] = byte(h.kind), h.compression
	binary.LittleEndian.PutUint32(b[8:], h.file)
	binary.LittleEndian.PutUint32(b[12:], h.stored)
	binary.LittleEndian.PutUint32(b[16:], h.size)
	binary.LittleEndian.PutUint32(b[20:], h.sum)
	binary.LittleEndian.PutUint64(b[24:], h.number)
	binary.LittleEndian.PutUint64(b[32:], h.key)
	binary.LittleEndian.PutUint32(b[44:], checksum(b[:44]))
}

// parseHead reads the head at the beginning of b; ok is false if it is missing or damaged.
func parseHead(b []byte, offset int64) (h head, ok bool) {
	if len(b) < headSize || [4]byte(b[:4]) != mark {
		return head{}, false
	}
	h = head{
		kind:        kind(b[4]),
		compression: b[5],
		file:        binary.LittleEndian.Uint32(b[8:]),
		stored:      binary.LittleEndian.Uint32(b[12:]),
		size:        binary.LittleEndian.Uint32(b[16:]),
		sum:         binary.LittleEndian.Uint32(b[20:]),
		number:      binary.LittleEndian.Uint64(b[24:]),
		key:         binary.LittleEndian.Uint64(b[32:]),
		offset:      offset,
	}
	whole := binary.LittleEndian.Uint32(b[44:]) == checksum(b[:44])
	return h, whole && h.stored <= maxLength && h.size <= maxLength
}

// isFileHead reports whether b begins with a valid file head.
func isFileHead(b []byte) bool {
	return len(b) >= fileHeadSize && [8]byte(b[:8]) == magic &&
		checksum(b[:20]) == binary.LittleEndian.Uint32(b[20:])
}
