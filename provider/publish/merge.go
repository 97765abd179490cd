package publish

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/provider"
)

// merged is an object with the instances of all who publish it.
type merged struct {
	object    *provider.Object // with absolute titles
	layout    *provider.Layout
	image     *provider.Image
	signature string
	parts     []part // the oldest publisher first
}

// part is what one file has of an object.
type part struct {
	file   *foreign
	number int // of the object in the file
}

// merger puts the objects of all files together.
type merger struct {
	reserved func(name string) bool
	problem  func(f *foreign, format string, args ...any)
	objects  []*merged
	titles   *titleBook
	schemas  int // bytes of all that have something in objects
}

// merge puts the objects of the files together, the oldest file first.
func (m *merger) merge(files []*foreign) {
	for _, f := range files {
		f.shown = slices.Repeat([]int{-1}, len(f.objects))
		if m.schemas+f.schema > MaxSchema {
			m.problem(f, "all schemas together are larger than %d bytes: this one is left out", MaxSchema)
			continue
		}
		m.schemas += f.schema
		for i, o := range f.objects {
			if m.reserved != nil && m.reserved(o.Name) {
				m.problem(f, "object %q is one of the system's own: it is left out", o.Name)
				continue
			}
			m.add(part{f, i}, o)
		}
	}
}

// add adds an object to the one of the same name and definitions, if there is one.
func (m *merger) add(p part, o *provider.Object) {
	sign := signature(o)
	variant := ""
	for _, other := range m.objects {
		switch {
		case !strings.EqualFold(other.object.Name, o.Name):
		case other.signature == sign:
			if !o.Multi {
				m.problem(p.file, "object %q, which has no instances, is published by %s already: that one is shown", o.Name, other.parts[0].file.path)
				return
			}
			other.parts = append(other.parts, p)
			return
		default:
			variant = sign
			m.problem(p.file, "object %q has other counters than in %s: both are shown", o.Name, other.parts[0].file.path)
		}
	}
	object := m.entitle(o, variant)
	layout, err := provider.NewLayout(object, nil)
	if err != nil { // it was checked when its file was opened
		m.problem(p.file, "%v", err)
		return
	}
	m.objects = append(m.objects, &merged{object: object, layout: layout, image: p.file.images[p.number], signature: sign, parts: []part{p}})
}

// entitle gives an object and its counters their title indices.
func (m *merger) entitle(from *provider.Object, variant string) *provider.Object {
	o := *from
	o.Index, o.HelpIndex = m.titles.object(o.Name, variant), m.titles.help(o.Help)
	o.Counters = slices.Clone(from.Counters)
	for i := range o.Counters {
		c := &o.Counters[i]
		c.Index, c.HelpIndex = m.titles.name(c.Name), m.titles.help(c.Help)
	}
	return &o
}

// signature is what two objects have in common that are one. Help texts may
// differ: those of the oldest publisher are shown.
func signature(from *provider.Object) string {
	o := *from
	o.Index, o.HelpIndex, o.Help = 0, 0, ""
	o.Name = strings.ToLower(o.Name)
	o.Counters = slices.Clone(from.Counters)
	for i := range o.Counters {
		c := &o.Counters[i]
		c.Index, c.HelpIndex, c.Help = 0, 0, ""
	}
	text, err := json.Marshal(&o)
	if err != nil {
		return fmt.Sprint(err) // numbers and strings: it never fails
	}
	return string(text)
}
