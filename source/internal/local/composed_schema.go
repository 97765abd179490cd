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

// merger makes one schema of those of several interfaces. Their title indices do
// not overlap: the registry's are those of Windows, the others take theirs from
// far above. It keeps what it made last, as measuring takes a new schema for new
// names.
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

// mergeSchemas makes a schema of several. The first one's interface is that of all
// objects that are not listed.
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

// listInterface lists what comes from the interface of a schema: its counter sets or, where it has
// none, all that it has a name for, as nothing tells which of those are objects.
func listInterface(interfaces map[uint32]string, s *winperf.Schema) {
	for _, set := range s.Sets {
		interfaces[set.Title] = s.Interface
	}
	if len(s.Sets) > 0 {
		return
	}

	for _, n := range s.Names {
		table, _ := nametable.Parse(n.Counter, nametable.Options{}) // its damage is told with the names
		for title := range table.All() {
			interfaces[title] = s.Interface
		}
	}
}

// mergeTables joins one language's tables of all parts. Where only one part has
// the table it stays as it is, byte for byte; else damage comes as an error beside
// what could be read.
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
