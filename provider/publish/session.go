package publish

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/winperf/winperf/provider"
)

// published is the provider of what a reader found.
type published struct {
	reader   *Reader
	declared []*provider.Object
	objects  []*merged // guarded by reader.mu; declared as in declared
}

// Name implements provider.Provider.
func (p *published) Name() string { return "published counters" }

// Objects implements provider.Provider.
func (p *published) Objects() []*provider.Object { return p.declared }

// Open implements provider.Provider. The reader has opened all files.
func (p *published) Open(context.Context) (provider.Session, error) { return p, nil }

// Close implements provider.Session.
func (p *published) Close() error { return nil }

// Collect implements provider.Session. It writes the objects that are wanted,
// and those that instances of them have their parents in.
func (p *published) Collect(ctx context.Context, q *provider.Query, w *provider.Writer) error {
	p.reader.mu.Lock()
	defer p.reader.mu.Unlock()
	if p.reader.last.Load() != p {
		return nil
	}
	c := collection{reader: p.reader, objects: p.objects, wanted: make([]bool, len(p.objects)), read: map[*foreign]bool{}, budget: maxData}
	for i, m := range p.objects {
		c.wanted[i] = q.Wants(m.object)
		if c.wanted[i] && q.Metadata {
			w.Definitions(m.layout)
		}
	}
	if q.Metadata {
		return nil
	}
	if err := c.readAll(ctx); err != nil {
		return err
	}
	for i, m := range p.objects {
		if c.wanted[i] {
			c.write(w, m)
		}
	}
	return nil
}

// collection is one sample of all files that are needed.
type collection struct {
	reader  *Reader
	objects []*merged
	wanted  []bool // by object
	read    map[*foreign]bool
	budget  int64 // bytes that may still be read
}

// readAll reads the files of the wanted objects and of the objects that their
// instances have their parents in, and numbers the instances of each.
func (c *collection) readAll(ctx context.Context) error {
	done := make([]bool, len(c.objects))
	for again := true; again; {
		again = false
		for i, m := range c.objects {
			if !c.wanted[i] || done[i] {
				continue
			}
			for _, p := range m.parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				c.readFile(p.file)
			}
			c.prepare(m)
			done[i], again = true, true
		}
	}
	return nil
}

// readFile reads a file, once.
func (c *collection) readFile(f *foreign) {
	if c.read[f] {
		return
	}
	c.read[f] = true
	err := f.sample(min(c.budget, MaxFile))
	switch {
	case errors.Is(err, errNotReady): // it is about to end
	case err != nil:
		c.reader.tell(f.path, err)
	case f.fault != nil:
		c.reader.tell(f.path, f.fault)
	}
	c.budget -= int64(len(f.data))
}

// prepare gives the instances of an object their positions, and wants the
// objects that their parents are in.
func (c *collection) prepare(m *merged) {
	var n uint32
	for _, p := range m.parts {
		list := p.file.of(p.number)
		for k := range list {
			list[k].position = n
			n++
			if i := c.shown(p.file, list[k].parent); i >= 0 {
				c.wanted[i] = true
			}
		}
	}
}

// shown returns the position of the merged object that has the relative title in
// a file, -1 if it is not shown.
func (c *collection) shown(f *foreign, title uint32) int {
	if i := f.titled(title); i >= 0 {
		return f.shown[i]
	}
	return -1
}

// write writes an object.
func (c *collection) write(w *provider.Writer, m *merged) {
	if !m.object.Multi {
		if list := m.parts[0].file.of(m.parts[0].number); len(list) > 0 { // or it is about to end
			o := w.Object(m.layout)
			setValues(&o, m, list[0].block)
			o.End()
		}
		return
	}
	o := w.Object(m.layout)
	for _, p := range m.parts {
		list := p.file.of(p.number)
		for k := range list {
			o.Instance(c.instance(p.file, &list[k]))
			setValues(&o, m, list[k].block)
		}
	}
	o.End()
}

// instance is what the definition of an instance holds.
func (c *collection) instance(f *foreign, in *foreignInstance) provider.Instance {
	d := provider.Instance{Name: in.name, UniqueID: in.uniqueID, HasUniqueID: in.uniqueID != -1}
	if in.parent == 0 {
		return d
	}
	i, parent := c.shown(f, in.parent), f.parentOf(in)
	if i < 0 || parent == nil {
		c.reader.tell(f.path, fmt.Errorf("%s: byte %d: instance %q has no parent where it says", f.path, in.slot, in.name))
		return d
	}
	d.ParentObject, d.ParentPosition = c.objects[i].object.Index, parent.position
	return d
}

// setValues copies the values of a counter block.
func setValues(o *provider.ObjectWriter, m *merged, block []byte) {
	for i := range m.object.Counters {
		offset, size := m.image.Value(i)
		o.Set(i, rawValue(block, offset, size))
		if offset, size = m.image.Base(i); size != 0 {
			o.SetBase(i, rawValue(block, offset, size))
		}
	}
}

func rawValue(block []byte, offset, size int) uint64 {
	if size == 8 {
		return binary.LittleEndian.Uint64(block[offset:])
	}
	return uint64(binary.LittleEndian.Uint32(block[offset:]))
}
