package pdhlog

import (
	"encoding/binary"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/internal/zone"
)

// Offsets in TRACE_LOGFILE_HEADER of evntrace.h, before the fields that depend on the size
// of pointers.
const (
	atVersion    = 4
	atBuild      = 8
	atProcessors = 12
	atEnd        = 16
	atBuffers    = 36
	atPointer    = 44
	atLost       = 48
	atNames      = 56 // two pointers, then the time zone
)

// readHead reads the event in the first buffer. Unreadable fields are empty.
func (e *events) readHead() Header {
	h := Header{BufferSize: e.size}
	at := e.pos
	size, _ := eventSize(e.buf[at:])
	if end := at + size; size < systemHead || end > e.limit {
		e.damage.at(int64(at)+4, "a head of %d bytes, expected %d to %d", size, systemHead, e.limit-at)
		size = e.limit - at
	}

	e.pos = min(at+size, len(e.buf))
	b := e.buf[min(at+systemHead, e.pos):e.pos]
	if len(b) < atNames {
		e.damage.at(int64(at), "a head of %d bytes, expected %d at least", size, systemHead+atNames)
		return h
	}

	le := binary.LittleEndian
	h.Major, h.Minor = b[atVersion], b[atVersion+1]
	h.Build, h.Processors = le.Uint32(b[atBuild:]), int(le.Uint32(b[atProcessors:])&0xFFFF)
	h.End = e.time(at+systemHead+atEnd, le.Uint64(b[atEnd:]))
	h.Buffers, h.EventsLost = int(le.Uint32(b[atBuffers:])&(1<<31-1)), int(le.Uint32(b[atLost:])&(1<<31-1))

	if h.PointerSize = int(le.Uint32(b[atPointer:])); h.PointerSize != 4 && h.PointerSize != 8 {
		pointers := map[byte]int{system32: 4, system64: 8}
		e.damage.at(int64(at+systemHead+atPointer), "pointers of %d bytes, expected 4 or 8", h.PointerSize)
		h.PointerSize = pointers[e.buf[at+2]]
	}
	e.readZone(&h, b, atNames+2*h.PointerSize)
	return h
}

// readZone reads the fields behind the two pointers of the head.
func (e *events) readZone(h *Header, b []byte, at int) {
	le := binary.LittleEndian
	clocks := align8(at + zone.Size)
	names := clocks + 32
	if len(b) < names {
		e.damage.at(bufferHead, "a head of %d bytes, expected %d at least",
			systemHead+len(b), systemHead+names)
		return
	}

	h.zone = zone.Parse(b[at:])
	h.PerfFreq = int64(le.Uint64(b[clocks+8:]))
	h.Start = e.time(bufferHead+systemHead+clocks+16, le.Uint64(b[clocks+16:]))
	logger, rest, ok := wire.CutUTF16(b[names:])
	if !ok {
		return
	}

	if guid, err := winperf.ParseGUID(wire.Text(logger, wire.UTF16LE)); err == nil {
		h.GUID, e.guid = guid, guid
	}
	file, rest, ok := wire.CutUTF16(rest)
	if !ok {
		return
	}

	h.LogName = wire.Text(file, wire.UTF16LE)
	if by, _, ok := wire.CutUTF16(rest); ok {
		h.Program = programIn(wire.Text(by, wire.UTF16LE))
	}
}

// time converts a FILETIME of the head, zero if invalid.
func (e *events) time(at int, ft uint64) time.Time {
	if ft == 0 {
		return time.Time{}
	}
	if !possibleTime(int64(ft)) {
		e.damage.at(int64(at), "a time of %#x, outside the years 1601 to 9999", ft)
		return time.Time{}
	}
	return winperf.FromFiletime(int64(ft))
}

// possibleTime reports whether a FILETIME is of the years 1601 to 9999.
func possibleTime(ft int64) bool { return 0 < ft && ft < 2_650_467_744_000_000_000 }
