package publish

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/provider"
)

type merged struct {
	object *provider.Object
	layout *provider.Layout
	image  *provider.Image
	parts  []part // in the order of trust
}

type part struct {
	file   *foreign
	number int
}

func (p part) declared() *provider.Object { return p.file.objects[p.number] }

type merger struct {
	reader  *Reader
	titles  *titleBook
	steps   int
	taken   notices
	omitted map[untrustedObject]bool
	faults  []fault

	objects []*merged
	shown   map[part]int
	signed  map[string]int
	named   map[string]part

	english    map[string]bool
	translated map[string]string
}

func (r *Reader) newMerger() *merger {
	return &merger{
		reader: r, titles: newTitleBook(), omitted: map[untrustedObject]bool{},
		shown: map[part]int{}, signed: map[string]int{}, named: map[string]part{},
		english: map[string]bool{}, translated: map[string]string{},
	}
}

// merge merges the requested objects of trusted files, and objects that may contain the parents of their
// instances: other objects with instances in the same file.
func (m *merger) merge(ctx context.Context, files []*foreign, includes func(name string) bool) error {
	byName := m.gather(files)
	m.omit(files, includes)
	var chosen []part
	var next []string
	visited := map[*foreign]bool{}

	for name, parts := range byName {
		if slices.ContainsFunc(parts, func(p part) bool { return m.includes(p.declared(), includes) }) {
			next = append(next, name)
		}
	}

	for len(next) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		parts := byName[next[0]]
		delete(byName, next[0])
		next = next[1:]
		if len(parts) == 0 {
			continue
		}

		for _, p := range m.unreserved(parts) {
			chosen = append(chosen, p)
			if p.declared().Multi && !visited[p.file] {
				visited[p.file] = true
				next = append(next, m.parents(p.file, byName)...)
			}
		}
	}

	sorted.Func(chosen, m.older)
	for _, p := range chosen {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.add(p)
	}
	return nil
}

func (m *merger) includes(o *provider.Object, includes func(name string) bool) bool {
	for _, text := range o.Languages {
		if includes(text.Name) && m.allows(o, text.Name) {
			return true
		}
	}
	return includes(o.Name)
}

// allows reports whether an object may have a name in another language: the name must not be another
// object's English name, or the translation of an older object. No object can be shown under the name of
// another account's object.
func (m *merger) allows(o *provider.Object, name string) bool {
	key, own := foldName(name), foldName(o.Name)
	other, taken := m.translated[key]
	reserved := m.isReserved(name)
	return key == own || !m.english[key] && !reserved && (!taken || other == own)
}

func (m *merger) older(a, b part) int {
	m.steps++
	return cmp.Or(m.reader.trust.older(a.file, b.file), cmp.Compare(a.number, b.number))
}

func (m *merger) isReserved(name string) bool {
	return m.reader.opt.Reserved != nil && m.reader.opt.Reserved(name)
}

func (m *merger) omit(files []*foreign, includes func(name string) bool) {
	for _, f := range files {
		if m.trusts(f) {
			continue
		}
		for _, o := range f.objects {
			if m.includes(o, includes) && !m.isReserved(o.Name) {
				m.omitted[untrustedObject{brief(o.Name), f.id.owner}] = true
			}
		}
	}
}

func (m *merger) trusts(f *foreign) bool { return m.reader.trust.rank(f.id.owner) != untrusted }

func (m *merger) gather(files []*foreign) map[string][]part {
	byName := map[string][]part{}
	for _, f := range files {
		if !m.trusts(f) {
			continue
		}
		for i, o := range f.objects {
			m.steps++
			key := foldName(o.Name)
			byName[key] = append(byName[key], part{f, i})
			m.english[key] = true
		}
	}
	return byName
}

func (m *merger) parents(f *foreign, byName map[string][]part) (names []string) {
	for _, o := range f.objects {
		m.steps++
		if key := foldName(o.Name); o.Multi && byName[key] != nil {
			names = append(names, key)
		}
	}
	return names
}

func (m *merger) unreserved(parts []part) []part {
	if !m.isReserved(parts[0].declared().Name) {
		return parts
	}
	for _, p := range parts {
		m.refuse(p, "object %q is not shown: the name belongs to an object of the system", brief(p.declared().Name))
	}
	return nil
}

func (m *merger) refuse(p part, format string, args ...any) {
	err := problem(p.file, format, args...)
	m.reader.report(p.file.path, err)
	m.taken.add(takenObject, err)
}

func problem(f *foreign, format string, args ...any) error {
	return fmt.Errorf("%s: %s", f.path, fmt.Sprintf(format, args...))
}

func (m *merger) owner(p part) string { return m.reader.accounts.name(p.file.id.owner) }

func (m *merger) add(p part) {
	o := p.declared()
	name, sign := foldName(o.Name), signature(o)
	if i, known := m.signed[sign]; known {
		other := m.objects[i]
		if !o.Multi {
			m.refuse(p, "object %q, which has no instances, is already published by %s: only that "+
				"one is shown",
				brief(o.Name), other.parts[0].file.path)
			return
		}
		other.parts = append(other.parts, p)
		m.shown[p] = i
		return
	}

	variant := ""
	if first, known := m.named[name]; known {
		variant = sign
		m.reader.report(p.file.path, problem(p.file, "object %q has other counters than in %s: both are shown",
			o.Name, first.file.path))
	} else {
		m.named[name] = p
	}

	object := m.entitle(p, variant)
	layout, err := provider.NewLayout(object, nil)
	if err != nil {
		err = problem(p.file, "%s", brief(err.Error()))
		m.reader.report(p.file.path, err)
		m.faults = append(m.faults, fault{p.file, err})
		return
	}

	m.shown[p], m.signed[sign] = len(m.objects), len(m.objects)
	image := p.file.images[p.number]
	m.objects = append(m.objects, &merged{object: object, layout: layout, image: image, parts: []part{p}})
}

// entitle sets the title indices of an object and its counters. Its help text names the account.
func (m *merger) entitle(p part, variant string) *provider.Object {
	from := p.declared()
	o := *from
	o.Help = m.ofOwner(p, o.Help)
	o.Languages = nil
	for language, text := range from.Languages {
		if !m.allows(from, text.Name) {
			continue
		}
		if o.Languages == nil {
			o.Languages = map[string]provider.Text{}
		}
		m.translated[foldName(text.Name)] = foldName(o.Name)
		o.Languages[language] = provider.Text{Name: text.Name, Help: m.ofOwner(p, text.Help)}
	}

	o.Index, o.HelpIndex = m.titles.entitle(o.Name, o.Help, o.Languages, func(key string) uint32 {
		return m.titles.object(key, variant)
	})
	o.Counters = slices.Clone(from.Counters)
	for i := range o.Counters {
		c := &o.Counters[i]
		c.Index, c.HelpIndex = m.titles.entitle(c.Name, c.Help, c.Languages, m.titles.name)
	}
	return &o
}

func (m *merger) ofOwner(p part, help string) string {
	if owner := m.owner(p); owner != "" {
		return strings.TrimSpace("Published by " + owner + ". " + help)
	}
	return help
}

// signature returns the properties that identify an object. Help texts and translations may differ: the
// texts of the oldest publisher are shown.
func signature(from *provider.Object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %v", foldName(from.Name), from.Multi)
	for i := range from.Counters {
		c := &from.Counters[i]
		fmt.Fprintf(&b, " %q %d %d %d %q", c.Name, c.Type, c.Scale, c.Detail, c.BaseSlot)
	}
	return b.String()
}

// foldName returns the same text for names that are equal under strings.EqualFold.
func foldName(name string) string { return string(wire.AppendFolded(nil, name)) }
