package pdhlog

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/wire"
)

// Places in an entry of the counter list.
const (
	blgAtFlags    = 4
	blgAtCounterT = 12
	blgAtTimeBase = 16
	blgAtScale    = 24
	blgAtMachine  = 28
	blgAtObject   = 32
	blgAtInstance = 36
	blgAtParent   = 40
	blgAtIndex    = 44
	blgAtCounter  = 48
)

// listReader reads a counter list. offset is that of the record, for messages: a
// list of several events is interrupted by their heads.
type listReader struct {
	b      []byte
	offset int64
	damage *damageList
	unsure int // the first entry before which others may be lost, -1 = none
}

// read returns the entries. One that is damaged stays in its place, with the
// zero Kind, because the samples count on the order.
func (l *listReader) read() []BLGCounter {
	var all []BLGCounter
	le := binary.LittleEndian
	l.unsure = -1
	if len(l.b) < 8 {
		l.damage.blg(l.offset, "a counter list of %d bytes, expected 8 at least", len(l.b))
		return nil
	}

	if version := le.Uint32(l.b); version != blgListVersion {
		l.damage.blg(l.offset, "a counter list of version %#x, expected %#x; it is read as if it were that", version, blgListVersion)
	}
	for at := 8; len(l.b)-at >= blgEntry; {
		end, sure := l.end(at)
		if !sure && l.unsure < 0 {
			l.unsure = len(all) + 1
		}
		var c BLGCounter
		if text := l.entry(at, end, &c); text != "" {
			l.damage.blg(l.offset, "counter %d of the list, %d bytes at %d: %s; its values are left out", len(all)+1, end-at, at, text)
			c = BLGCounter{}
		}
		all = append(all, c)
		at = end
	}
	return all
}

// end returns where the entry at position at ends. Where its length is damaged
// it is the end of its strings or the next thing that looks like an entry, with
// which it is not sure that none is in between.
func (l *listReader) end(at int) (end int, sure bool) {
	length := int64(binary.LittleEndian.Uint32(l.b[at:]))
	strings := l.stringsEnd(at)
	if length == strings && l.ends(at, length) {
		return at + int(length), true
	}

	for _, n := range [...]int64{min(length, strings), max(length, strings)} { // one is damaged, or reaches into another entry
		if l.ends(at, n) {
			if n != length {
				l.damage.blg(l.offset, "an entry of %d bytes at %d of a counter list, whose strings end after %d", length, at, strings)
			}
			return at + int(n), true
		}
	}

	l.damage.blg(l.offset, "an entry of %d bytes at %d of a counter list of %d bytes", length, at, len(l.b))
	for next := at + 8; next < len(l.b); next += 8 {
		if l.begins(next) {
			return next, false
		}
	}
	return len(l.b), false
}

// ends reports whether the entry at position at may have a length: another one is
// behind it, or nothing.
func (l *listReader) ends(at int, length int64) bool {
	if length < blgEntry || length%8 != 0 || length > int64(len(l.b)-at) {
		return false
	}
	next := at + int(length)
	return len(l.b)-next < 8 || l.begins(next)
}

// begins reports whether an entry may begin at a position: one of the four things
// by which it is known may be damaged.
func (l *listReader) begins(at int) bool {
	if len(l.b)-at < blgEntry {
		return false
	}
	le := binary.LittleEndian
	b := l.b[at:]
	signs := 0
	if length := int64(le.Uint32(b)); length >= blgEntry && length%8 == 0 && length <= int64(len(b)) {
		signs++
	}
	if knownFlags(le.Uint32(b[blgAtFlags:])) {
		signs++
	}
	if le.Uint32(b[8:]) == 0 {
		signs++
	}

	machine := int64(int32(le.Uint32(b[blgAtMachine:])))
	if 0 <= machine && machine <= int64(len(b)-blgEntry) && bytes.HasPrefix(b[blgEntry+machine:], machineStart) {
		signs++
	}
	return signs >= 3
}

// machineStart begins the name of every machine: two backslashes in UTF-16LE.
var machineStart = []byte("\\\x00\\\x00")

func knownFlags(flags uint32) bool {
	return flags == blgFlagSingle || flags == blgFlagArray || flags == blgFlagObject
}

// stringsEnd returns the length of an entry by the ends of its strings, -1 where
// one does not end.
func (l *listReader) stringsEnd(at int) int64 {
	end := blgEntry
	for _, field := range [...]int{blgAtMachine, blgAtObject, blgAtInstance, blgAtParent, blgAtCounter} {
		from := int64(int32(binary.LittleEndian.Uint32(l.b[at+field:])))
		if from == -1 {
			continue
		}
		if from < 0 || from > int64(len(l.b)-at-blgEntry) {
			return -1
		}

		strings := newBLGNames(l.b[at+blgEntry:])
		text, ok := strings.at(from)
		if !ok {
			return -1
		}
		end = max(end, blgEntry+int(from)+len(text)+2)
	}
	return int64(align8(end))
}

// entry reads an entry; text says what is wrong with it.
func (l *listReader) entry(at, end int, c *BLGCounter) (text string) {
	le := binary.LittleEndian
	b := l.b[at:end]
	if len(b) < blgEntry {
		return "too short"
	}

	flags := le.Uint32(b[blgAtFlags:])
	switch flags {
	case blgFlagSingle:
		c.Kind = BLGSingle
	case blgFlagArray:
		c.Kind = BLGArray
	case blgFlagObject:
		c.Kind = BLGObject
	default:
		return "flags that are not known"
	}

	c.Type = counter.Type(le.Uint32(b[blgAtCounterT:]))
	c.TimeBase = int64(le.Uint64(b[blgAtTimeBase:]))
	c.Scale = int32(le.Uint32(b[blgAtScale:]))
	machine, _, ok1 := l.text(b, blgAtMachine)
	object, hasObject, ok2 := l.text(b, blgAtObject)
	instance, hasInstance, ok3 := l.text(b, blgAtInstance)
	parent, hasParent, ok4 := l.text(b, blgAtParent)
	name, hasName, ok5 := l.text(b, blgAtCounter)
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return "a string that is not inside it"
	}
	if !hasObject || !hasName {
		return "no name of an object and a counter"
	}

	c.Path = winperf.Path{Machine: strings.TrimPrefix(machine, `\\`), Object: object, Instance: instance, HasInstance: hasInstance, Counter: name}
	if hasParent && hasInstance {
		c.Parent = parent
		c.Path.Instance = parent + "/" + instance
	}

	if index := le.Uint32(b[blgAtIndex:]); index <= 1<<31-1 {
		c.Path.Index = int(index)
	} else if index != 1<<32-1 {
		return "an index that cannot be one"
	}
	return ""
}

// text reads the string whose offset stands in a field; there tells that there
// is one, ok that it is inside the entry.
func (l *listReader) text(b []byte, field int) (s string, there, ok bool) {
	at := int64(int32(binary.LittleEndian.Uint32(b[field:])))
	if at == -1 {
		return "", false, true
	}
	strings := newBLGNames(b[blgEntry:])
	raw, ok := strings.at(at)
	return wire.Text(raw, wire.UTF16LE), true, ok
}
