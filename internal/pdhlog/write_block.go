package pdhlog

import (
	"math"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/perfdata"
)

// blocks makes performance data blocks of one object each, the form in which PDH stores
// whole objects.
type blocks struct {
	objects map[blockObject][]byte // of the current sample, if their bytes can be copied
}

type blockObject struct {
	block *winperf.Block
	title uint32
}

// begin finds the objects of a frame whose bytes can be copied: those in performance data
// blocks without quirks.
func (w *blocks) begin(f frame.Frame) {
	if w.objects == nil {
		w.objects = map[blockObject][]byte{}
	}
	clear(w.objects)
	for b := range f.Blocks() {
		if b.Format == winperf.FormatV1 && b.Quirks&winperf.WidthFromType == 0 {
			w.cut(b)
		}
	}
}

func (w *blocks) cut(b *winperf.Block) {
	// Damaged objects are missing in the frame, too.
	rest, count, _ := datablock.Objects(b.Bytes, b.Quirks)
	for range count {
		object, behind, err := datablock.CutObject(rest)
		if err != nil {
			return
		}
		if at := (blockObject{b, object.Title()}); w.objects[at] == nil {
			w.objects[at] = object
		}
		rest = behind
	}
}

// append appends the block of an entry's object, or a block without objects if the frame
// lacks it.
func (w *blocks) append(
	b []byte, e *listEntry, f frame.Frame, o frame.Object, found bool, local int64,
) []byte {
	clocks, title := f.Clocks(), e.object.Index
	var object []byte
	if found {
		clocks = o.Clocks()
	}
	if found && e.only == nil {
		object = w.objects[blockObject{o.Block(), title}]
	}

	start, objects := len(b), 1
	b = datablock.AppendHead(b, &datablock.Head{
		Machine:       e.Path.Machine,
		DefaultObject: int32(title),
		SystemTime:    winperf.FromFiletime(local), // as in real logs
		Clocks:        clocks,
	})

	switch {
	case !found:
		objects = 0
	case object != nil:
		b = append(b, object...)
	default:
		b = appendObject(b, o, e.positions(o))
	}

	b = pad8(b, start)
	datablock.FinishBlock(b[start:], objects)
	return b
}

// positions returns the positions of an entry's counters in its object, and of their bases
// and clocks.
func (e *listEntry) positions(o frame.Object) (ks []int) {
	if e.only == nil {
		for k := range o.NumCounters() {
			ks = append(ks, k)
		}
		return ks
	}

	for _, id := range e.only {
		if k, ok := o.FindCounter(id); ok {
			c := o.Counter(k)
			ks = append(ks, k, c.Base, c.Clock, c.Freq)
		}
	}
	slices.Sort(ks)
	ks = slices.Compact(ks)
	return slices.DeleteFunc(ks, func(k int) bool { return k < 0 })
}

// appendObject appends a PERF_OBJECT_TYPE of some counters of the frame, for objects in
// other formats.
func appendObject(b []byte, o frame.Object, ks []int) []byte {
	encoded := objectOf(o, ks)
	b, _ = encoded.AppendTo(b) // or b unchanged if the object is too long
	return b
}

// objectOf copies counters of an object from a frame. Names of instances are parent/name.
func objectOf(o frame.Object, ks []int) perfdata.Object {
	clocks := o.Clocks()
	out := perfdata.Object{
		Title: o.ID().Index, Help: o.Help(), Detail: math.MaxUint32, DefaultCounter: int32(o.Default()),
		Time: clocks.ObjectTime, Freq: clocks.ObjectFreq,
	}
	if len(ks) < o.NumCounters() {
		out.DefaultCounter = -1
	}
	if o.Single() {
		out.Form = perfdata.Single
	}

	for _, k := range ks {
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
		for n, k := range ks {
			v, ok := o.Raw(i, k)
			switch {
			case ok:
				_ = out.SetValue(i, n, v)
			case o.Lack(i, k) == counter.NotPermitted:
				_ = out.Deny(i, n)
			default:
				_ = out.SetMissing(i, n, true)
			}
		}
	}
	return out
}
