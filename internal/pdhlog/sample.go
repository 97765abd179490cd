package pdhlog

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
)

// errLost is the Err of values missing in a sample.
var errLost = fmt.Errorf("%w: the sample has no record of the counter", winperf.ErrBadData)

type sampleReader struct {
	rec     *record
	list    []Counter
	gap     int // the first entry of the list with possibly lost entries before it, -1 = none
	damage  *damageList
	s       *Sample
	end     int
	unsure  int // the first value whose entry is uncertain, -1 = none
	stopped bool
	times   int   // records with the sample's local time
	local   int64 // that time
	differ  bool  // the records differ
}

func (r *sampleReader) read() {
	b := r.rec.data
	r.s.Values, r.s.items = r.s.Values[:0], r.s.items[:0]
	r.unsure = -1
	r.end = len(b)

	if isRecordHead(b, 0) && b[3] == 0 {
		length := int64(binary.LittleEndian.Uint32(b[4:]))
		if recordHead <= length && length <= int64(len(b)) {
			r.end = int(length)
		} else if r.rec.whole {
			r.fail(0, "a sample of %d bytes in a record of %d", length, len(b))
		}
	} else {
		r.fail(0, "expected the head of a sample")
	}

	for at := recordHead; r.end-at >= recordHead && !r.stopped; {
		at = r.record(at)
	}
	r.settle()
}

// fail reports damage at a place in the record.
func (r *sampleReader) fail(at int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.damage.at(r.rec.offset, "the sample at %d of its %d bytes: %s", at, len(r.rec.data), text)
}

// lose reports damage that makes a value unreadable.
func (r *sampleReader) lose(v *Value, at int, format string, args ...any) {
	v.Err = fmt.Errorf("%w: %s", winperf.ErrBadData, fmt.Sprintf(format, args...))
	r.fail(at, format, args...)
}

func isRecordHead(b []byte, at int) bool {
	return len(b)-at >= recordHead && b[at] == 'B' && b[at+1] == 'L' && b[at+2] == 3
}

// record reads the record at a position and returns the next position.
func (r *sampleReader) record(at int) int {
	b := r.rec.data
	kind, next := r.extent(at)
	if next < 0 {
		r.stopped = true
		return r.end
	}

	r.s.Values = append(r.s.Values, Value{Kind: kind})
	v := &r.s.Values[len(r.s.Values)-1]
	body := b[at+recordHead : next]
	switch kind {
	case Single:
		v.readSingle(body)
		r.time(body[4:])
	case Array:
		r.readArray(v, body, at)
	case Object:
		if _, ok := datablock.HeadOf(body); !ok {
			r.lose(v, at, "%d bytes that are not a performance data block", len(body))
			break
		}
		v.Block = body
	default:
		v.Err = fmt.Errorf("%w: a damaged record", winperf.ErrBadData)
	}
	return next
}

// extent returns the kind and end of the record at a position. Kind 0 is an unreadable
// record; a negative end means that the rest is unreadable.
func (r *sampleReader) extent(at int) (Kind, int) {
	kind, length := r.head(at)
	isHead := isRecordHead(r.rec.data, at)
	if isHead && kind.known() && r.fits(at, length) && (kind != Single || length >= singleLen) {
		return kind, at + int(length)
	}
	if isHead && length > int64(r.end-at) && !r.rec.whole {
		return 0, -1 // the file ends here
	}

	for _, c := range r.guesses(at) {
		if r.fits(at, c.length) {
			r.fail(at, "a record of %d bytes and kind %d, expected %d bytes and kind %d",
				length, kind, c.length, c.kind)
			return c.kind, at + int(c.length)
		}
	}

	for next := at + recordHead; next < r.end; next += 8 {
		if !isRecordHead(r.rec.data, next) {
			continue
		}
		if kind, length := r.head(next); kind.known() && r.fits(next, length) {
			r.fail(at, "%d bytes that are not a record", next-at)
			if r.unsure < 0 {
				r.unsure = len(r.s.Values)
			}
			return 0, next
		}
	}

	if r.rec.whole {
		r.fail(at, "a record of %d bytes and kind %d; the rest of the sample is skipped", length, kind)
	}
	return 0, -1
}

func (r *sampleReader) head(at int) (Kind, int64) {
	b := r.rec.data[at:]
	return Kind(b[3]), int64(binary.LittleEndian.Uint32(b[4:]))
}

type guess struct {
	kind   Kind
	length int64
}

// guesses returns the possible records at a position by the bytes behind the head.
func (r *sampleReader) guesses(at int) []guess {
	b := r.rec.data[at:r.end]
	all := []guess{{Single, singleLen}}
	if head, ok := datablock.HeadOf(b[min(recordHead, len(b)):]); ok {
		all = append(all, guess{Object, recordHead + int64(head.Total())})
	} else if len(b) >= recordHead+arrayHead {
		all = append(all, guess{Array, recordHead + int64(binary.LittleEndian.Uint32(b[recordHead:]))})
	}
	if n := len(r.s.Values); n < len(r.list) && r.list[n].Kind != Single && len(all) > 1 {
		return all[1:]
	}
	return all
}

func (k Kind) known() bool { return k == Single || k == Array || k == Object }

// fits reports whether the record at a position can have this length: it is followed by
// another record or nothing.
func (r *sampleReader) fits(at int, length int64) bool {
	if length < recordHead || length > int64(r.end-at) {
		return false
	}
	next := at + int(length)
	return r.end-next < recordHead || isRecordHead(r.rec.data, next)
}

// time registers the local time of a record.
func (r *sampleReader) time(b []byte) {
	local := int64(binary.LittleEndian.Uint64(b))
	r.differ = r.differ || r.times > 0 && local != r.local
	r.local = local
	r.times++
}

func (v *Value) readSingle(b []byte) {
	le := binary.LittleEndian
	v.Status = le.Uint32(b)
	v.First, v.Second = int64(le.Uint64(b[16:])), int64(le.Uint64(b[24:]))
	v.Multi = le.Uint32(b[32:])
}

// readArray reads the raw values of all instances. Items is set after all records, because
// its memory moves until then; Multi is the number of items.
func (r *sampleReader) readArray(v *Value, b []byte, at int) {
	le := binary.LittleEndian
	if len(b) < arrayHead {
		r.lose(v, at, "an array of %d bytes, expected %d at least", len(b), arrayHead)
		return
	}

	if body := le.Uint32(b); uint64(body) != uint64(len(b)) {
		r.fail(at, "an array of %d bytes in a record of %d", body, len(b))
	}
	v.Status = le.Uint32(b[8:])
	r.time(b[16:])

	n := int64(le.Uint32(b[4:]))
	if space := int64(len(b)-arrayHead) / itemLen; n > space {
		r.lose(v, at, "an array of %d instances in %d bytes; it is skipped", n, len(b))
		return
	}

	names := arrayHead + itemLen*int(n)
	text := newTextTable(b[names:])
	for item := b[arrayHead:names]; len(item) > 0; item = item[itemLen:] {
		name, ok := text.at(int64(le.Uint32(item)) - int64(names))
		if !ok {
			r.fail(at, "an instance with its name at byte %d of %d; it is skipped", le.Uint32(item), len(b))
			continue
		}
		r.s.items = append(r.s.items, Item{
			Name:  name,
			Multi: le.Uint32(item[4:]),
			First: int64(le.Uint64(item[8:])), Second: int64(le.Uint64(item[16:])),
		})
		v.Multi++
	}
}

// settle assigns the values to the entries of the counter list.
func (r *sampleReader) settle() {
	values, items := r.s.Values, r.s.items
	for i := range values {
		if v := &values[i]; v.Kind == Array && v.Err == nil {
			v.Items, items = items[:v.Multi:v.Multi], items[v.Multi:]
			v.Multi = 0
		}
	}
	if r.list == nil {
		return
	}

	sure := len(values)
	if len(values) != len(r.list) {
		for _, unsure := range [...]int{r.unsure, r.gap} {
			if unsure >= 0 {
				sure = min(sure, unsure)
			}
		}
		if len(values) > len(r.list) || r.rec.whole {
			r.fail(0, "%d records, but the list has %d counters", len(values), len(r.list))
		}
	}

	for i := range min(len(values), len(r.list)) {
		r.assign(&values[i], i, i < sure)
	}
	for i := len(values); i < len(r.list); i++ {
		r.s.Values = append(r.s.Values, Value{Counter: r.list[i].entry(), Kind: r.list[i].Kind, Err: errLost})
	}
}

// entry returns c, or nil for an unreadable entry.
func (c *Counter) entry() *Counter {
	if c.Kind == 0 {
		return nil
	}
	return c
}

// assign assigns a value to its entry of the counter list. A data block contains its own
// identity.
func (r *sampleReader) assign(v *Value, i int, sure bool) {
	c := r.list[i].entry()
	switch {
	case c == nil:
	case v.Kind == 0:
		v.Counter, v.Kind = c, c.Kind
	case v.Kind == c.Kind && sure:
		v.Counter = c
	case v.Kind == Object && v.Err == nil:
	case !sure:
		*v = Value{Counter: c, Kind: c.Kind, Err: errLost}
	default:
		r.fail(0, "record %d is a %v, expected a %v", i+1, v.Kind, c.Kind)
		*v = Value{Counter: c, Kind: c.Kind, Err: errLost}
	}
}
