package perfdata

import (
	"encoding/binary"
	"fmt"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// NewCounter returns a definition of a counter with the size of its type, the usual help
// index (title + 1) and detail level novice. [Object.Layout] places its value.
func NewCounter(title uint32, typ counter.Type) Counter {
	info, known := typ.Info()
	size := info.Bytes
	if !known {
		size = typ.Width()
	}
	return Counter{Title: title, Help: title + 1, Detail: 100, Type: typ, Size: uint32(max(size, 0))}
}

// Machine returns the machine's name.
func (b *Block) Machine() string { return b.name.text(wire.UTF16LE, datablock.HeadLen) }

// SetMachine sets the machine's name.
func (b *Block) SetMachine(name string) (err error) {
	b.name, err = newName(name, wire.UTF16LE, datablock.HeadLen)
	return err
}

// Object returns the first object with a title index, or nil.
func (b *Block) Object(title uint32) *Object {
	for i := range b.Objects {
		if o := &b.Objects[i]; o.Raw == nil && o.Title == title {
			return o
		}
	}
	return nil
}

// InstanceName returns the name of the instance at position i.
func (o *Object) InstanceName(i int) string {
	return o.Instances[i].name.text(o.CodePage, datablock.InstanceLen)
}

// SetInstanceName sets the name of the instance at position i in the object's
// code page.
func (o *Object) SetInstanceName(i int, name string) (err error) {
	o.Instances[i].name, err = newName(name, o.CodePage, datablock.InstanceLen)
	return err
}

// AddInstance appends an instance whose values are all 0. The name of a single instance is
// not used.
func (o *Object) AddInstance(name string) (*Instance, error) {
	in := Instance{UniqueID: index.NoUniqueID, Data: make([]byte, o.dataSize())}
	if o.Form == Multiple {
		var err error
		if in.name, err = newName(name, o.CodePage, datablock.InstanceLen); err != nil {
			return nil, err
		}
	}
	o.Instances = append(o.Instances, in)
	return &o.Instances[len(o.Instances)-1], nil
}

// Layout places the values of all counters in order, each at a multiple of its size,
// followed by a bit map of missing values if missing is true. It resizes and clears all
// counter blocks.
func (o *Object) Layout(missing bool) {
	next := uint32(firstValue)
	for i := range o.Counters {
		c := &o.Counters[i]
		c.Offset, next = place(next, c.Size)
	}

	o.Missing = 0
	if missing {
		o.Missing = next
	}

	size := o.dataSize()
	for i := range o.Instances {
		o.Instances[i].Data = make([]byte, size)
	}
}

// maxData is the greatest length of a counter block. Values beyond it have no place.
const maxData = 1 << 20

// place returns the offset of a value of size bytes at or behind next, and its end.
func place(next, size uint32) (offset, end uint32) {
	switch size {
	case 0:
		return 0, next
	case 4:
		offset = (next + 3) &^ 3
	default:
		offset = (next + 7) &^ 7
	}

	if uint64(offset)+uint64(size) > maxData {
		return offset, next
	}
	return offset, offset + size
}

// valuesEnd returns the end of the last value within maxData.
func (o *Object) valuesEnd() uint32 {
	last := uint64(firstValue)
	for i := range o.Counters {
		c := &o.Counters[i]
		if end := uint64(c.Offset) + uint64(c.Size); c.Size != 0 && end <= maxData {
			last = max(last, end)
		}
	}
	return uint32(last)
}

// dataSize returns the length of a counter block without its length field: all values,
// padded to a multiple of 8.
func (o *Object) dataSize() int {
	end := int(o.valuesEnd())
	if o.Missing != 0 && o.Missing < maxData {
		end = max(end, int(o.Missing)+int(datablock.MissingMapLen(len(o.Counters))))
	}
	return end + datablock.Padding(end) - firstValue
}

// value returns the bytes of a counter's value in an instance's counter block, or nil if
// the block is too short.
func (o *Object) value(inst, ctr int) []byte {
	data, c := o.Instances[inst].Data, &o.Counters[ctr]
	if c.Offset < firstValue || uint64(c.Offset-firstValue)+uint64(c.Size) > uint64(len(data)) {
		return nil
	}
	return data[c.Offset-firstValue:][:c.Size]
}

// Value returns the raw value of a counter of an instance, by position. ok is false if the
// counter has no number.
func (o *Object) Value(inst, ctr int) (v uint64, ok bool) {
	b := o.value(inst, ctr)
	switch {
	case o.Counters[ctr].Type.IsText():
		return 0, false
	case len(b) == 4:
		return uint64(binary.LittleEndian.Uint32(b)), true
	case len(b) == 8:
		return binary.LittleEndian.Uint64(b), true
	}
	return 0, false
}

// SetValue sets the raw value of a counter of an instance, by position. A counter of 4
// bytes gets the low 32 bits. An error wraps winperf.ErrBadData: the counter has no place
// for a number.
func (o *Object) SetValue(inst, ctr int, v uint64) error {
	if _, ok := o.Value(inst, ctr); !ok {
		return o.noPlace("number", inst, ctr)
	}
	if b := o.value(inst, ctr); len(b) == 4 {
		binary.LittleEndian.PutUint32(b, uint32(v))
	} else {
		binary.LittleEndian.PutUint64(b, v)
	}
	return nil
}

// SetText sets the value of a text counter of an instance, by position, and clears the rest
// of its place. An error wraps winperf.ErrBadData: the text does not fit, or the code page
// lacks a character.
func (o *Object) SetText(inst, ctr int, s string) error {
	b := o.value(inst, ctr)
	text, err := wire.EncodeText(s, datablock.TextPage(o.Counters[ctr].Type, o.CodePage))
	if err != nil {
		return fmt.Errorf("perfdata: %w: %w", datablock.ErrValue, err)
	}
	if !o.Counters[ctr].Type.IsText() || len(text) > len(b) {
		return o.noPlace(fmt.Sprintf("text of %d bytes", len(text)), inst, ctr)
	}
	clear(b[copy(b, text):])
	return nil
}

// IsMissing reports whether a counter of an instance, by position, is marked as missing.
func (o *Object) IsMissing(inst, ctr int) bool {
	b := o.missingByte(inst, ctr)
	return b != nil && *b>>(ctr%8)&1 != 0
}

// SetMissing marks a counter of an instance, by position, as missing, or removes the mark.
// An error wraps winperf.ErrBadData: the object has no bit map for it; see [Object.Layout].
func (o *Object) SetMissing(inst, ctr int, missing bool) error {
	if !o.setMissing(inst, ctr, missing) {
		return o.noPlace("mark", inst, ctr)
	}
	return nil
}

// Deny marks a counter of an instance, by position, as not accessible to the reader. An
// error wraps winperf.ErrBadData, as for SetMissing.
func (o *Object) Deny(inst, ctr int) error {
	if err := o.SetValue(inst, ctr, index.AccessDenied); err != nil {
		return err
	}
	return o.SetMissing(inst, ctr, true)
}

func (o *Object) setMissing(inst, ctr int, missing bool) bool {
	b := o.missingByte(inst, ctr)
	if b == nil {
		return false
	}
	*b &^= 1 << (ctr % 8)
	if missing {
		*b |= 1 << (ctr % 8)
	}
	return true
}

func (o *Object) missingByte(inst, ctr int) *byte {
	data := o.Instances[inst].Data
	at := int64(o.Missing) - firstValue + int64(ctr/8)
	if o.Missing < firstValue || at >= int64(len(data)) {
		return nil
	}
	return &data[at]
}

func (o *Object) noPlace(what string, inst, ctr int) error {
	c := &o.Counters[ctr]
	return fmt.Errorf("perfdata: %w: object %d: counter %d (title %d, %d bytes at %d): instance %d has no "+
		"place for a %s",
		datablock.ErrValue, o.Title, ctr, c.Title, c.Size, c.Offset, inst, what)
}
