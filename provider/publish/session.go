package publish

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/winperf/winperf/provider"
)

type published struct {
	view     *View
	declared []*provider.Object

	// Only the goroutine that uses the reader may use these fields.
	objects []*merged
	shown   map[part]int
	files   []*foreign
}

// Name implements provider.Provider.
func (p *published) Name() string { return "published counters" }

// Objects implements provider.Provider.
func (p *published) Objects() []*provider.Object { return p.declared }

// Open implements provider.Provider. It does not open files.
func (p *published) Open(context.Context) (provider.Session, error) { return p, nil }

// Close implements provider.Session.
func (p *published) Close() error { return nil }

// Collect implements provider.Session. It writes the requested objects, and the objects of their
// instances' parents.
func (p *published) Collect(ctx context.Context, q *provider.Query, w *provider.Writer) error {
	if err := p.view.reader.take(ctx); err != nil {
		return err
	}
	defer p.view.reader.release()

	if p.view.last.Load() != p {
		return nil
	}
	c := newCollection(p, q)
	for i, m := range p.objects {
		if c.selected[i] && q.Metadata {
			w.Definitions(m.layout)
		}
	}

	if q.Metadata {
		return nil
	}

	err := c.collect(ctx, w)
	if errors.Is(err, errChanged) {
		w.Restart()
		c = newCollection(p, q)
		c.whole = true
		err = c.collect(ctx, w)
	}

	if err != nil {
		return err
	}
	p.view.faults = c.faults
	p.view.note()
	return nil
}

type collection struct {
	*published
	reader   *Reader
	whole    bool
	selected []bool
	read     map[*foreign]bool
	spent    map[*watched]int64
	space    int64
	keep     int64 // number of bytes that may be kept for the next sample
	first    map[part]uint32
	fixed    []bool
	faults   []fault
}

// maxBlock limits the objects of one block: a dispatcher accepts 64 MiB of a provider by default, and
// drops everything beyond that.
const maxBlock = 63 << 20

func newCollection(p *published, q *provider.Query) *collection {
	c := &collection{
		published: p,
		reader:    p.view.reader,
		read:      map[*foreign]bool{},
		spent:     map[*watched]int64{},
		first:     map[part]uint32{},
		fixed:     make([]bool, len(p.objects)),
		space:     maxBlock,
		keep:      keepAll,
	}

	listed := map[uint32]bool{}
	for _, index := range q.Objects {
		listed[index] = true
	}

	for _, m := range p.objects {
		c.selected = append(c.selected, q.Global || listed[m.object.Index])
		c.space -= int64(m.layout.ObjectBytes())
	}
	return c
}

func (c *collection) collect(ctx context.Context, w *provider.Writer) error {
	defer c.forget()
	if err := c.readAll(ctx); err != nil {
		return err
	}

	w.Grow(int(maxBlock - c.space))
	for i, m := range c.objects {
		if c.selected[i] {
			if err := c.write(ctx, w, m, c.fixed[i] || !m.object.Multi); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *collection) fault(f *foreign, err error) {
	c.faults = append(c.faults, fault{f, err})
	c.reader.report(f.path, err)
}

// forget releases the memory of unusually large samples.
func (c *collection) forget() {
	for f := range c.read {
		f.forget()
	}
}

func (c *collection) readAll(ctx context.Context) error {
	done := make([]bool, len(c.objects))
	for {
		var round []*merged
		for i, m := range c.objects {
			if c.selected[i] && !done[i] {
				round = append(round, m)
				done[i] = true
			}
		}

		if len(round) == 0 {
			return nil
		}

		for _, m := range round {
			for _, p := range m.parts {
				if err := ctx.Err(); err != nil {
					return err
				}
				c.readFile(p.file)
			}
		}
		for _, m := range round {
			c.prepare(m)
		}
	}
}

func (c *collection) readFile(f *foreign) {
	if c.read[f] {
		return
	}
	limit := c.reader.opt.budget - f.dir.spent - c.spent[f.dir]

	var cost int64
	f.keep = max(c.keep, keepData)
	err := f.use(func() (err error) {
		cost, err = f.sample(limit, c.whole)
		return err
	})

	if err != nil {
		f.live = f.live[:0]
	}
	if f.kept {
		c.keep -= f.held()
	}
	c.read[f] = true
	c.spent[f.dir] += cost
	c.accept(f, err)
}

func (c *collection) accept(f *foreign, err error) {
	switch space := c.bytesOf(f); {
	case errors.Is(err, errNotReady), errors.Is(err, errRemoved):
	case err != nil:
		c.fault(f, err)
	case space > c.space:
		f.live = f.live[:0]
		f.forget()
		const message = "%s: its instances need %d bytes, but the sample has room for %d: %w"
		c.fault(f, fmt.Errorf(message, f.path, space, c.space, errTooMuch))

	default:
		c.space -= space
		if f.fault != nil {
			c.fault(f, f.fault)
		}
	}
}

// bytesOf returns the size in the block of a file's instances. It omits objects that the query does not
// show, and objects without instances, which are counted elsewhere.
func (c *collection) bytesOf(f *foreign) (n int64) {
	for i, o := range f.objects {
		at, shown := c.shown[part{f, i}]
		if !shown || !o.Multi {
			continue
		}
		for _, in := range f.of(i) {
			n += int64(c.objects[at].layout.InstanceBytes(int(in.name)))
		}
	}
	return n
}

func (c *collection) prepare(m *merged) {
	if !m.object.Multi {
		return
	}
	n := 0
	for _, p := range m.parts {
		c.first[p] = uint32(n)
		n += len(p.file.of(p.number))
		for _, number := range p.file.parentsOf(p.number) {
			if i, shown := c.shown[part{p.file, number}]; shown {
				c.selected[i], c.fixed[i] = true, true
			}
		}
	}
}

const checkEvery = 1 << 14

func (c *collection) write(ctx context.Context, w *provider.Writer, m *merged, fixed bool) error {
	parts := m.parts
	if !m.object.Multi {
		if parts = parts[:1]; len(parts[0].file.of(parts[0].number)) == 0 {
			return nil
		}
	}

	// Objects use the tick clock, as in the provider DLL on Windows.
	clocks := w.Clocks()
	o := w.Object(m.layout)
	o.Clock(clocks.PerfTime, clocks.PerfFreq)
	for _, p := range parts {
		err := p.file.reading(func() error { return c.writePart(ctx, &o, m, p, fixed) })
		if errors.Is(err, errChanged) {
			p.file.restless = true
		}
		if err != nil {
			return err
		}
	}
	o.End()
	return nil
}

func (c *collection) writePart(
	ctx context.Context, o *provider.ObjectWriter, m *merged, p part, fixed bool,
) error {
	for k, in := range p.file.of(p.number) {
		if k%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s, there, err := p.file.filled(in)
		switch {
		case err != nil:
			return err
		case !there && fixed:
			return errChanged
		case !there:
			continue
		}

		if m.object.Multi {
			o.Instance(c.instance(p.file, in, &s))
		}
		setValues(o, m, s.block)
		if !m.object.Multi {
			break
		}
	}
	return nil
}

func (c *collection) instance(f *foreign, in foreignInstance, s *filled) provider.Instance {
	out := provider.Instance{UTF16: s.name, UniqueID: s.uniqueID, HasUniqueID: s.uniqueID != -1}
	if s.parent == 0 {
		return out
	}

	object, k := f.titled(s.parent), -1
	i, shown := c.shown[part{f, object}]
	if shown {
		k = f.parentOf(object, s.slot)
	}

	if k < 0 {
		c.orphan(f, in)
		return out
	}
	out.ParentObject = c.objects[i].object.Index
	out.ParentPosition = c.first[part{f, object}] + uint32(k)
	return out
}

func (c *collection) orphan(f *foreign, in foreignInstance) {
	if f.fault == nil {
		f.fault = f.bad(f.begin+int64(in.at), "the parent of an instance is missing")
		c.fault(f, f.fault)
	}
}

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
