package pdhlog

import (
	"bytes"
	"encoding/binary"
)

// maxRecord limits a record of several events.
const maxRecord = 256 << 20

// records joins the events of a log to records. Its memory is limited to the largest record.
type records struct {
	events events
	parts  record // the record being joined
	buf    []byte // its memory
	next   uint32 // the expected part, 0 = none
	of     uint32
	held   event // the event behind an incomplete record that was returned; no payload: none
}

type record struct {
	typ    byte
	whole  bool // it is complete
	local  int64
	offset int64
	data   []byte
}

// record returns the next record; it is valid until the next call. A sample without its
// last parts is returned incomplete.
func (r *records) record() (record, error) {
	for {
		var err error
		ev := r.held
		r.held = event{}
		if ev.payload == nil {
			ev, err = r.events.event()
		}

		if r.next != 0 && (err != nil || !r.continues(&ev)) {
			if rec, ok := r.endIncomplete(); ok {
				r.held = ev
				return rec, nil
			}
		}
		if err != nil {
			return record{}, err
		}
		if rec, ok := r.take(&ev); ok {
			return rec, nil
		}
	}
}

// continues reports whether an event is the next part of the current record.
func (r *records) continues(ev *event) bool {
	return ev.part == r.next && ev.parts == r.of && ev.typ == r.parts.typ && ev.local == r.parts.local
}

// endIncomplete ends a record whose next part is missing.
func (r *records) endIncomplete() (record, bool) {
	what := "skipped"
	if r.parts.typ == typeSample {
		what = "read up to there"
	}
	r.events.damage.at(r.parts.offset, "a record of %d parts without part %d; it is %s",
		r.of, r.next, what)
	r.next = 0
	r.parts.data = r.buf
	return r.parts, r.parts.typ == typeSample
}

// take adds an event to a record and reports whether the record is complete.
func (r *records) take(ev *event) (record, bool) {
	whole := record{ev.typ, ev.whole, ev.local, ev.offset, ev.payload}
	switch {
	case r.next != 0:
		return r.addPart(ev)
	case ev.part == 1 && ev.parts == 1 || r.isWhole(ev):
		whole.typ = r.typeOf(ev)
		return whole, true
	case ev.part == 1 && ev.parts > 1 && ev.parts <= maxParts:
		r.parts = whole
		r.buf = append(r.buf[:0], ev.payload...)
		r.next, r.of = 2, ev.parts
	default:
		const form = "part %d of %d of a record, without the previous parts; it is skipped"
		r.events.damage.at(ev.offset+eventHead+16, form, ev.part, ev.parts)
	}
	return record{}, false
}

func (r *records) addPart(ev *event) (record, bool) {
	if len(r.buf)+len(ev.payload) > maxRecord {
		r.events.damage.at(r.parts.offset, "a record of more than %d bytes; it is skipped", maxRecord)
		r.next = 0
		return record{}, false
	}

	r.buf = append(r.buf, ev.payload...)
	r.parts.whole = r.parts.whole && ev.whole
	if r.next++; r.next <= r.of {
		return record{}, false
	}
	r.next = 0
	r.parts.data = r.buf
	return r.parts, true
}

// isWhole reports whether an event with invalid part numbers is a complete record.
func (r *records) isWhole(ev *event) bool {
	inRange := 1 <= ev.part && ev.part <= ev.parts && ev.parts <= maxParts
	if inRange && (ev.part == ev.parts || len(ev.payload) == partLen) {
		return false
	}
	if typ := contentType(ev.payload); typ == 0 || ev.part != 1 && ev.parts != 1 {
		return false
	}
	r.events.damage.at(ev.offset+eventHead+16, "part %d of %d, but the record is complete", ev.part, ev.parts)
	return true
}

// typeOf returns the type of a record: the type of its content if known, else of its event.
func (r *records) typeOf(ev *event) byte {
	typ := contentType(ev.payload)
	if typ == 0 || typ == ev.typ {
		return ev.typ
	}
	r.events.damage.at(ev.offset+4, "an event of type %d holds a record of type %d, and is read as one",
		ev.typ, typ)
	return typ
}

// contentType returns the type of a record by its first bytes, 0 if unknown.
func contentType(b []byte) byte {
	le := binary.LittleEndian
	switch {
	case isRecordHead(b, 0) && b[3] == 0:
		return typeSample
	case len(b) >= 8 && le.Uint32(b) == listVersion && le.Uint32(b[4:]) == listType:
		return typeList
	case bytes.HasPrefix(b, machineStart):
		return typeNames
	}
	return 0
}
