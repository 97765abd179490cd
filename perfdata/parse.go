package perfdata

import (
	"encoding/binary"

	winperf "github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
)

// Parse reads the block in b; quirks are known peculiarities of its server, usually 0. An
// object that is damaged is kept as bytes (see [Object].Raw); damage inside an object is
// not reported.
//
// An error is a [*winperf.DataError]: the block cannot be read to its end. The Block then
// holds the complete objects; it is nil if no object is readable. The error wraps
// [ErrTruncated] if the end is missing.
//
// The Block refers to b, and its setters write to b: do not use b for anything else. Bytes
// behind the block in b are ignored.
func Parse(b []byte, quirks winperf.Quirks) (*Block, error) {
	var ix index.Index
	err := datablock.Decode(b, &ix, datablock.Options{Quirks: quirks})
	if ix.Data == nil {
		return nil, err
	}
	p := parser{b: ix.Data, ix: &ix}
	block := p.block()
	if err == nil {
		block.tail = p.slice(p.end, uint32(len(p.b)))
	}
	return block, err
}

// parser builds a Block over bytes that [datablock.Decode] has checked.
type parser struct {
	b   []byte
	ix  *index.Index
	end uint32 // end of the last object
}

func (p *parser) block() *Block {
	pos := min(u32(p.b, datablock.AtHeaderLength), uint32(len(p.b)))
	block := &Block{
		DefaultObject: p.ix.Default,
		PerfTime:      p.ix.Clocks.PerfTime,
		PerfFreq:      p.ix.Clocks.PerfFreq,
		Time100ns:     p.ix.Clocks.Time100ns,
		SystemTime:    datablock.SystemTimeAt(p.b[datablock.AtSystemTime:]),
		name: nameField{
			u32(p.b, datablock.AtNameOffset), u32(p.b, datablock.AtNameLength),
			p.slice(datablock.HeadLen, pos),
		},
	}

	known := p.ix.Objects
	block.Objects = make([]Object, 0, len(known))
	for range u32(p.b, datablock.AtNumObjects) {
		length, err := datablock.ObjectLength(p.b, pos)
		if err != nil {
			break // the block is cut short
		}

		var o Object
		if len(known) > 0 && known[0].Off == pos {
			p.object(&o, &known[0])
			known = known[1:]
		} else {
			o.Raw = p.slice(pos, pos+length)
		}
		block.Objects = append(block.Objects, o)
		pos += length
	}

	p.end = pos
	block.overrides = p.overrides(nil, 0, []override{
		{datablock.AtLittleEndian, 1}, {datablock.AtRevision, datablock.Revision},
		{datablock.AtTotal, uint32(len(p.b))},
		{datablock.AtNumObjects, uint32(len(block.Objects))}, {datablock.AtPadding, 0},
	})
	return block
}

// slice returns a part of the block, nil if empty. Its capacity is limited to its length.
func (p *parser) slice(from, to uint32) []byte {
	if from == to {
		return nil
	}
	return p.b[from:to:to]
}

// overrides appends to list the fields of the structure at pos that differ from the fields
// Encode would write.
func (p *parser) overrides(list []override, pos uint32, plain []override) []override {
	for _, want := range plain {
		if got := u32(p.b, int(pos+want.Offset)); got != want.Value {
			list = append(list, override{want.Offset, got})
		}
	}
	return list
}

func (p *parser) object(o *Object, x *index.Object) {
	header := x.Off + u32(p.b, int(x.Off)+datablock.AtObjHeader)
	pos := x.Off + u32(p.b, int(x.Off)+datablock.AtObjDefinition)
	extra := x.Off + datablock.ObjectLen
	if x.Missing != 0 {
		extra += datablock.MissingLen
	}

	*o = Object{
		Title: x.Title, Help: x.Help, Detail: x.Detail,
		DefaultCounter: i32(p.b, int(x.Off)+datablock.AtObjDefaultCounter),
		Form:           Form(min(x.NumInstances, 0)),
		CodePage:       x.CodePage,
		Time:           x.Time, Freq: x.Freq,
		Missing:   x.Missing,
		Extra:     p.slice(extra, header),
		Counters:  make([]Counter, x.CounterEnd-x.Counter0),
		Instances: make([]Instance, x.InstanceEnd-x.Instance0),
		overrides: p.overrides(nil, x.Off, []override{
			{datablock.AtObjTitleText, 0}, {datablock.AtObjHelpText, 0},
		}),
	}

	gap := header
	for i := range o.Counters {
		gap = p.counter(&o.Counters[i], gap)
	}

	o.gap = p.slice(gap, pos)
	for i := range o.Instances {
		pos = p.instance(&o.Instances[i], pos, o.Form == Multiple)
	}
	o.tail = p.slice(pos, x.Off+x.Len)
}

func (p *parser) counter(c *Counter, pos uint32) uint32 {
	b, end := p.b[pos:], pos+u32(p.b, int(pos))
	*c = Counter{
		Title: u32(b, datablock.AtCtrTitle), Help: u32(b, datablock.AtCtrHelp),
		Scale: i32(b, datablock.AtCtrScale), Detail: u32(b, datablock.AtCtrDetail),
		Type: counter.Type(u32(b, datablock.AtCtrType)),
		Size: u32(b, datablock.AtCtrSize), Offset: u32(b, datablock.AtCtrOffset),
		extra: p.slice(pos+datablock.CounterLen, end),
		overrides: p.overrides(nil, pos, []override{
			{datablock.AtCtrTitleText, 0}, {datablock.AtCtrHelpText, 0},
		}),
	}
	return end
}

// instance reads an instance definition if named, and the counter block behind it, and
// returns the block's end.
func (p *parser) instance(in *Instance, pos uint32, named bool) uint32 {
	in.UniqueID = index.NoUniqueID
	if named {
		b, end := p.b[pos:], pos+u32(p.b, int(pos))
		in.ParentObject = u32(b, datablock.AtInstParentObject)
		in.ParentInstance = u32(b, datablock.AtInstParentInstance)
		in.UniqueID = i32(b, datablock.AtInstUniqueID)
		in.name = nameField{u32(b, datablock.AtInstNameOffset), u32(b, datablock.AtInstNameLength),
			p.slice(pos+datablock.InstanceLen, end)}
		pos = end
	}
	end := pos + u32(p.b, int(pos))
	in.Data = p.slice(pos+firstValue, end)
	return end
}

func u32(b []byte, off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
func i32(b []byte, off int) int32  { return int32(u32(b, off)) }
