package local

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// merger merges the schemas of several interfaces. Their title indices do not overlap: the registry
// uses the numbers of Windows, the others much higher ones. It keeps the last result, because
// measure treats a new schema as new names.
type merger struct {
	mu    sync.Mutex
	parts []*winperf.Schema
	whole *winperf.Schema
}

func (m *merger) merge(parts []*winperf.Schema) *winperf.Schema {
	if len(parts) == 1 {
		return parts[0]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.whole == nil || !slices.Equal(m.parts, parts) {
		m.parts, m.whole = slices.Clone(parts), mergeSchemas(parts)
	}
	return m.whole
}

// mergeSchemas merges schemas. Interface is the first schema's; objects of other interfaces are
// listed in Interfaces.
func mergeSchemas(parts []*winperf.Schema) *winperf.Schema {
	whole := &winperf.Schema{Interface: parts[0].Interface, Interfaces: map[uint32]string{}}
	var languages []string
	for _, p := range parts {
		whole.Costly = append(whole.Costly, p.Costly...)
		whole.Sets = append(whole.Sets, p.Sets...)
		whole.Damage = append(whole.Damage, p.Damage...)
		if p.Interface != whole.Interface {
			listInterface(whole.Interfaces, p)
		}
		for _, n := range p.Names {
			if !slices.Contains(languages, n.Language) {
				languages = append(languages, n.Language)
			}
		}
	}

	for _, id := range languages {
		nt := winperf.NameTable{Language: id}
		var err, helpErr error
		nt.Counter, err = mergeTables(parts, id, nametable.Counter)
		nt.Help, helpErr = mergeTables(parts, id, nametable.Help)
		if err = errors.Join(err, helpErr); err != nil {
			whole.Damage = append(whole.Damage, fmt.Errorf("names in language %s: %w", id, err))
		}
		whole.Names = append(whole.Names, nt)
	}
	return whole
}

// listInterface adds the titles of a schema's interface: its counter sets. A schema without sets
// adds every name, because it does not say which names are objects.
func listInterface(interfaces map[uint32]string, s *winperf.Schema) {
	for _, set := range s.Sets {
		interfaces[set.Title] = s.Interface
	}
	if len(s.Sets) > 0 {
		return
	}

	for _, n := range s.Names {
		table, _ := nametable.Parse(n.Counter, nametable.Options{}) // readers of the schema get the damage
		for title := range table.All() {
			interfaces[title] = s.Interface
		}
	}
}

// mergeTables joins one language's tables of all parts. The table of a single part is returned
// unchanged. In the other case the error reports damage, and the table has all readable names.
func mergeTables(parts []*winperf.Schema, id string, kind nametable.Kind) ([]byte, error) {
	var tables [][]byte
	for _, p := range parts {
		for _, n := range p.Names {
			b := n.Counter
			if kind == nametable.Help {
				b = n.Help
			}
			if n.Language == id && len(b) > 0 {
				tables = append(tables, b)
			}
		}
	}

	switch len(tables) {
	case 0:
		return nil, nil
	case 1:
		return tables[0], nil
	}

	texts := map[uint32]string{}
	var errs []error
	for _, b := range tables {
		t, damage := nametable.Parse(b, nametable.Options{Kind: kind})
		errs = append(errs, damage...)
		more := maps.Collect(t.All())
		if _, err := nametable.FromMap(nametable.Mixed, more); err != nil {
			errs = append(errs, err)
			continue
		}

		for index, text := range more {
			if _, known := texts[index]; !known {
				texts[index] = text
			}
		}
	}

	t, err := nametable.FromMap(nametable.Mixed, texts)
	if err != nil {
		return tables[0], errors.Join(append(errs, err)...)
	}
	return t.Encode(nil), errors.Join(errs...)
}
