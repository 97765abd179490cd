package pdhlog

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Offsets in an entry of the counter list.
const (
	atFlags    = 4
	atCounterT = 12
	atTimeBase = 16
	atScale    = 24
	atMachine  = 28
	atObject   = 32
	atInstance = 36
	atParent   = 40
	atIndex    = 44
	atCounter  = 48
)

// listReader reads a counter list. offset is the place of the record, for messages: a list
// of several events is interrupted by their headers.
type listReader struct {
	b      []byte
	offset int64
	damage *damageList
	unsure int // the first entry with possibly lost entries before it, -1 = none
}

// read returns the entries. A damaged entry keeps its place with Kind 0, because samples
// depend on the order.
func (l *listReader) read() []Counter {
	var all []Counter
	le := binary.LittleEndian
	l.unsure = -1
	if len(l.b) < 8 {
		l.damage.at(l.offset, "a counter list of %d bytes, expected 8 at least", len(l.b))
		return nil
	}

	if version := le.Uint32(l.b); version != listVersion {
		l.damage.at(l.offset, "a counter list of version %#x, expected %#x; reading it as that version",
			version, listVersion)
	}
	for at := 8; len(l.b)-at >= entryHead; {
		end, sure := l.end(at)
		if !sure && l.unsure < 0 {
			l.unsure = len(all) + 1
		}
		var c Counter
		if text := l.entry(at, end, &c); text != "" {
			l.damage.at(l.offset, "counter %d of the list, %d bytes at %d: %s; its values are skipped",
				len(all)+1, end-at, at, text)
			c = Counter{}
		}
		all = append(all, c)
		at = end
	}
	return all
}

// end returns the end of the entry at a position. If its length is damaged, that is the end
// of its strings or the next possible entry; sure is then false, because entries may be
// lost in between.
func (l *listReader) end(at int) (end int, sure bool) {
	length := int64(binary.LittleEndian.Uint32(l.b[at:]))
	strings := l.stringsEnd(at)
	if length == strings && l.ends(at, length) {
		return at + int(length), true
	}

	// One of the two is damaged, or reaches into another entry.
	for _, n := range [...]int64{min(length, strings), max(length, strings)} {
		if l.ends(at, n) {
			if n != length {
				const form = "an entry of %d bytes at %d of a counter list, whose strings end after %d"
				l.damage.at(l.offset, form, length, at, strings)
			}
			return at + int(n), true
		}
	}

	l.damage.at(l.offset, "an entry of %d bytes at %d of a counter list of %d bytes", length, at, len(l.b))
	for next := at + 8; next < len(l.b); next += 8 {
		if l.begins(next) {
			return next, false
		}
	}
	return len(l.b), false
}

// ends reports whether the entry at a position can have this length: it is followed by
// another entry or nothing.
func (l *listReader) ends(at int, length int64) bool {
	if length < entryHead || length%8 != 0 || length > int64(len(l.b)-at) {
		return false
	}
	next := at + int(length)
	return len(l.b)-next < 8 || l.begins(next)
}

// begins reports whether an entry can begin at a position. One of its four features may be
// damaged.
func (l *listReader) begins(at int) bool {
	if len(l.b)-at < entryHead {
		return false
	}
	le := binary.LittleEndian
	b := l.b[at:]
	signs := 0
	if length := int64(le.Uint32(b)); length >= entryHead && length%8 == 0 && length <= int64(len(b)) {
		signs++
	}
	if _, known := kindByFlags[le.Uint32(b[atFlags:])]; known {
		signs++
	}
	if le.Uint32(b[8:]) == 0 {
		signs++
	}

	names := b[entryHead:]
	machine := int64(int32(le.Uint32(b[atMachine:])))
	if 0 <= machine && machine <= int64(len(names)) && bytes.HasPrefix(names[machine:], machineStart) {
		signs++
	}
	return signs >= 3
}

// machineStart begins every machine name: two backslashes in UTF-16LE.
var machineStart = []byte("\\\x00\\\x00")

var kindByFlags = map[uint32]Kind{flagSingle: Single, flagArray: Array, flagObject: Object}

// textFields are the offsets of the string fields of an entry: machine, object, instance,
// parent and counter.
var textFields = [...]int{atMachine, atObject, atInstance, atParent, atCounter}

// entryText returns the string of a field of an entry, nil for none, and its end. ok
// reports whether it is inside b.
func entryText(b []byte, field int) (text []byte, end int, ok bool) {
	at := int64(int32(binary.LittleEndian.Uint32(b[field:])))
	if at == -1 {
		return nil, 0, true
	}
	strings := newTextTable(b[entryHead:])
	text, ok = strings.at(at)
	return text, entryHead + int(at) + len(text) + 2, ok
}

// stringsEnd returns the length of an entry by the ends of its strings, -1 if a string has
// no end.
func (l *listReader) stringsEnd(at int) int64 {
	last := entryHead
	for _, field := range textFields {
		_, end, ok := entryText(l.b[at:], field)
		if !ok {
			return -1
		}
		last = max(last, end)
	}
	return int64(align8(last))
}

// entry reads an entry; text is its damage.
func (l *listReader) entry(at, end int, c *Counter) (text string) {
	le := binary.LittleEndian
	b := l.b[at:end]
	if len(b) < entryHead {
		return "too short"
	}
	known := false
	if c.Kind, known = kindByFlags[le.Uint32(b[atFlags:])]; !known {
		return "unknown flags"
	}

	c.Type = counter.Type(le.Uint32(b[atCounterT:]))
	c.TimeBase = int64(le.Uint64(b[atTimeBase:]))
	c.Scale = int32(le.Uint32(b[atScale:]))

	var there [len(textFields)]bool
	var texts [len(textFields)]string
	for i, field := range textFields {
		raw, _, ok := entryText(b, field)
		if !ok {
			return "a string outside the entry"
		}
		there[i], texts[i] = raw != nil, wire.Text(raw, wire.UTF16LE)
	}
	if !there[1] || !there[4] {
		return "expected the names of an object and a counter"
	}

	p := &c.Path
	p.Machine, p.Object, p.Counter = strings.TrimPrefix(texts[0], `\\`), texts[1], texts[4]
	p.Instance, p.HasInstance = texts[2], there[2]
	if p.HasInstance && there[3] {
		c.Parent = texts[3]
		p.Instance = c.Parent + "/" + p.Instance
	}

	if index := le.Uint32(b[atIndex:]); index <= 1<<31-1 {
		p.Index = int(index)
	} else if index != 1<<32-1 {
		return "an impossible index"
	}
	return ""
}
