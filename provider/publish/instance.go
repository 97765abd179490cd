package publish

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/pubfile"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider"
)

// Object is an object of a publisher.
type Object struct {
	publisher *Publisher
	number    uint32
	declared  *provider.Object
	image     *provider.Image
	single    *Instance
}

// Instance is one instance of an object, or the values of an object without instances.
type Instance struct {
	object   *Object
	slot     *slot
	values   []byte
	parent   *Instance
	children map[*Instance]bool // guarded by Publisher.mu, like removed
	removed  bool
}

// InstanceOptions describe an instance.
type InstanceOptions struct {
	// Parent is the parent of the new instance: an instance of any object of the same publisher. nil
	// means no parent. Removing the parent also removes its children.
	Parent *Instance
	// UniqueID distinguishes instances of the same name. It is used only if HasUniqueID is true.
	UniqueID    int32
	HasUniqueID bool
}

// Multi reports whether the object has instances.
func (o *Object) Multi() bool { return o.declared.Multi }

// Has reports whether the object has a counter of that name, ignoring case.
func (o *Object) Has(name string) bool { return o.find(name) >= 0 }

func (o *Object) find(name string) int {
	return slices.IndexFunc(o.declared.Counters,
		func(c provider.Counter) bool { return strings.EqualFold(c.Name, name) })
}

// Single returns the values of an object without instances. The error wraps winperf.ErrState if the
// object has instances.
func (o *Object) Single() (*Instance, error) {
	if o.single == nil {
		return nil, fmt.Errorf("object %q has instances: %w", o.declared.Name, winperf.ErrState)
	}
	return o.single, nil
}

// Instance adds an instance whose values are 0. Names need not be unique. The error wraps
// winperf.ErrState if the object has no instances, if the name is empty, invalid or too long, if the
// parent was removed or belongs to another publisher, or if the publisher is closed. It wraps ErrFull if
// the file has no room.
func (o *Object) Instance(name string, opt InstanceOptions) (*Instance, error) {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("instance %q of object %q: %s: %w", name, o.declared.Name,
			fmt.Sprintf(format, args...), winperf.ErrState)
	}
	units := wire.NumUnits(name)
	switch {
	case !o.declared.Multi:
		return nil, fault("the object has no instances")
	case name == "" || strings.Contains(name, "\x00") || !utf8.ValidString(name):
		return nil, fault("the name is empty or not valid UTF-8")
	case units >= pubfile.MaxName:
		return nil, fault("the name has %d characters of UTF-16, want at most %d", units, pubfile.MaxName-1)
	case opt.Parent != nil && opt.Parent.object.publisher != o.publisher:
		return nil, fault("its parent belongs to another publisher")
	}

	head := datablock.InstanceHead{UniqueID: -1}
	if parent := opt.Parent; parent != nil {
		head.ParentObject = parent.object.declared.Index
		head.ParentInstance = parent.slot.offset
	}
	if opt.HasUniqueID {
		head.UniqueID = opt.UniqueID
	}
	return o.add(datablock.AppendInstance(nil, head, name), opt.Parent)
}

func (o *Object) add(definition []byte, parent *Instance) (*Instance, error) {
	p := o.publisher
	block := len(definition)
	body := datablock.AppendCounterBlock(definition, o.image.Block)

	p.mu.Lock()
	defer p.mu.Unlock()

	if p.closed || parent != nil && parent.removed {
		return nil,
			fmt.Errorf("instance of object %q: the publisher is closed, or the parent was removed: %w",
				o.declared.Name, winperf.ErrState)
	}
	s, err := p.memory.take(len(body))
	if err != nil {
		return nil, fmt.Errorf("instance of object %q: %w", o.declared.Name, err)
	}

	values := s.bytes[pubfile.SlotBody+block : pubfile.SlotBody+block+o.image.Block]
	in := &Instance{object: o, slot: s, values: values, parent: parent}
	if parent != nil {
		if parent.children == nil {
			parent.children = map[*Instance]bool{}
		}
		parent.children[in] = true
	}
	p.memory.use(s, o.number, body, block+datablock.FirstValue)
	return in, nil
}

// Remove removes the instance and its children. The program can still use its counters, but readers do
// not see them. Removing it again does nothing. The error wraps winperf.ErrState if the object has no
// instances.
func (in *Instance) Remove() error {
	if in == in.object.single {
		return fmt.Errorf("object %q has no instance to remove: %w", in.object.declared.Name,
			winperf.ErrState)
	}
	p := in.object.publisher
	p.mu.Lock()
	defer p.mu.Unlock()

	// Not in remove, which iterates over the children of an instance.
	if in.parent != nil {
		delete(in.parent.children, in)
	}
	in.remove()
	return nil
}

func (in *Instance) remove() {
	if in.removed {
		return
	}
	for child := range in.children {
		child.remove()
	}

	in.children = nil
	in.removed = true

	p := in.object.publisher
	if p.closed {
		return
	}

	p.memory.drop(in.slot)
	// The program may still use the counters of the instance. Its slot becomes free when the program has
	// no reference to any of them.
	runtime.AddCleanup(in, p.reuse, in.slot)
}

func (p *Publisher) reuse(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory.freeSlot(s)
}

// Counter returns the counter of that name, ignoring case. Each call returns a new Counter for the same
// memory. The error wraps winperf.ErrNoCounter if the object has no such counter.
func (in *Instance) Counter(name string) (*Counter, error) {
	return in.value(name, in.object.image.Value)
}

// Base returns the base of the counter of that name: the counter that its value is divided by. Counters
// can share a base: Base then returns Counters for the same memory. The error wraps winperf.ErrNoCounter
// if the object has no such counter, or the counter has no base.
func (in *Instance) Base(name string) (*Counter, error) {
	return in.value(name, in.object.image.Base)
}

func (in *Instance) value(name string, place func(i int) (offset, size int)) (*Counter, error) {
	o := in.object.declared
	i := in.object.find(name)
	if i < 0 {
		return nil, fmt.Errorf("counter %q: %w in object %q of the schema", name, winperf.ErrNoCounter,
			o.Name)
	}
	offset, size := place(i)
	if size == 0 {
		return nil, fmt.Errorf("base of counter %q, of type %v: %w", name, o.Counters[i].Type,
			winperf.ErrNoCounter)
	}

	c := &Counter{instance: in}
	if size == 8 {
		c.wide = word64(in.values, offset)
	} else {
		c.narrow = word32(in.values, offset)
	}
	return c, nil
}
