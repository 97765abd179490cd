package pdh

import (
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/internal/selection"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/nametable"
)

// firstTitle is the lowest title index of an object. PDH does not report the real indices.
const firstTitle = 1 << 25

// maxTitles is the number of title indices of an object and its counters. It is fixed because
// counters are added one by one.
const maxTitles = 1 << 15

// maxEntries is the largest number of counters of an object.
const maxEntries = maxTitles/2 - 1

// catalog holds the known objects and counters.
type catalog struct {
	objects []*object
	byName  map[string]*object // in lower case
	local   map[uint32]string
	english map[uint32]string
	changed bool
}

type object struct {
	name     string
	title    uint32
	counters map[string]*entry // by name in lower case
}

// entry is one counter of an object.
type entry struct {
	title uint32
	typ   counter.Type
}

func (c *catalog) init() {
	c.byName = map[string]*object{}
	c.local = map[uint32]string{}
	c.english = map[uint32]string{}
}

// object returns the object with a name, and adds it if needed.
func (c *catalog) object(name string) *object {
	key := strings.ToLower(name)
	if o := c.byName[key]; o != nil {
		return o
	}
	o := &object{name: name, title: firstTitle + uint32(len(c.objects))*maxTitles,
		counters: map[string]*entry{}}
	c.objects = append(c.objects, o)
	c.byName[key] = o
	c.changed = true
	put(c.local, o.title, name)
	return o
}

// entry returns the entry of a counter, and adds it if needed. It returns nil if the object has too
// many counters.
func (c *catalog) entry(o *object, info *winapi.CounterInfo) *entry {
	key := strings.ToLower(info.Counter)
	if e := o.counters[key]; e != nil {
		return e
	}
	if len(o.counters) == maxEntries {
		return nil
	}

	e := &entry{title: o.title + 2 + 2*uint32(len(o.counters)), typ: counter.Type(info.Type)}
	o.counters[key] = e
	c.changed = true
	put(c.local, e.title, info.Counter)
	put(c.local, e.title+1, info.Explain)
	return e
}

// put stores a text, if a name table can hold it.
func put(texts map[uint32]string, title uint32, s string) {
	if _, err := nametable.FromMap(nametable.Mixed, map[uint32]string{title: s}); err == nil {
		texts[title] = s
	}
}

// nameEnglish stores the English names of an object and a counter.
func (c *catalog) nameEnglish(o *object, e *entry, object, counter string) {
	if c.english[o.title] == "" || c.english[e.title] == "" {
		put(c.english, o.title, object)
		put(c.english, e.title, counter)
		c.changed = true
	}
}

// schema makes a schema from the catalog.
func (c *catalog) schema() (*winperf.Schema, error) {
	c.changed = false
	s := &winperf.Schema{Interface: "pdh"}
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

// localLanguage is the id used for the system's language, which PDH does not report. No table of
// Windows has this id (winnt.h: LANG_INVARIANT).
const localLanguage = "07F"

// matching returns the names that match n.
func matching(n *selection.Name, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !n.Is(0, s) })
}
