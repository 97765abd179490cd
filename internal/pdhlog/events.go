package pdhlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/winperf/winperf"
)

// events reads the events of a log, one buffer of the file at a time. Behind damage it
// continues at the next event with the GUID of the log or its provider.
type events struct {
	r      *bufio.Reader
	damage *damageList
	size   int      // of a buffer
	buf    []byte   // the current buffer
	offset int64    // of the buffer in the file
	read   int64    // bytes of the file
	count  int      // buffers read
	next   int64    // expected sequence number
	pos    int      // expected position of the next event
	limit  int      // end of the events
	sure   bool     // the buffer header contains limit
	guid   [16]byte // of the log, zero if unknown
}

// event is one event of a log. payload is part of the reader's buffer.
type event struct {
	typ         byte
	whole       bool // not known to be cut off
	local       int64
	part, parts uint32
	payload     []byte
	offset      int64
}

func (e *events) open(r io.Reader) error {
	e.r = bufio.NewReader(r)
	head, err := e.r.Peek(minBuffer)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if len(head) < minBuffer {
		return fmt.Errorf("%w: %w: the file has %d bytes, expected %d at least",
			winperf.ErrBadData, ErrNoLog, len(head), minBuffer)
	}

	le := binary.LittleEndian
	there := int64(le.Uint32(head[atSize:]))
	again := int64(le.Uint32(head[bufferHead+systemHead:]))
	possible, possibleAgain := possibleBuffer(there), possibleBuffer(again)
	switch {
	case !IsLog(head) && (there != again || !possible):
		return fmt.Errorf("%w: %w: expected the head of an event trace file at byte %d",
			winperf.ErrBadData, ErrNoLog, bufferHead)
	case !possible && !possibleAgain:
		return fmt.Errorf("%w: %w: buffers of %d bytes at offset 0, expected a multiple of 8 from %d to %d",
			winperf.ErrBadData, ErrNoLog, there, minBuffer, maxBuffer)
	case !possible:
		e.size = int(again)
	case !possibleAgain || there == again:
		e.size = int(there)
	default:
		if err := e.chooseSize(int(min(there, again)), int(max(there, again))); err != nil {
			return err
		}
	}

	if there != again {
		e.damage.at(0, "buffers of %d bytes, but of %d in the head; %d is used", there, again, e.size)
	}
	return e.fill()
}

func possibleBuffer(n int64) bool { return minBuffer <= n && n <= maxBuffer && n%8 == 0 }

// chooseSize selects one of two possible buffer sizes: every buffer begins with its size.
func (e *events) chooseSize(small, large int) error {
	e.r = bufio.NewReaderSize(e.r, small+4)
	first, err := e.r.Peek(small + 4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}

	e.size = large
	if len(first) < small+4 || binary.LittleEndian.Uint32(first[small:]) == uint32(small) {
		e.size = small
	}
	return nil
}

func (e *events) fill() error {
	if cap(e.buf) < e.size {
		e.buf = make([]byte, e.size)
	}
	e.offset = e.read
	n, err := io.ReadFull(e.r, e.buf[:e.size])
	e.buf, e.read = e.buf[:n], e.read+int64(n)

	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.damage.at(e.read, "the file is cut off within a buffer, %d bytes before its end", e.size-n)
	case err != nil:
		e.pos, e.limit = 0, 0 // later calls find no events
		return err
	}

	e.count++
	e.begin()
	return nil
}

func (e *events) begin() {
	e.pos, e.limit = bufferHead, len(e.buf)
	if len(e.buf) < bufferHead {
		e.pos = len(e.buf)
		return
	}

	le := binary.LittleEndian
	if size := le.Uint32(e.buf[atSize:]); size != uint32(e.size) && e.count > 1 {
		e.damage.at(e.offset, "a buffer of %d bytes, expected %d", size, e.size)
	}

	number := int64(le.Uint64(e.buf[atSequence:]))
	if number != e.next {
		e.damage.at(e.offset+atSequence, "buffer number %d, expected %d", number, e.next)
	}

	e.next = number + 1
	used := le.Uint32(e.buf[atUsed:])
	e.sure = bufferHead <= used && used <= uint32(e.size)
	if !e.sure {
		e.damage.at(e.offset+atUsed, "a buffer with %d bytes used, expected %d to %d",
			used, bufferHead, e.size)
	} else if int(used) < e.limit {
		e.limit = int(used)
	}
}

// event returns the next event of the log, or io.EOF.
func (e *events) event() (ev event, err error) {
	for {
		e.pos = align8(e.pos)
		if e.limit-e.pos < 8 || e.atFill() {
			if err := e.fill(); err != nil {
				return event{}, err
			}
			continue
		}

		at := e.pos
		end, found := e.extent(at)
		e.pos = end
		if found {
			return e.make(at, end), nil
		}
	}
}

func (e *events) atFill() bool {
	if !isFill(e.buf[e.pos:]) {
		return false
	}
	if e.sure && e.limit-e.pos >= 8 {
		e.damage.at(e.offset+int64(e.pos), "the buffer is empty from here on, expected events up to %#x",
			e.offset+int64(e.limit))
	}
	return true
}

// isFill reports whether b begins with the filler of unused buffer space.
func isFill(b []byte) bool { return len(b) >= 8 && binary.LittleEndian.Uint64(b) == 1<<64-1 }

// extent returns the end of the data at a position and reports whether they are an event of
// the log.
func (e *events) extent(at int) (end int, found bool) {
	ours := e.ours(at)
	size, least := eventSize(e.buf[at:e.limit])
	switch {
	case size < least || least == 0:
	case at+size <= e.limit && e.plausible(at+size):
		return at + size, ours && size >= eventHead+prefixLen
	case at+size > e.limit && at+size <= len(e.buf) && ours && e.followed(at+size):
		e.damage.at(e.offset+atUsed, "a buffer with %d bytes used, but an event ends at %d", e.limit, at+size)
		e.limit, e.sure = len(e.buf), false
		return at + size, true
	}

	end = e.search(at + 8)
	where := e.offset + int64(at)
	if !ours {
		e.damage.at(where, "%d bytes that are not an event", end-at)
		return end, false
	}

	if end == len(e.buf) && len(e.buf) < e.size {
		e.damage.at(where, "an event of %d bytes is cut off after %d", size, end-at)
	} else {
		e.damage.at(where, "an event of %d bytes, but the next one begins after %d", size, end-at)
	}
	return end, end-at >= eventHead+prefixLen
}

// eventSize returns the size of an event by its header and its least possible size, or 0
// for an unknown header (evntrace.h: SYSTEM_TRACE_HEADER, PERFINFO_TRACE_HEADER,
// EVENT_TRACE_HEADER, EVENT_HEADER).
func eventSize(b []byte) (size, least int) {
	if len(b) < 8 || b[3]&marker != marker {
		return 0, 0
	}
	switch b[2] {
	case system32, system64, 3, 4, 0x10, 0x11:
		return int(binary.LittleEndian.Uint16(b[4:])), 16
	case classic32, classic64, 0x12, 0x13:
		return int(binary.LittleEndian.Uint16(b)), eventHead
	}
	return int(binary.LittleEndian.Uint16(b)), 0
}

// plausible reports whether an event that ends at end is followed by another event or the
// end of the events.
func (e *events) plausible(end int) bool {
	end = align8(end)
	return e.limit-end < 8 || e.followed(end)
}

// followed is plausible for the whole buffer, whatever its header says.
func (e *events) followed(end int) bool {
	end = align8(end)
	if len(e.buf)-end < 8 || isFill(e.buf[end:]) {
		return true
	}
	size, least := eventSize(e.buf[end:])
	return least != 0 && size >= least || e.ours(end)
}

// ours reports whether the data at a position are an event of the log, by the GUID of the
// provider or of the log, because one of them may be damaged.
func (e *events) ours(at int) bool {
	const provider, log = 0x18, eventHead
	b := e.buf[at:]
	if len(b) >= provider+16 && [16]byte(b[provider:]) == providerGUID {
		return true
	}
	return e.guid != [16]byte{} && len(b) >= log+16 && [16]byte(b[log:]) == e.guid
}

// search returns the position of the next event of the log, from position at on.
func (e *events) search(at int) int {
	for ; at+eventHead+prefixLen <= e.limit; at += 8 {
		if e.ours(at) {
			return at
		}
	}
	return e.limit
}

// make decodes an event of the log.
func (e *events) make(at, end int) event {
	le := binary.LittleEndian
	b := e.buf[at:end]
	ev := event{
		typ:     b[4],
		local:   int64(le.Uint64(b[0x10:])),
		part:    le.Uint32(b[eventHead+16:]),
		parts:   le.Uint32(b[eventHead+20:]),
		payload: b[eventHead+prefixLen:],
		offset:  e.offset + int64(at),
		whole:   int(le.Uint16(b)) <= len(b),
	}

	e.check(ev.offset+0x18, winperf.GUID(b[0x18:]), providerGUID)
	if e.guid == [16]byte{} {
		e.guid = [16]byte(b[eventHead:])
	}
	e.check(ev.offset+eventHead, winperf.GUID(b[eventHead:]), e.guid)
	return ev
}

// check reports a GUID that differs from the other events.
func (e *events) check(offset int64, found, expected winperf.GUID) {
	if found != expected {
		e.damage.at(offset, "an event with the GUID %v, expected %v", found, expected)
	}
}
