package pdhlog

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/wire"
)

// output writes the container: buffers of events. A partly filled buffer can be written and
// later written again with more events.
type output struct {
	w         io.Writer
	start     int64 // offset of the log in a seekable writer, -1 = not seekable
	at        int64 // position of w, from start
	head      Header
	guid      [16]byte
	endFields [endSize]byte // the fields of the head that change
	buf       []byte        // the current buffer; empty: none
	stored    int           // bytes of it in the file
	buffers   int64         // number of earlier buffers
	last      int64         // FILETIME of the last event, UTC
	waiting   bool          // some events are not in the file
	mark      recordMark    // the beginning of the latest record
	split     recordMark    // and of an earlier record that begins in the file and ends in the current buffer
}

// recordMark is the beginning of a record.
type recordMark struct {
	set     bool
	buffers int64
	used    int              // bytes used in its first buffer, 0 = in a new one
	header  [bufferHead]byte // of that buffer, before the record
}

// The fields of the head that change: the end time, three constant fields and the number of
// buffers.
const (
	endAt   = bufferHead + systemHead + atEnd
	endSize = atBuffers + 4 - atEnd
)

// The Windows version of a log: the version whose logs have this form.
const (
	windowsMajor, windowsMinor, windowsBuild = 6, 2, 9200
	timerResolution                          = 156_250     // 100 ns
	logMode                                  = 0x3002_0801 // as in a real log
	systemClock                              = 2           // the time stamps are the system time
)

// Fields of the buffer header, with the values in real logs.
const (
	eventAlign   = 8 // events begin at its multiples
	bufferState  = 3
	firstFlag    = 1 // of the first buffer
	headerBuffer = 4 // type of the buffer with the head; others have 0
)

// begin writes the first buffer, which contains only the head.
func (o *output) begin(head Header) error {
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
	copy(o.endFields[:], o.buf[endAt:])
	return o.next()
}

// open begins a buffer with a header as in Windows' own logs.
func (o *output) open() {
	if cap(o.buf) < o.head.BufferSize {
		o.buf = make([]byte, 0, o.head.BufferSize)
	}
	o.buf = o.buf[:bufferHead]
	clear(o.buf)

	le := binary.LittleEndian
	le.PutUint32(o.buf[atSize:], uint32(o.head.BufferSize))
	le.PutUint64(o.buf[atTime:], uint64(o.last))
	le.PutUint64(o.buf[atSequence:], uint64(o.buffers))
	o.buf[atAlign] = eventAlign
	le.PutUint32(o.buf[atState:], bufferState)

	if o.buffers == 0 {
		le.PutUint16(o.buf[atFlag:], firstFlag)
		le.PutUint16(o.buf[atType:], headerBuffer)
	}
}

func (o *output) seal() {
	binary.LittleEndian.PutUint32(o.buf[atUsed:], uint32(len(o.buf)))
}

// store writes the current buffer, which may be extended later.
func (o *output) store() error {
	used, at := len(o.buf), o.buffers*int64(o.head.BufferSize)
	if used == o.stored {
		return nil
	}
	o.seal()

	if o.stored == 0 {
		whole := o.buf[:o.head.BufferSize]
		for i := range whole[used:] {
			whole[used+i] = 0xFF
		}
		if err := o.put(at, whole); err != nil {
			return err
		}
		o.stored = used
		return nil
	}

	// Readers use the header, so it is written last: the log is complete at every moment.
	if err := o.put(at+int64(o.stored), o.buf[o.stored:]); err != nil {
		return err
	}
	if err := o.put(at, o.buf[:bufferHead]); err != nil {
		return err
	}
	o.stored = used
	return nil
}

// next writes the current buffer for the last time.
func (o *output) next() error {
	if err := o.store(); err != nil || len(o.buf) == 0 {
		return err
	}
	o.buf, o.stored = o.buf[:0], 0
	o.buffers++
	o.split.set = false
	return nil
}

// flush writes the remaining events, and the end of the log into the head. If the writer
// cannot seek, the buffer cannot be extended later.
func (o *output) flush() error {
	if !o.waiting {
		return nil
	}
	write := o.store
	if o.start < 0 {
		write = o.next
	}

	if err := write(); err != nil {
		return err
	}
	o.waiting, o.mark.set, o.split.set = false, false, false
	return o.writeEnd()
}

// writeEnd writes the time of the last event and the number of buffers into the head, if the
// writer can seek.
func (o *output) writeEnd() error {
	if o.start < 0 {
		return nil
	}
	le := binary.LittleEndian
	le.PutUint64(o.endFields[:], filetimeOf(winperf.FromFiletime(o.last)))
	le.PutUint32(o.endFields[atBuffers-atEnd:], uint32(min(o.whole(), math.MaxInt32)))
	return o.put(endAt, o.endFields[:])
}

// put writes bytes at a place of the log.
func (o *output) put(at int64, b []byte) error {
	if err := o.seek(at); err != nil {
		return err
	}
	n, err := o.w.Write(b)
	o.at += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func (o *output) seek(at int64) error {
	if at == o.at {
		return nil
	}
	_, err := o.w.(io.Seeker).Seek(o.start+at, io.SeekStart)
	o.at = at
	return err
}

func (o *output) size() int64 {
	return o.buffers*int64(o.head.BufferSize) + int64(len(o.buf))
}

// record writes a record, in several events if it is long. local is the local time of its
// events, utc the same time in UTC.
func (o *output) record(typ byte, local, utc int64, b []byte) error {
	o.setMark()
	parts := max(1, (len(b)+partLen-1)/partLen)
	if parts > maxParts {
		return fmt.Errorf("a record of %d bytes in a binary log, expected at most %d: %w",
			len(b), maxParts*partLen, winperf.ErrNotSupported)
	}

	o.last, o.waiting = utc, true
	for part := range parts {
		payload := b[part*partLen : min(len(b), (part+1)*partLen)]
		if err := o.event(typ, local, uint32(part+1), uint32(parts), payload); err != nil {
			return err
		}
	}
	return nil
}

// setMark registers the beginning of a record.
func (o *output) setMark() {
	if o.mark.set && o.mark.buffers < o.buffers && len(o.buf) > 0 {
		o.split = o.mark
	}
	o.mark = recordMark{set: true, buffers: o.buffers, used: len(o.buf)}
	if o.mark.used > 0 {
		o.seal()
		copy(o.mark.header[:], o.buf)
	}
}

// undo ends the log before the first record that is not completely written.
func (o *output) undo() {
	if o.start < 0 {
		return
	}
	whole, m := o.whole(), &o.mark
	if o.split.set {
		m = &o.split
	}

	if m.set && whole > m.buffers {
		whole = m.buffers
		if m.used > 0 {
			// Only the stored part of the current buffer is certain to be in the file.
			if m.buffers == o.buffers {
				binary.LittleEndian.PutUint32(m.header[atUsed:], uint32(min(m.used, o.stored)))
			}

			// If this fails, a reader finds a part of the record.
			_ = o.put(m.buffers*int64(o.head.BufferSize), m.header[:])
			whole++
		}
	}
	o.buf, o.stored, o.buffers = o.buf[:0], 0, whole
}

// whole returns the number of buffers in the file.
func (o *output) whole() int64 {
	if o.stored > 0 {
		return o.buffers + 1
	}
	return o.buffers
}

func (o *output) event(typ byte, local int64, part, parts uint32, payload []byte) error {
	size := eventHead + prefixLen + len(payload)
	if at := align8(len(o.buf)); len(o.buf) > 0 && at+size > o.head.BufferSize {
		if err := o.next(); err != nil {
			return err
		}
	}
	if len(o.buf) == 0 {
		o.open()
	}

	le := binary.LittleEndian
	b := pad8(o.buf, 0)
	b = le.AppendUint16(b, uint16(size))
	b = append(b, classic64, marker, typ, 0)
	b = le.AppendUint16(b, eventVersion)
	b = le.AppendUint64(b, 0) // thread and process
	b = le.AppendUint64(b, uint64(local))
	b = append(b, providerGUID[:]...)
	b = le.AppendUint64(b, 0) // kernel and user time
	b = append(b, o.guid[:]...)
	b = le.AppendUint32(b, part)
	b = le.AppendUint32(b, parts)
	o.buf = append(b, payload...)
	le.PutUint64(o.buf[atTime:], uint64(o.last))
	return nil
}

// appendHead appends the first event: SYSTEM_TRACE_HEADER and
// TRACE_LOGFILE_HEADER of evntrace.h.
func (o *output) appendHead(b []byte) []byte {
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

	kind := byte(system64)
	if h.PointerSize == 4 {
		kind = system32
	}

	b = append(b, 0, 0, kind, marker)
	u32(0)    // size, set below
	u32(0, 0) // thread and process
	u64(filetimeOf(h.Start))
	u32(0, 0) // kernel and user time
	u32(uint32(h.BufferSize))
	b = append(b, h.Major, h.Minor, 0, 0)
	u32(h.Build, uint32(h.Processors))
	u64(filetimeOf(h.End))
	u32(timerResolution, 0, logMode, uint32(h.Buffers))
	u32(1, uint32(h.PointerSize), uint32(h.EventsLost), 0)
	b = append(b, make([]byte, 2*h.PointerSize)...) // pointers to the names
	b = h.zone.Append(b)
	b = pad8(b, start)
	u64(0, uint64(h.PerfFreq), filetimeOf(h.Start)) // first the boot time
	u32(systemClock, 0)
	b = appendUTF16Z(b, strings.Trim(winperf.GUID(o.guid).String(), "{}"))
	b = appendUTF16Z(b, h.LogName)
	if h.Program != "" {
		b = appendUTF16Z(b, writtenBy+h.Program)
	}
	le.PutUint16(b[start+4:], uint16(len(b)-start))
	return b
}

// end writes the last buffer and updates the head.
func (o *output) end() error {
	if err := o.next(); err != nil {
		return err
	}
	o.mark.set = false
	if err := o.writeEnd(); err != nil {
		return err
	}
	return o.seek(o.size())
}

// longestName limits the log's name in the head, in bytes.
const longestName = 2048

// fitName truncates a name.
func fitName(s string) string {
	if len(s) <= longestName {
		return s
	}
	return strings.ToValidUTF8(s[:longestName], "")
}

// filetimeOf returns a time as FILETIME, 0 for none.
func filetimeOf(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(winperf.ToFiletime(t))
}

func align8(n int) int { return (n + 7) &^ 7 }

// pad8 appends zeros until the length from start is a multiple of 8.
func pad8(b []byte, start int) []byte {
	return append(b, make([]byte, align8(len(b)-start)-(len(b)-start))...)
}

// appendUTF16Z appends a string, up to a NUL, in UTF-16LE with a terminator.
func appendUTF16Z(b []byte, s string) []byte {
	s, _, _ = strings.Cut(s, "\x00")
	return wire.AppendUTF16Z(b, s)
}

// maxName limits names read, in bytes: four times the longest path.
const maxName = 16 << 10

// textTable reads names by offset. Their total length is limited to the length of the
// table, because a malicious file may repeat a long name.
type textTable struct {
	b    []byte
	left int
}

func newTextTable(b []byte) textTable { return textTable{b, len(b)} }

// at returns the name at an offset, without its terminator.
func (n *textTable) at(offset int64) (name []byte, ok bool) {
	if offset < 0 || offset >= int64(len(n.b)) {
		return nil, false
	}
	name, _, ok = wire.CutUTF16(n.b[offset:min(offset+maxName+2, int64(len(n.b)))])
	if !ok {
		name = nil
	}
	n.left -= len(name) + 2
	return name, ok && n.left >= 0
}
