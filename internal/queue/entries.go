package queue

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"time"
)

// OpenEntries opens the queue of byte slices in a directory, which is created if it does
// not exist. An error wraps ErrInUse, queuedir.ErrUnsafe, or is the system's.
//
// An entry is a head of 32 bytes, little-endian, and its data:
//
//	 0  4  the bytes "wpsp"
//	 4  4  the length of the data
//	 8  8  the number of the entry, from 1
//	16  8  the time it was appended, nanoseconds since 1970 in UTC
//	24  4  CRC-32C of the data
//	28  4  CRC-32C of the 28 bytes before
//
// When a queue is opened, an incomplete last entry is truncated. Other damage affects only
// its entries: readers search the next head.
func OpenEntries(dir string, opt Options) (*Queue[[]byte], error) { return open(dir, &entries, opt) }

const (
	entryHead = 32
	entryMark = "wpsp"
)

var entries = format[[]byte]{
	extension: ".segment", digits: 20,

	write: func(w io.Writer, first uint64) writer[[]byte] { return &entryWriter{w: w, first: first} },
	read: func(r io.ReaderAt, _ int64, first uint64) (cursor[[]byte], error) {
		return &entryCursor{r: r, number: first}, nil
	},
	look: lookAtEntries,
	size: func(data *[]byte) int64 { return entryHead + int64(len(*data)) },
}

// lookAtEntries is format.look. Only the last segment can have an incomplete entry.
func lookAtEntries(r io.ReaderAt, size int64, first, next uint64) (items int, whole int64, err error) {
	if next > 0 {
		return int(next - first), size, nil
	}
	c := entryCursor{r: r, number: first}
	var data []byte
	for err == nil {
		_, err = c.next(context.Background(), size, &data)
	}
	if !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	return int(c.number - first), c.offset, nil
}

// entryWriter writes entries. All entries of a call reach the underlying writer at once.
type entryWriter struct {
	w       io.Writer
	first   uint64
	written int64
	count   int
	buf     []byte
}

func (w *entryWriter) items() int  { return w.count }
func (w *entryWriter) size() int64 { return w.written }

func (w *entryWriter) write(items []*[]byte) error {
	w.buf = w.buf[:0]
	now := time.Now()
	for i, data := range items {
		w.buf = appendEntry(w.buf, w.first+uint64(w.count+i), now, *data)
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return err
	}
	w.written += int64(len(w.buf))
	w.count += len(items)

	const most = 1 << 20 // memory kept for the next call
	if cap(w.buf) > most {
		w.buf = nil
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendEntry(dst []byte, number uint64, at time.Time, data []byte) []byte {
	begin := len(dst)
	dst = append(dst, entryMark...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(data)))
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(at.UnixNano()))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(data, castagnoli))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[begin:], castagnoli))
	return append(dst, data...)
}

// entryCursor reads entries. It skips damage and repeated numbers.
type entryCursor struct {
	r      io.ReaderAt
	offset int64  // end of the last entry
	number uint64 // of the next entry, at least
	head   [entryHead]byte
}

func (c *entryCursor) next(_ context.Context, size int64, data *[]byte) (uint64, error) {
	for offset := c.offset; offset+entryHead <= size; {
		if _, err := c.r.ReadAt(c.head[:], offset); err != nil {
			return 0, err
		}
		h, ok := parseHead(c.head[:])
		if !ok || h.length > size-offset-entryHead {
			next, err := nextHead(c.r, offset+1, size)
			if err != nil {
				return 0, err
			}
			offset = next
			continue
		}

		content := make([]byte, h.length)
		if _, err := c.r.ReadAt(content, offset+entryHead); err != nil {
			return 0, err
		}
		offset += entryHead + h.length
		if crc32.Checksum(content, castagnoli) == h.sum && h.number >= c.number && h.number < maxNumber {
			*data, c.offset, c.number = content, offset, h.number+1
			return h.number, nil
		}
	}
	return 0, io.EOF
}

type head struct {
	length int64
	number uint64
	sum    uint32
}

func parseHead(b []byte) (h head, ok bool) {
	sum := binary.LittleEndian.Uint32(b[28:])
	if string(b[:4]) != entryMark || crc32.Checksum(b[:28], castagnoli) != sum {
		return h, false
	}
	return head{
		length: int64(binary.LittleEndian.Uint32(b[4:])),
		number: binary.LittleEndian.Uint64(b[8:]),
		sum:    binary.LittleEndian.Uint32(b[24:]),
	}, true
}

func nextHead(r io.ReaderAt, offset, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for offset+entryHead <= size {
		n := min(int64(len(buf)), size-offset)
		if _, err := r.ReadAt(buf[:n], offset); err != nil {
			return 0, err
		}
		if i := bytes.Index(buf[:n], []byte(entryMark)); i >= 0 {
			return offset + int64(i), nil
		}
		offset += n - int64(len(entryMark)) + 1 // the mark may cross the end of the buffer
	}
	return size, nil
}
