package pdhlog

import (
	"bytes"
	"encoding/binary"
)

// blgMaxRecord bounds a record that stands in several events.
const blgMaxRecord = 256 << 20

// blgRecords puts the events of a log together to records. The memory it takes
// is that of the largest record.
type blgRecords struct {
	events blgEvents
	parts  blgRecord // what was put together so far
	buf    []byte    // its memory
	next   uint32    // the part that is to come, 0 = none is awaited
	of     uint32
	held   blgEvent // an event that comes after a record that was given out as it is
	isHeld bool
}

// blgRecord is one record of a log.
type blgRecord struct {
	typ    byte
	whole  bool // all of it is there
	local  int64
	offset int64
	data   []byte
}

// record returns the next record; it is valid until the next call. A sample of
// which later parts are missing is returned as far as it goes.
func (r *blgRecords) record() (blgRecord, error) {
	for {
		ev := r.held
		if r.isHeld {
			r.isHeld = false
		} else {
			var err error
			if ev, err = r.events.event(); err != nil {
				if rec, ok := r.giveUp(); ok {
					return rec, nil
				}
				return blgRecord{}, err
			}
		}

		if r.next != 0 && !r.continues(&ev) {
			if rec, ok := r.giveUp(); ok {
				r.held, r.isHeld = ev, true
				return rec, nil
			}
		}

		if rec, ok := r.take(&ev); ok {
			return rec, nil
		}
	}
}

// continues reports whether an event is the next part of the record at hand.
func (r *blgRecords) continues(ev *blgEvent) bool {
	return ev.part == r.next && ev.parts == r.of && ev.typ == r.parts.typ && ev.local == r.parts.local
}

// giveUp ends a record whose next part does not come.
func (r *blgRecords) giveUp() (blgRecord, bool) {
	if r.next == 0 {
		return blgRecord{}, false
	}
	part, rec := r.next, r.parts
	r.next = 0
	rec.data = r.buf

	if rec.typ == blgTypeSample {
		r.events.damage.blg(rec.offset, "a record of %d parts, of which part %d does not follow; it is read as far as it goes", r.of, part)
		return rec, true
	}
	r.events.damage.blg(rec.offset, "a record of %d parts, of which part %d does not follow; it is left out", r.of, part)
	return blgRecord{}, false
}

// take makes an event part of a record and reports whether that is complete.
func (r *blgRecords) take(ev *blgEvent) (blgRecord, bool) {
	whole := blgRecord{ev.typ, ev.whole, ev.local, ev.offset, ev.payload}
	switch {
	case r.next != 0: // it continues
		if len(r.buf)+len(ev.payload) > blgMaxRecord {
			r.events.damage.blg(r.parts.offset, "a record of more than %d bytes; it is left out", blgMaxRecord)
			r.next = 0
			return blgRecord{}, false
		}

		r.buf = append(r.buf, ev.payload...)
		r.parts.whole = r.parts.whole && ev.whole
		if r.next++; r.next <= r.of {
			return blgRecord{}, false
		}

		r.next = 0
		r.parts.data = r.buf
		return r.parts, true

	case ev.part == 1 && ev.parts == 1 || r.isWhole(ev):
		whole.typ = r.typeOf(ev)
		return whole, true
	case ev.part == 1 && ev.parts > 1 && ev.parts <= blgMaxParts:
		r.parts = whole
		r.buf = append(r.buf[:0], ev.payload...)
		r.next, r.of = 2, ev.parts
	default:
		r.events.damage.blg(ev.offset+blgEventHeader+16, "part %d of %d of a record without the parts before; it is left out", ev.part, ev.parts)
	}
	return blgRecord{}, false
}

// isWhole reports whether an event whose part numbers make no sense is a record of
// its own.
func (r *blgRecords) isWhole(ev *blgEvent) bool {
	inRange := 1 <= ev.part && ev.part <= ev.parts && ev.parts <= blgMaxParts
	if inRange && (ev.part == ev.parts || len(ev.payload) == blgPart) {
		return false
	}
	if typ := contentType(ev.payload); typ == 0 || ev.part != 1 && ev.parts != 1 {
		return false
	}
	r.events.damage.blg(ev.offset+blgEventHeader+16, "part %d of %d, but the record is complete", ev.part, ev.parts)
	return true
}

// typeOf returns the type of an event that is a record: that which its content
// says, if it does.
func (r *blgRecords) typeOf(ev *blgEvent) byte {
	typ := contentType(ev.payload)
	if typ == 0 || typ == ev.typ {
		return ev.typ
	}
	r.events.damage.blg(ev.offset+4, "an event of type %d that holds a record of type %d, and is read as that", ev.typ, typ)
	return typ
}

// contentType tells the type of a record by how it begins, 0 where it does not
// tell.
func contentType(b []byte) byte {
	le := binary.LittleEndian
	switch {
	case isRecordHead(b, 0) && b[3] == 0:
		return blgTypeSample
	case len(b) >= 8 && le.Uint32(b) == blgListVersion && le.Uint32(b[4:]) == blgListType:
		return blgTypeList
	case bytes.HasPrefix(b, machineStart):
		return blgTypeNames
	}
	return 0
}
