package pdhlog

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/winperf/winperf"
)

// blgOutput writes the container: buffers of events.
type blgOutput struct {
	w       io.Writer
	head    BLGHeader
	guid    [16]byte
	buf     []byte // the buffer at hand; empty: none is begun
	buffers int64  // written so far
	last    int64  // FILETIME of the last event, UTC
	start   int64  // where the log begins in a writer that can seek, -1 = it cannot
}

// The system that a log says it was written by: that whose logs have this form.
const (
	blgWindowsMajor, blgWindowsMinor, blgWindowsBuild = 6, 2, 9200
	blgTimerResolution                                = 156_250     // 100 ns
	blgLogMode                                        = 0x3002_0801 // as in a real log
	blgSystemClock                                    = 2           // the time stamps are the system time
)

// begin writes the first buffer, which holds the head only.
func (o *blgOutput) begin(head BLGHeader) error {
	o.head, o.guid = head, head.GUID
	o.start = -1
	if s, ok := o.w.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil {
			o.start = at
		}
	}
	o.last = winperf.ToFiletime(head.Start)
	o.open()
	o.buf = o.appendHead(o.buf)
	return o.flush()
}

// open begins a buffer.
func (o *blgOutput) open() {
	if cap(o.buf) < o.head.BufferSize {
		o.buf = make([]byte, 0, o.head.BufferSize)
	}
	o.buf = o.buf[:blgBufferHeader]
	clear(o.buf)
	le := binary.LittleEndian
	le.PutUint32(o.buf[blgAtSize:], uint32(o.head.BufferSize))
	le.PutUint64(o.buf[blgAtSequence:], uint64(o.buffers))
	o.buf[blgAtAlign] = 8
	le.PutUint32(o.buf[blgAtState:], 3)
	if o.buffers == 0 {
		le.PutUint16(o.buf[blgAtFlag:], 1)
		le.PutUint16(o.buf[blgAtType:], 4)
	}
}

// flush writes the buffer at hand, if there is one.
func (o *blgOutput) flush() error {
	if len(o.buf) == 0 {
		return nil
	}
	used := len(o.buf)
	le := binary.LittleEndian
	le.PutUint32(o.buf[blgAtUsed:], uint32(used))
	le.PutUint64(o.buf[blgAtTime:], uint64(o.last))
	o.buf = o.buf[:o.head.BufferSize]
	for i := range o.buf[used:] {
		o.buf[used+i] = 0xFF
	}
	n, err := o.w.Write(o.buf)
	if err == nil && n < len(o.buf) {
		err = io.ErrShortWrite
	}
	o.buf = o.buf[:0]
	o.buffers++
	return err
}

func (o *blgOutput) size() int64 {
	return o.buffers*int64(o.head.BufferSize) + int64(len(o.buf))
}

// record writes a record, in several events if it is long. local is the local
// time of its events, utc the instant.
func (o *blgOutput) record(typ byte, local, utc int64, b []byte) error {
	o.last = utc
	parts := max(1, (len(b)+blgPart-1)/blgPart)
	if parts > blgMaxParts {
		return fmt.Errorf("a record of %d bytes in a binary log, expected at most %d: %w", len(b), blgMaxParts*blgPart, winperf.ErrNotSupported)
	}
	for part := range parts {
		payload := b[part*blgPart : min(len(b), (part+1)*blgPart)]
		if err := o.event(typ, local, uint32(part+1), uint32(parts), payload); err != nil {
			return err
		}
	}
	return nil
}

func (o *blgOutput) event(typ byte, local int64, part, parts uint32, payload []byte) error {
	size := blgEventHeader + blgPrefix + len(payload)
	if at := align8(len(o.buf)); len(o.buf) > 0 && at+size > o.head.BufferSize {
		if err := o.flush(); err != nil {
			return err
		}
	}
	if len(o.buf) == 0 {
		o.open()
	}
	le := binary.LittleEndian
	b := pad8(o.buf, 0)
	b = le.AppendUint16(b, uint16(size))
	b = append(b, blgClassic64, blgMarker, typ, 0)
	b = le.AppendUint16(b, blgVersion)
	b = le.AppendUint64(b, 0) // thread and process
	b = le.AppendUint64(b, uint64(local))
	b = append(b, blgProvider[:]...)
	b = le.AppendUint64(b, 0) // kernel and user time
	b = append(b, o.guid[:]...)
	b = le.AppendUint32(b, part)
	b = le.AppendUint32(b, parts)
	o.buf = append(b, payload...)
	return nil
}

// appendHead appends the first event: SYSTEM_TRACE_HEADER and
// TRACE_LOGFILE_HEADER of evntrace.h, with pointers of 8 bytes.
func (o *blgOutput) appendHead(b []byte) []byte {
	le := binary.LittleEndian
	h := &o.head
	start := len(b)
	u32 := func(values ...uint32) {
		for _, v := range values {
			b = le.AppendUint32(b, v)
		}
	}
	u64 := func(values ...uint64) {
		for _, v := range values {
			b = le.AppendUint64(b, v)
		}
	}
	b = append(b, 0, 0, blgSystem64, blgMarker)
	u32(0)    // size, below
	u32(0, 0) // thread and process
	u64(filetimeOf(h.Start))
	u32(0, 0) // kernel and user time
	u32(uint32(h.BufferSize))
	b = append(b, h.Major, h.Minor, 0, 0)
	u32(h.Build, uint32(max(h.Processors, 1)))
	u64(filetimeOf(h.End))
	u32(blgTimerResolution, 0, blgLogMode, uint32(h.Buffers))
	u32(1, 8, uint32(h.EventsLost), 0)
	u64(0, 0) // pointers to the names
	b = h.Zone.append(b)
	b = pad8(b, start)
	u64(0, uint64(h.PerfFreq), filetimeOf(h.Start)) // first the time of the system's start
	u32(blgSystemClock, 0)
	b = appendUTF16Z(b, strings.Trim(winperf.GUID(o.guid).String(), "{}"))
	b = appendUTF16Z(b, h.LogName)
	le.PutUint16(b[start+4:], uint16(len(b)-start))
	return b
}

// end writes the last buffer, and the number of buffers and the time of the end
// into the first one where that is possible.
func (o *blgOutput) end() error {
	if err := o.flush(); err != nil || o.start < 0 {
		return err
	}
	s := o.w.(io.Seeker)
	if _, err := s.Seek(o.start, io.SeekStart); err != nil {
		return err
	}
	o.head.Buffers = int(min(o.buffers, math.MaxInt32))
	o.head.End = winperf.FromFiletime(o.last)
	all := o.buffers
	o.buffers = 0
	o.open()
	o.buf = o.appendHead(o.buf)
	err := o.flush()
	o.buffers = all
	if err != nil {
		return err
	}
	_, err = s.Seek(o.start+all*int64(o.head.BufferSize), io.SeekStart)
	return err
}

// longestName is how much of a log's name has a place in the head, in bytes.
const longestName = 2048

// fitName cuts a name at its end where it is too long.
func fitName(s string) string {
	if len(s) <= longestName {
		return s
	}
	return strings.ToValidUTF8(s[:longestName], "")
}

// filetimeOf is a time as FILETIME, 0 for none.
func filetimeOf(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(winperf.ToFiletime(t))
}

func align8(n int) int { return (n + 7) &^ 7 }

// pad8 appends zeros until what began at start has a length that is a multiple
// of 8.
func pad8(b []byte, start int) []byte {
	return append(b, make([]byte, align8(len(b)-start)-(len(b)-start))...)
}

// appendUTF16Z appends a string in UTF-16LE with a terminator. It ends where
// the string has a NUL.
func appendUTF16Z(b []byte, s string) []byte {
	for _, r := range s {
		if r == 0 {
			break
		}
		if high, low := utf16.EncodeRune(r); high != '\uFFFD' {
			b = binary.LittleEndian.AppendUint16(b, uint16(high))
			r = low
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(r))
	}
	return append(b, 0, 0)
}

// blgMaxName is the longest name that is read, in bytes: four times of what a
// path may have.
const blgMaxName = 16 << 10

// blgNames reads names that are given by their offsets. Offsets may be anything:
// the names must not be longer together than what they stand in, as each could
// be all of it.
type blgNames struct {
	b    []byte
	left int
}

func newBLGNames(b []byte) blgNames { return blgNames{b, len(b)} }

// at returns the name at an offset, without its terminator.
func (n *blgNames) at(offset int64) (name []byte, ok bool) {
	if offset < 0 || offset >= int64(len(n.b)) {
		return nil, false
	}
	name, ok = utf16Z(n.b[offset:min(offset+blgMaxName+2, int64(len(n.b)))])
	n.left -= len(name) + 2
	return name, ok && n.left >= 0
}

// utf16Z returns the text at the start of b up to its terminator, without it;
// ok is false where there is none. It looks at four characters at a time.
func utf16Z(b []byte) (text []byte, ok bool) {
	const low, high = 0x0001_0001_0001_0001, 0x8000_8000_8000_8000
	at := 0
	for ; len(b)-at >= 8; at += 8 {
		x := binary.LittleEndian.Uint64(b[at:])
		if zero := (x - low) &^ x & high; zero != 0 { // the lowest bit is right, those above it need not be
			at += bits.TrailingZeros64(zero) / 16 * 2
			return b[:at], true
		}
	}
	for ; at+1 < len(b); at += 2 {
		if b[at] == 0 && b[at+1] == 0 {
			return b[:at], true
		}
	}
	return nil, false
}
