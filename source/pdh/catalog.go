package pdh

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/counterset"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/nametable"
)

// FirstTitle is the lowest title index that an object gets: PDH does not tell the
// real ones.
const FirstTitle = 1 << 25

// titleRoom is how many title indices an object has, with those of its counters:
// the counters of an object are learned one by one.
const titleRoom = 1 << 15

// maxEntries is how many counters an object may have.
const maxEntries = titleRoom / (2 * idsPerCounter * 2)

// catalog is what is known of objects and counters.
type catalog struct {
	objects []*object
	byName  map[string]*object // in lower case
	local   map[uint32]string
	english map[uint32]string
	changed bool
}

// object is one object. As samples hold it, it is a counter set.
type object struct {
	name     string
	info     counterset.Info
	title    uint32
	counters []*entry
	byName   map[string]*entry // in lower case
}

// entry is one counter of an object. A raw value of PDH comes with a second one,
// which is its base or its clock, and the clock with a frequency: they become
// counters of their own, with ids behind that of the counter.
type entry struct {
	id     uint32
	typ    counter.Type
	second role
}

// role is what PDH_RAW_COUNTER.SecondValue is.
type role uint8

const (
	noSecond role = iota
	baseValue
	clockValue
)

// Ids of what belongs to a counter, counted from its own.
const (
	idValue = iota
	idSecond
	idFrequency
	idMulti
	idsPerCounter
)

func (c *catalog) init() {
	c.byName, c.local, c.english = map[string]*object{}, map[uint32]string{}, map[uint32]string{}
}

// object returns the object with the name, a new one if there is none yet.
func (c *catalog) object(name string) *object {
	key := strings.ToLower(name)
	if o := c.byName[key]; o != nil {
		return o
	}
	o := &object{name: name, title: FirstTitle + uint32(len(c.objects))*titleRoom, byName: map[string]*entry{}}
	o.info.GUID, o.info.InstanceType = counterset.MadeUp(o.title), counterset.FlagMultiple
	c.objects, c.byName[key], c.changed = append(c.objects, o), o, true
	put(c.local, o.title, name)
	return o
}

// entry returns the counter that PDH told of, a new one if there is none yet; nil
// if the object has more than it may.
func (c *catalog) entry(o *object, info *winapi.CounterInfo) *entry {
	key := strings.ToLower(info.Counter)
	if e := o.byName[key]; e != nil {
		return e
	}
	if len(o.counters) == maxEntries {
		return nil
	}
	e := &entry{id: uint32(len(o.counters)) * idsPerCounter, typ: counter.Type(info.Type)}
	if len(o.counters) == 0 && !info.HasInstance {
		o.info.InstanceType = 0
	}
	o.counters, o.byName[key], c.changed = append(o.counters, e), e, true
	title := o.title + 2 + 2*uint32(len(o.info.Counters))
	put(c.local, title, info.Counter)
	put(c.local, title+1, info.Explain)
	o.register(e, info.DefaultScale)
	return e
}

// put notes a text that a name table can hold.
func put(texts map[uint32]string, title uint32, s string) {
	if _, err := nametable.FromMap(nametable.Mixed, map[uint32]string{title: s}); err == nil {
		texts[title] = s
	}
}

// nameEnglish notes what a counter is called in English.
func (c *catalog) nameEnglish(o *object, e *entry, object, counter string) {
	at := slices.IndexFunc(o.info.Counters, func(i counterset.CounterInfo) bool { return i.ID == e.id })
	title := o.title + 2 + 2*uint32(at)
	if c.english[o.title] == "" || c.english[title] == "" {
		put(c.english, o.title, object)
		put(c.english, title, counter)
		c.changed = true
	}
}

// register enters a counter, and what belongs to it, in the object's registration.
func (o *object) register(e *entry, scale int32) {
	plain := counterset.CounterInfo{
		Detail: 100, Base: counterset.None, PerfTime: counterset.None, PerfFreq: counterset.None, Multi: counterset.None,
	}
	value := plain
	value.ID, value.Type, value.Scale = e.id, e.typ, scale
	extra := []counterset.CounterInfo{}
	add := func(id uint32, t counter.Type) uint32 {
		with := plain
		with.ID, with.Type, with.Attrib = e.id+id, t, counterset.NoDisplayable
		extra = append(extra, with)
		return with.ID
	}
	switch {
	case e.typ.NeedsBase():
		e.second = baseValue
		value.Base = add(idSecond, counter.LargeRawBase)
	case usesClock(e.typ):
		e.second = clockValue
		value.PerfTime = add(idSecond, counter.LargeRawBase)
		value.PerfFreq = add(idFrequency, counter.LargeRawBase)
	}
	if e.typ.IsMulti() {
		value.Multi = add(idMulti, counter.LargeRawBase)
	}
	o.info.Counters = append(append(o.info.Counters, value), extra...)
}

// usesClock tells whether the formula of a type needs a time.
func usesClock(t counter.Type) bool {
	info, _ := t.Info()
	return info.Formula.Operands()&(counter.OperandD0|counter.OperandD1) != 0
}

// ids are the ids of a counter and what belongs to it, in the order of values.
func (e *entry) ids(dst []uint32) []uint32 {
	dst = append(dst, e.id)
	if e.second != noSecond {
		dst = append(dst, e.id+idSecond)
	}
	if e.second == clockValue {
		dst = append(dst, e.id+idFrequency)
	}
	if e.typ.IsMulti() {
		dst = append(dst, e.id+idMulti)
	}
	return dst
}

// values are the values to these ids.
func (e *entry) values(dst []counterset.Value, raw *winapi.PDH_RAW_COUNTER, frequency int64) []counterset.Value {
	v := func(size uint32, bits uint64) { dst = append(dst, counterset.Value{Size: size, Bits: bits}) }
	size := uint32(8)
	if e.typ.Width() == 4 && e.typ != counter.AverageTimer && uint64(raw.FirstValue)>>32 == 0 {
		size = 4 // so that it may wrap
	}
	v(size, uint64(raw.FirstValue))
	if e.second != noSecond {
		v(8, uint64(raw.SecondValue))
	}
	if e.second == clockValue {
		v(8, uint64(frequency))
	}
	if e.typ.IsMulti() {
		v(8, uint64(raw.MultiCount))
	}
	return dst
}

// schema makes a schema of the catalog.
func (c *catalog) schema() (*winperf.Schema, error) {
	c.changed = false
	s := &winperf.Schema{Interface: "pdh"}
	for _, o := range c.objects {
		s.Sets = append(s.Sets, winperf.CounterSet{GUID: o.info.GUID, Title: o.title, Info: counterset.AppendInfo(nil, &o.info)})
	}
	local, err := nametable.FromMap(nametable.Mixed, c.local)
	if err != nil {
		return nil, err
	}
	s.Names = append(s.Names, local.NameTable(localLanguage))
	if len(c.english) > 0 {
		english, err := nametable.FromMap(nametable.Mixed, c.english)
		if err != nil {
			return nil, err
		}
		s.Names = append(s.Names, english.NameTable(nametable.English))
	}
	return s, nil
}

// localLanguage stands for the system's language, which PDH does not tell: no
// table of Windows has this id (winnt.h: LANG_INVARIANT).
const localLanguage = "07F"

// matching returns the names that match.
func matching(p winperf.Pattern, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !p.Match(s) })
}
