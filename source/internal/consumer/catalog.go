package consumer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/counterset"
	"github.com/winperf/winperf/nametable"
)

// firstTitle is the lowest title index of a counter set. The indices of Windows and of package
// provider are much lower.
const firstTitle = 1 << 24

// catalog holds the registered counter sets.
type catalog struct {
	sets    []winperf.CounterSet
	infos   map[winperf.GUID]*counterset.Info // nil for an unreadable set
	next    uint32                            // title index of the next set
	english map[uint32]string
	local   map[uint32]string
	damage  []error
}

// refresh updates the schema. It runs on the line.
func (s *source) refresh(ctx context.Context) (*winperf.Schema, error) {
	ids, err := s.consumer.sets()
	if err != nil {
		return nil, err
	}

	c := &s.catalog
	if c.infos == nil {
		*c = catalog{
			infos: map[winperf.GUID]*counterset.Info{}, next: firstTitle,
			english: map[uint32]string{}, local: map[uint32]string{},
		}
	}

	schema := s.schema.Load()
	fresh := schema == nil
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, known := c.infos[id]; !known {
			s.load(id)
			fresh = true
		}
	}

	if fresh {
		if schema, err = s.makeSchema(); err != nil {
			return nil, err
		}
		s.schema.Store(schema)
	}
	return schema, nil
}

// load reads the registration of a set. Unreadable parts are omitted.
func (s *source) load(id winperf.GUID) {
	c := &s.catalog
	info, b, err := s.consumer.info(id)
	c.infos[id] = info
	if err != nil {
		c.damage = append(c.damage, err)
	}

	if info == nil {
		return
	}
	c.damage = append(c.damage, info.Check()...)
	set := winperf.CounterSet{GUID: id, Title: c.next, Info: b}
	c.next += 2 + 2*uint32(len(info.Counters))
	c.sets = append(c.sets, set)
	r := texts{source: s, set: set, info: info, into: c.english}
	r.one(set.Title, "name", counterset.RegEnglishName, counterset.RegName)
	r.one(set.Title+1, "help text", counterset.RegHelp)
	r.all(0, "counter names", counterset.RegEnglishCounter, counterset.RegCounterNames)
	r.all(1, "counter help texts", counterset.RegCounterHelps)
	if c.english[set.Title] == "" {
		c.english[set.Title] = id.String() // so that paths can name it
	}

	if s.language.english() {
		return
	}
	r.into = c.local
	r.lang = s.language.lang
	r.one(set.Title, "name", counterset.RegName)
	r.one(set.Title+1, "help text", counterset.RegHelp)
	r.all(0, "counter names", counterset.RegCounterNames)
	r.all(1, "counter help texts", counterset.RegCounterHelps)
}

// texts reads the names and help texts of one set in one language.
type texts struct {
	source *source
	set    winperf.CounterSet
	info   *counterset.Info
	lang   uint32 // 0 is English
	into   map[uint32]string
}

// one reads one text, with the first code that returns one.
func (r *texts) one(title uint32, what string, codes ...uint32) {
	var errs []error
	for _, code := range codes {
		s, err := r.source.consumer.text(r.set.GUID, code, r.lang)
		if err == nil && s != "" {
			r.put(title, s)
			return
		}
		errs = append(errs, err)
	}
	r.fail(what, errors.Join(errs...))
}

// all reads the texts of all counters, with the first code that returns any. help is 1 for help
// texts.
func (r *texts) all(help uint32, what string, codes ...uint32) {
	var errs []error
	for _, code := range codes {
		all, err := r.source.consumer.texts(r.set.GUID, code, r.lang)
		for _, t := range all {
			at := slices.IndexFunc(r.info.Counters,
				func(c counterset.CounterInfo) bool { return c.ID == t.ID })
			if at >= 0 {
				r.put(r.set.Title+2+2*uint32(at)+help, t.Text)
			}
		}
		errs = append(errs, err...)
		if len(all) > 0 {
			break
		}
	}
	r.fail(what, errors.Join(errs...))
}

// put stores a text, if a name table can hold it.
func (r *texts) put(title uint32, s string) {
	if s == "" {
		return
	}
	if _, err := nametable.FromMap(nametable.Mixed, map[uint32]string{title: s}); err == nil {
		r.into[title] = s
	}
}

// fail records the reason for missing texts. A language that is not installed is no damage; its
// names are shown in English.
func (r *texts) fail(what string, err error) {
	if err != nil && r.lang == 0 {
		r.source.catalog.damage = append(r.source.catalog.damage, fmt.Errorf("%s: %w", what, err))
	}
}

// makeSchema makes a schema from the catalog, with the user's language first.
func (s *source) makeSchema() (*winperf.Schema, error) {
	c := &s.catalog
	schema := &winperf.Schema{Sets: slices.Clone(c.sets), Damage: slices.Clone(c.damage),
		Interface: "perflib"}
	english, err := nametable.FromMap(nametable.Mixed, c.english)
	if err != nil {
		return nil, err
	}

	if len(c.local) > 0 {
		local, err := nametable.FromMap(nametable.Mixed, c.local)
		if err != nil {
			return nil, err
		}
		schema.Names = append(schema.Names, local.NameTable(s.language.id))
	}
	schema.Names = append(schema.Names, english.NameTable(nametable.English))
	return schema, nil
}
