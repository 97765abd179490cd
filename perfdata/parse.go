package perfdata

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
)

// Parse takes the block in b apart. It accepts what [Decode] accepts: an error
// means that the block cannot be read to its end. Where some of it can, the Block
// holds the objects that are whole and comes with the error, else it is nil. An
// object that Decode would drop is kept as bytes.
//
// The Block refers to b and its setters write into it: b must not be used for
// anything else. What follows the block in b is left out.
func Parse(b []byte, opt Options) (*Block, error) {
	var ix index.Index
	err := Decode(b, &ix, opt)
	if ix.Data == nil {
		return nil, err
	}
	p := parser{b: ix.Data, ix: &ix}
	block := p.block()
	if err == nil {
		block.Tail = p.slice(p.end, uint32(len(p.b)))
	}
	return block, err
}

// parser builds a Block over bytes that Decode has checked.
type parser struct {
	b   []byte
	ix  *index.Index
	end uint32 // of the last object
}

func (p *parser) block() *Block {
	pos := min(u32(p.b, atHeaderLength), uint32(len(p.b)))
	block := &Block{
		DefaultObject: p.ix.Default,
		PerfTime:      p.ix.Clocks.PerfTime,
		PerfFreq:      p.ix.Clocks.PerfFreq,
		Time100ns:     p.ix.Clocks.Time100ns,
		SystemTime:    systemTimeAt(p.b[atSystemTime:]),
		Name:          NameField{u32(p.b, atNameOffset), u32(p.b, atNameLength), p.slice(headerSize, pos)},
	}

	known := p.ix.Objects
	block.Objects = make([]Object, 0, len(known))
	for range u32(p.b, atNumObjects) {
		length, err := objectLength(p.b, pos)
		if err != nil {
			break // of a block that cannot be read to its end
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
	block.Overrides = p.overrides(nil, 0, []Override{
		{atLittleEndian, 1}, {atRevision, revision}, {atTotal, uint32(len(p.b))},
		{atNumObjects, uint32(len(block.Objects))}, {atPadding, 0},
	})
	return block
}

// slice is a part of the block, nil if there is nothing in it. It has no room
// to grow into what follows.
func (p *parser) slice(from, to uint32) []byte {
	if from == to {
		return nil
	}
	return p.b[from:to:to]
}

// overrides appends to list the fields of the structure at pos that are not
// what Encode would write.
func (p *parser) overrides(list []Override, pos uint32, plain []Override) []Override {
	for _, want := range plain {
		if got := u32(p.b, int(pos+want.Offset)); got != want.Value {
			list = append(list, Override{want.Offset, got})
		}
	}
	return list
}

func (p *parser) object(o *Object, x *index.Object) {
	header := x.Off + u32(p.b, int(x.Off)+atObjHeader)
	pos := x.Off + u32(p.b, int(x.Off)+atObjDefinition)
	extra := x.Off + objectSize
	if x.Missing != 0 {
		extra += missingSize
	}

	*o = Object{
		Title: x.Title, Help: x.Help, Detail: x.Detail,
		DefaultCounter: i32(p.b, int(x.Off)+atObjDefaultCounter),
		Form:           Form(min(x.NumInstances, 0)),
		CodePage:       x.CodePage,
		Time:           x.Time, Freq: x.Freq,
		Missing:   x.Missing,
		Extra:     p.slice(extra, header),
		Counters:  make([]Counter, x.CounterEnd-x.Counter0),
		Instances: make([]Instance, x.InstanceEnd-x.Instance0),
		Overrides: p.overrides(nil, x.Off, []Override{{atObjTitleText, 0}, {atObjHelpText, 0}}),
	}

	gap := header
	for i := range o.Counters {
		gap = p.counter(&o.Counters[i], gap)
	}

	o.Gap = p.slice(gap, pos)
	for i := range o.Instances {
		pos = p.instance(&o.Instances[i], pos, o.Form == Multiple)
	}
	o.Tail = p.slice(pos, x.Off+x.Len)
}

// counter reads the definition at pos and returns its end.
func (p *parser) counter(c *Counter, pos uint32) uint32 {
	b, end := p.b[pos:], pos+u32(p.b, int(pos))
	*c = Counter{
		Title: u32(b, atCtrTitle), Help: u32(b, atCtrHelp),
		Scale: i32(b, atCtrScale), Detail: u32(b, atCtrDetail),
		Type: counter.Type(u32(b, atCtrType)), Size: u32(b, atCtrSize), Offset: u32(b, atCtrOffset),
		Extra:     p.slice(pos+counterSize, end),
		Overrides: p.overrides(nil, pos, []Override{{atCtrTitleText, 0}, {atCtrHelpText, 0}}),
	}
	return end
}

// instance reads an instance definition, if there is one, and the counter block
// behind it, and returns the block's end.
func (p *parser) instance(in *Instance, pos uint32, named bool) uint32 {
	in.UniqueID = index.NoUniqueID
	if named {
		b, end := p.b[pos:], pos+u32(p.b, int(pos))
		in.ParentObject = u32(b, atInstParentObject)
		in.ParentInstance = u32(b, atInstParentInstance)
		in.UniqueID = i32(b, atInstUniqueID)
		in.Name = NameField{u32(b, atInstNameOffset), u32(b, atInstNameLength),
			p.slice(pos+instanceSize, end)}
		pos = end
	}
	end := pos + u32(p.b, int(pos))
	in.Data = p.slice(pos+blockSize, end)
	return end
}
