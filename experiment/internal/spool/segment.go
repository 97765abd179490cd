package spool

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	headSize = 32
	magic    = "wpsp"
	suffix   = ".segment"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Entry is what was appended at a time.
type Entry struct {
	Number uint64
	Time   time.Time
	Data   []byte
}

// segment is one file: entries with the numbers from first on.
type segment struct {
	name   string
	first  uint64
	size   int64     // of the bytes that count; nobody reads beyond
	newest time.Time // when its last entry was appended
}

func segmentName(first uint64) string { return fmt.Sprintf("%020d%s", first, suffix) }

// parseSegment reads a file's name; false where it is no segment's.
func parseSegment(name string) (first uint64, ok bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	first, err := strconv.ParseUint(digits, 10, 64)
	return first, ok && err == nil && first > 0
}

// appendEntry appends the bytes of an entry.
func appendEntry(dst []byte, e Entry) []byte {
	begin := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(e.Data)))
	dst = binary.LittleEndian.AppendUint64(dst, e.Number)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.Time.UnixNano()))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(e.Data, castagnoli))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[begin:], castagnoli))
	return append(dst, e.Data...)
}

// beyondRoom is how many of the first entries find no room beside those behind them.
func beyondRoom(data [][]byte, room int64) int {
	for i := len(data) - 1; i >= 0; i-- {
		if room -= headSize + int64(len(data[i])); room < 0 {
			return i + 1
		}
	}
	return 0
}

// head is the head of an entry that is whole.
type head struct {
	length int64
	number uint64
	time   time.Time
	sum    uint32
}

// parseHead reads a head; false where there is none.
func parseHead(b []byte) (h head, ok bool) {
	if len(b) < headSize || string(b[:4]) != magic {
		return h, false
	}
	if crc32.Checksum(b[:28], castagnoli) != binary.LittleEndian.Uint32(b[28:]) {
		return h, false
	}
	return head{
		length: int64(binary.LittleEndian.Uint32(b[4:])),
		number: binary.LittleEndian.Uint64(b[8:]),
		time:   time.Unix(0, int64(binary.LittleEndian.Uint64(b[16:]))).UTC(),
		sum:    binary.LittleEndian.Uint32(b[24:]),
	}, true
}

// scan goes through the bytes of a segment from an offset on and calls each with every
// entry that is whole, whose data are valid until each returns, and with the offset
// behind it, until each returns false. Damage is passed over: it goes on at the next head.
func scan(f *os.File, offset, size int64, each func(e Entry, end int64) bool) error {
	var data []byte
	buf := make([]byte, headSize)
	for offset+headSize <= size {
		if _, err := f.ReadAt(buf, offset); err != nil {
			return err
		}

		h, ok := parseHead(buf)
		if !ok || h.length > size-offset-headSize {
			next, err := nextHead(f, offset+1, size)
			if err != nil {
				return err
			}
			offset = next
			continue
		}

		if int64(cap(data)) < h.length {
			data = make([]byte, h.length)
		}
		data = data[:h.length]
		if _, err := f.ReadAt(data, offset+headSize); err != nil {
			return err
		}
		offset += headSize + h.length
		if crc32.Checksum(data, castagnoli) != h.sum {
			continue
		}
		if !each(Entry{h.number, h.time, data}, offset) {
			return nil
		}
	}
	return nil
}

// nextHead returns the offset of the next bytes that look like a head, or size. What
// begins there is checked by scan.
func nextHead(f *os.File, offset, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for offset+headSize <= size {
		n := min(int64(len(buf)), size-offset)
		if _, err := f.ReadAt(buf[:n], offset); err != nil {
			return 0, err
		}
		if i := bytes.Index(buf[:n], []byte(magic)); i >= 0 {
			return offset + int64(i), nil
		}
		offset += n - int64(len(magic)) + 1 // the word may be half in this piece
	}
	return size, nil
}
