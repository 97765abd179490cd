package pdhlog

import (
	"encoding/binary"
	"math"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/perfdata"
)

// Sizes and places of PERF_DATA_BLOCK and PERF_OBJECT_TYPE (winperf.h).
const (
	blockHeader    = 88
	atBlockLength  = 20
	atHeaderLength = 24
	atNumObjects   = 28
	objectHeader   = 64
	atObjectTitle  = 12
)

// blgBlocks makes performance data blocks of one object each, as PDH stores
// whole objects.
type blgBlocks struct {
	objects map[uint32][]byte // of the sample at hand by title index, as far as its bytes can be taken over
}

// begin looks where the objects of a frame are. Their bytes can be taken over
// where they are a performance data block whose readers need to know nothing
// else.
func (w *blgBlocks) begin(f frame.Frame) {
	if w.objects == nil {
		w.objects = map[uint32][]byte{}
	}
	clear(w.objects)
	raw := f.Raw()
	if raw.Format != winperf.FormatV1 || raw.Quirks&winperf.WidthFromType != 0 || len(raw.Bytes) < blockHeader {
		return
	}
	le := binary.LittleEndian
	at, end := int64(le.Uint32(raw.Bytes[atHeaderLength:])), int64(len(raw.Bytes))
	for range le.Uint32(raw.Bytes[atNumObjects:]) {
		if at < blockHeader || end-at < objectHeader {
			return
		}
		b := raw.Bytes[at:]
		length := int64(le.Uint32(b))
		if length < objectHeader || length > end-at {
			return
		}
		if title := le.Uint32(b[atObjectTitle:]); w.objects[title] == nil {
			w.objects[title] = b[:length]
		}
		at += length
	}
}

// append appends the block of an object; of one that the frame lacks, a block
// without objects.
func (w *blgBlocks) append(b []byte, f frame.Frame, o frame.Object, found bool, local int64, title uint32) []byte {
	clocks := f.Clocks()
	if found {
		clocks = o.Clocks()
	}
	start := len(b)
	b = appendBlockHead(b, f.Machine(), clocks, local, title)
	switch {
	case !found:
	case w.objects[title] != nil:
		b = append(b, w.objects[title]...)
	default:
		b = appendObject(b, o)
	}
	b = pad8(b, start)
	le := binary.LittleEndian
	le.PutUint32(b[start+atBlockLength:], uint32(len(b)-start))
	if found {
		le.PutUint32(b[start+atNumObjects:], 1)
	}
	return b
}

// appendBlockHead appends a PERF_DATA_BLOCK of no object. Its system time is
// local, as in real logs.
func appendBlockHead(b []byte, machine string, c counter.Clocks, local int64, title uint32) []byte {
	block := perfdata.Block{DefaultObject: int32(title), PerfTime: c.PerfTime, PerfFreq: c.PerfFreq, Time100ns: c.Time100ns}
	t := winperf.FromFiletime(local)
	for i, v := range [...]int{t.Year(), int(t.Month()), int(t.Weekday()), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond() / 1_000_000} {
		block.SystemTime[i] = uint16(v)
	}
	_ = block.SetMachine(machine) // a name came out of a sample and fits into one
	b, _ = block.AppendTo(b)      // a block without objects cannot be too long
	return b
}

// appendObject appends a PERF_OBJECT_TYPE made of what the frame says, for
// objects that stand in other forms in the sample.
func appendObject(b []byte, o frame.Object) []byte {
	block := perfdata.Block{Objects: []perfdata.Object{objectOf(o)}}
	encoded, err := block.Encode()
	if err != nil || len(encoded) < blockHeader {
		return b
	}
	return append(b, encoded[binary.LittleEndian.Uint32(encoded[atHeaderLength:]):]...)
}

// objectOf copies an object out of a frame. Instances carry parent/name as
// their names.
func objectOf(o frame.Object) perfdata.Object {
	clocks := o.Clocks()
	out := perfdata.Object{Title: o.ID().Index, Help: o.Help(), Detail: math.MaxUint32, DefaultCounter: int32(o.Default()), Time: clocks.ObjectTime, Freq: clocks.ObjectFreq}
	if o.Single() {
		out.Form = perfdata.Single
	}
	for k := range o.NumCounters() {
		c := o.Counter(k)
		d := perfdata.NewCounter(c.ID.Index, c.Type)
		d.Help, d.Scale, d.Detail = c.Help, c.Scale, c.Detail
		if d.Size = 0; c.Size == 4 || c.Size == 8 {
			d.Size = uint32(c.Size)
		}
		out.Detail = min(out.Detail, d.Detail)
		out.Counters = append(out.Counters, d)
	}
	out.Layout(true)
	labels := o.Labels()
	for i := range o.Len() {
		if _, err := out.AddInstance(labels.Full(i)); err != nil {
			_, _ = out.AddInstance("")
		}
		for k := range out.Counters {
			if v, ok := o.Raw(i, k); ok {
				_ = out.SetValue(i, k, v)
			} else {
				_ = out.SetMissing(i, k, true)
			}
		}
	}
	return out
}
