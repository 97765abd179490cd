package provider_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/provider"
)

// FuzzName compares the bytes of an instance's name with those that the
// standard library makes.
func FuzzName(f *testing.F) {
	for _, s := range []string{"", "Idle", "a\x00b", "Ünïcode", "𝄞\uffff\U00010000", "\xff", "\xed\xa0\x80",
		"a\xc3", "\ufffd", "\xf4\x90\x80\x80"} {
		f.Add(s)
	}
	l := layout(f, peer())
	var name string
	d := dispatcher(f, nil, writes(func(w *provider.Writer) {
		o := w.Object(l)
		o.Instance(provider.Instance{Name: name})
		o.Instance(provider.Instance{Name: "behind"})
		o.End()
	}, l))
	f.Fuzz(func(t *testing.T, s string) {
		name = s
		ix := ask(t, d, everything())
		var want []byte
		for _, u := range append(utf16.Encode([]rune(s)), 0) {
			want = binary.LittleEndian.AppendUint16(want, u)
		}
		if got := ix.NameBytes(&ix.Instances[0]); string(got) != string(want) {
			t.Errorf("% x, want % x", got, want)
		}
		if got := string(ix.AppendName(nil, &ix.Instances[1], 0)); got != "behind" {
			t.Errorf("the instance behind is named %q", got)
		}
	})
}

// choices takes decisions from the bytes of a fuzzer; when they are used up,
// each is 0.
type choices []byte

func (c *choices) next(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// model is an object of random shape with random values.
type model struct {
	object    *provider.Object
	kept      []bool
	instances []map[string]uint64 // by slot, what was written; a slot is a counter or a base
}

// valueSlot and baseSlot name what Set and SetBase write.
func valueSlot(i int) string { return fmt.Sprint("value ", i) }

func (m *model) baseSlot(i int) string {
	if shared := m.object.Counters[i].BaseSlot; shared != "" {
		return "shared " + shared
	}
	return fmt.Sprint("base ", i)
}

// newModel makes an object from choices. Shared bases have names by their
// width, so that every declaration is right.
func newModel(c *choices, index uint32) *model {
	types := declarable()
	m := &model{object: &provider.Object{
		Index: index, Name: fmt.Sprint("Object ", index), Multi: c.next(2) == 1,
	}}
	for i := range 1 + c.next(12) {
		d := provider.Counter{Index: index + uint32(2*i) + 2, Name: fmt.Sprint("Counter ", i),
			Type: types[c.next(len(types))].Type}
		if base := must(d.Type.Info()).Base; base != 0 && c.next(2) == 1 {
			d.BaseSlot = fmt.Sprint(must(base.Info()).Bytes)
		}
		m.object.Counters = append(m.object.Counters, d)
		m.kept = append(m.kept, i == 0 || c.next(4) > 0)
	}
	m.object.Default = c.next(len(m.object.Counters))
	n := 1
	if m.object.Multi {
		n = c.next(5)
	}
	m.instances = make([]map[string]uint64, n)
	return m
}

// write writes the object with values from choices, and notes them.
func (m *model) write(c *choices, w *provider.Writer, l *provider.Layout) {
	o := w.Object(l)
	o.Clock(int64(c.next(256)), 1)
	for i := range m.instances {
		m.instances[i] = map[string]uint64{}
		if m.object.Multi {
			o.Instance(provider.Instance{Name: fmt.Sprint(i)})
		}
		for k, d := range m.object.Counters {
			v := uint64(c.next(256)) * 0x0101_0203_0507_0B0D
			if c.next(3) > 0 {
				o.Set(k, v)
				m.instances[i][valueSlot(k)] = v
			}
			if d.BaseSlot == "" && must(d.Type.Info()).Base == 0 {
				continue
			}
			if c.next(3) > 0 {
				o.SetBase(k, ^v)
				m.instances[i][m.baseSlot(k)] = ^v
			}
		}
	}
	o.End()
}

// check compares what was read with what was written.
func (m *model) check(t *testing.T, ix *index.Index, obj int) {
	t.Helper()
	if got := int(ix.Objects[obj].InstanceEnd - ix.Objects[obj].Instance0); got != len(m.instances) {
		t.Fatalf("object %d: %d instances, want %d", obj, got, len(m.instances))
	}
	for i, written := range m.instances {
		def := 0
		next := func(typ counter.Type, slot string) {
			t.Helper()
			c := ix.Counters[int(ix.Objects[obj].Counter0)+def]
			want, there := written[slot]
			if c.Size == 4 {
				want &= 0xFFFFFFFF
			}
			if v, ok := ix.Value(obj, i, def); c.Type != typ || ok != there || v != want {
				t.Errorf("object %d, instance %d, definition %d: %v %d (there: %v), want %v %d (%v) of %s",
					obj, i, def, c.Type, v, ok, typ, want, there, slot)
			}
			def++
		}
		for k, d := range m.object.Counters {
			if !m.kept[k] {
				continue
			}
			next(d.Type, valueSlot(k))
			if base := must(d.Type.Info()).Base; base != 0 {
				next(base, m.baseSlot(k))
			}
		}
		if n := int(ix.Objects[obj].CounterEnd - ix.Objects[obj].Counter0); n != def {
			t.Errorf("object %d: %d definitions, want %d", obj, n, def)
		}
	}
}

// FuzzRoundTrip writes objects of random shape with random values and reads
// the same values from the block, in which nothing is unusual.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 11, 31, 1, 3, 14, 1, 1, 15, 1, 1, 15, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
		9, 9, 9, 9})
	all := make([]byte, 700)
	for i := range all {
		all[i] = byte(i*i + i/7)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := choices(data)
		var models []*model
		var layouts []*provider.Layout
		for n := range 1 + c.next(3) {
			m := newModel(&c, uint32(1000*(n+1)))
			l, err := provider.NewLayout(m.object, func(i int) bool { return m.kept[i] })
			if err != nil {
				t.Fatal(err)
			}
			models, layouts = append(models, m), append(layouts, l)
		}
		ix := once(t, func(w *provider.Writer) {
			for n, m := range models {
				m.write(&c, w, layouts[n])
			}
		}, layouts...)
		if len(ix.Objects) != len(models) {
			t.Fatalf("%d objects, want %d", len(ix.Objects), len(models))
		}
		for n, m := range models {
			m.check(t, ix, n)
		}
	})
}

// FuzzParseQuery: what a query's text is read as is what its own text is read
// as, and only the classes want a whole class.
func FuzzParseQuery(f *testing.F) {
	for _, s := range []string{"", "Global", "metadatacostly", "2 230", "Foreign x 2", "4294967295 0 00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q := provider.ParseQuery(s)
		if again := provider.ParseQuery(q.String()); again.String() != q.String() {
			t.Errorf("%q is %q, which is %q", s, q, again)
		}
		if (q.Global || q.Costly) && len(q.Objects) > 0 || q.Global && q.Costly {
			t.Errorf("%q wants %+v", s, q)
		}
		for _, n := range q.Objects {
			if !q.Includes(&provider.Object{Index: n}) {
				t.Errorf("%q does not want object %d", s, n)
			}
		}
	})
}
