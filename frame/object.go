package frame

import (
	"iter"
	"sort"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/internal/wire"
)

// Object is one object of a frame. It is valid as long as the frame.
type Object struct {
	s   *store
	pos int
	at  int // position in the frame
}

func (o Object) def() *index.Object { return &o.s.index.Objects[o.pos] }

func (o Object) counters() []index.Counter {
	d := o.def()
	return o.s.index.Counters[d.Counter0:d.CounterEnd]
}

// Labels returns the names of the object's instances.
func (o Object) Labels() *Labels { return o.s.labels[o.pos] }

// First reports whether the object is in an independent part ([winperf.Part].Independent) of f and was
// sampled only once, so that no older values exist.
func (o Object) First(f Frame) bool {
	p := f.part(o.s.number)
	return p != nil && p.independent && f.previousOf(o).s == nil
}

// Number identifies one sample of the object. No other object and no other sample gets the same number,
// even if it reuses the memory. The number is never 0. Equal numbers in several frames mean that the
// object was not sampled in between, which is usual for independent parts.
func (o Object) Number() uint64 { return o.s.first + uint64(o.pos) }

// Block returns the block that contains the object.
func (o Object) Block() *winperf.Block { return o.s.block }

// Machine returns the name of the object's machine.
func (o Object) Machine() string { return o.s.name }

// ID returns the object's identity.
func (o Object) ID() winperf.ObjectID {
	return winperf.ObjectID{Index: o.def().Title, GUID: o.def().GUID}
}

// Help returns the title index of the object's help text.
func (o Object) Help() uint32 { return o.def().Help }

// Default returns the position of the counter to show first, -1 for none.
func (o Object) Default() int { return int(o.def().DefaultCounter) }

// Single reports whether the object has one unnamed instance only.
func (o Object) Single() bool {
	n := o.def().NumInstances
	return n == index.NoInstances || n == index.MetadataSingle
}

// Metadata reports whether the object has definitions only, without instances and values.
func (o Object) Metadata() bool {
	n := o.def().NumInstances
	return n == index.MetadataMultiple || n == index.MetadataSingle
}

// Len returns the number of instances with values; 1 for a single-instance object.
func (o Object) Len() int {
	d := o.def()
	return int(d.InstanceEnd - d.Instance0)
}

// NumCounters returns the number of counter definitions, including bases.
func (o Object) NumCounters() int {
	d := o.def()
	return int(d.CounterEnd - d.Counter0)
}

// Counter returns the definition at position k.
func (o Object) Counter(k int) Counter {
	d := &o.counters()[k]
	return Counter{
		ID:     winperf.CounterID{Index: d.Title, ID: d.ID},
		Help:   d.Help,
		Type:   d.Type,
		Size:   int(d.Size),
		Offset: int(d.Value),
		Scale:  d.Scale,
		Detail: d.Detail,
		Base:   int(d.Base),
		Clock:  int(d.Time) - 1,
		Freq:   int(d.Freq) - 1,
	}
}

// Counter is the definition of a counter.
type Counter struct {
	ID     winperf.CounterID
	Help   uint32 // title index of the help text
	Type   counter.Type
	Size   int    // size of the raw value in bytes
	Offset int    // offset of the raw value in an instance's block, in bytes
	Scale  int32  // DefaultScale, for graphs only
	Detail uint32 // 100 novice, 200 advanced, 300 expert, 400 wizard
	Base   int    // position of the base counter, -1 for none
	Clock  int    // position of the counter that is the clock of this one, -1 for the object's clock
	Freq   int    // position of the counter that is the frequency of this clock, -1 for none
}

// FindCounter returns the position of the first definition with the identity that is not a base.
func (o Object) FindCounter(id winperf.CounterID) (k int, ok bool) {
	for k := range o.counters() {
		if d := &o.counters()[k]; d.Title == id.Index && !d.Type.IsBase() {
			return k, true
		}
	}
	return 0, false
}

// Raw returns the raw value of counter k of instance i, zero-extended, and whether it exists.
func (o Object) Raw(i, k int) (v uint64, ok bool) { return o.s.index.Value(o.pos, i, k) }

// Lack returns the reason why counter k of instance i has no raw value: counter.NotPermitted or
// counter.InvalidData.
func (o Object) Lack(i, k int) counter.Status { return o.s.index.Lack(o.pos, i, k) }

// ReadRaw reads the raw values of counter k into dst, for len(dst) instances from position first on;
// 0 for missing values. It reports whether all exist.
func (o Object) ReadRaw(dst []uint64, k, first int) bool {
	return o.s.index.Column(dst, o.pos, k, first)
}

// ReadMulti reads the number of components of counter k into dst, for the same instances as ReadRaw. It
// returns false and sets dst to 0 if counter k is not a multi-timer, or has a base counter with this
// number.
func (o Object) ReadMulti(dst []uint64, k, first int) bool {
	return o.s.index.MultiColumn(dst, o.pos, k, first)
}

// ReadRows reads the raw values of all counters into dst. The values of the instance at position first
// come first, in the order of the definitions, then the values of the following instances, until dst
// has no space for another instance. A missing value is 0. ReadRows returns the number of instances,
// and whether all values exist. It is the fastest way to read everything.
func (o Object) ReadRows(dst []uint64, first int) (n int, whole bool) {
	return o.s.index.ReadRows(dst, o.pos, first)
}

// Text returns the text of counter k of instance i, and whether it exists.
func (o Object) Text(i, k int) (s string, ok bool) {
	b, ok := o.s.index.Text(o.pos, i, k)
	if !ok {
		return "", false
	}
	return wire.Text(b, datablock.TextPage(o.counters()[k].Type, o.def().CodePage)), true
}

// Instance returns the instance at position i, 0 ≤ i < Len.
func (o Object) Instance(i int) Instance { return Instance{o: o, pos: i} }

// Instances returns all instances in the order of the sample.
func (o Object) Instances() iter.Seq[Instance] {
	return func(yield func(Instance) bool) {
		for i := range o.Len() {
			if !yield(o.Instance(i)) {
				return
			}
		}
	}
}

// Instance is one instance of an object. It is valid as long as the frame.
type Instance struct {
	o   Object
	pos int
}

func (in Instance) link() index.Link { return in.o.s.index.Link(in.o.def(), in.pos) }

// Position returns the instance's position in its object.
func (in Instance) Position() int { return in.pos }

// Name returns the instance's name without the parent. If the instance has no name, this is its unique
// id, or its position if it has no id.
func (in Instance) Name() string { return in.o.Labels().Name(in.pos) }

// RawName returns the name in the sample, empty for an instance without one.
func (in Instance) RawName() string {
	ix, d := &in.o.s.index, in.o.def()
	return string(ix.AppendName(nil, &ix.Instances[int(d.Instance0)+in.pos], d.CodePage))
}

// Full returns parent/name; see [Labels.Full].
func (in Instance) Full() string { return in.o.Labels().Full(in.pos) }

// Occurrence returns the instance's number among equal full names; see [Labels.Occurrence].
func (in Instance) Occurrence() int { return in.o.Labels().Occurrence(in.pos) }

// UniqueID returns the number that identifies the instance instead of a name; ok is false for nearly
// all objects.
func (in Instance) UniqueID() (id int32, ok bool) {
	id = in.link().UniqueID
	return id, id != index.NoUniqueID
}

// ParentPlace returns the title index of the parent's object and the parent's position in it; the
// frame may lack the parent. ok is false for an instance without a parent.
func (in Instance) ParentPlace() (object uint32, position int64, ok bool) {
	l := in.link()
	return l.ParentObject, int64(l.ParentInstance), l.ParentObject != 0
}

// Parent returns the parent instance; ok is false if the instance has none or the frame lacks it.
func (in Instance) Parent() (parent Instance, ok bool) {
	at := in.link().Parent
	if at < 0 {
		return Instance{}, false
	}
	objects := in.o.s.index.Objects
	i := sort.Search(len(objects), func(i int) bool { return objects[i].InstanceEnd > uint32(at) })
	return Object{s: in.o.s, pos: i, at: i}.Instance(int(uint32(at) - objects[i].Instance0)), true
}
