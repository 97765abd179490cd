package v1

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/internal/winapi"
	"github.com/winperf/winperf/internal/wire"
	"github.com/winperf/winperf/nametable"
)

// maxLanguages limits the number of languages that are read; a system has a few.
const maxLanguages = 64

// tables reads name tables.
type tables struct {
	*reader
	ctx  context.Context
	user string // the user's language

	english winperf.NameTable
	damage  []error
}

// readAll reads the tables of every installed language: the user's, then English, then the others.
// Unreadable tables are omitted and noted.
func (t *tables) readAll() []winperf.NameTable {
	t.english = t.language(nametable.English)
	all := []winperf.NameTable{t.english}
	for _, id := range t.installed() {
		nt := t.language(id)
		switch {
		case len(nt.Counter) == 0 && len(nt.Help) == 0:
		case id == t.user:
			all = slices.Insert(all, 0, nt)
		default:
			all = append(all, nt)
		}
	}
	return all
}

// installed returns the ids of all languages except English.
func (t *tables) installed() []string {
	subkeys, err := t.keys.Languages(t.ctx)
	if err != nil {
		t.damage = append(t.damage, fmt.Errorf("installed languages: %w", err))
	}

	ids := []string{t.user}
	for _, name := range subkeys {
		if isLanguage(name) {
			ids = append(ids, strings.ToUpper(name))
		}
	}

	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids),
		func(id string) bool { return id == nametable.English || id == "" })
	return ids[:min(len(ids), maxLanguages)]
}

// isLanguage reports whether a subkey of Perflib is for a language: three or four hexadecimal
// digits.
func isLanguage(name string) bool {
	return (len(name) == 3 || len(name) == 4) && strings.Trim(name, "0123456789abcdefABCDEF") == ""
}

// language reads the tables of one language.
func (t *tables) language(id string) winperf.NameTable {
	return winperf.NameTable{
		Language: id,
		Counter:  t.table(id, "Counter", t.english.Counter),
		Help:     t.table(id, "Help", t.english.Help),
	}
}

// table reads one table from the first place that has it. For other languages, some systems return
// the English table (Windows 10 for help texts, Wine for all); table then tries the next place.
func (t *tables) table(id, value string, english []byte) []byte {
	var errs []error
	for _, p := range t.places(id, value) {
		if t.ctx.Err() != nil {
			return nil
		}
		q := request{key: p.key, name: wire.Units(p.value), typ: winapi.REG_MULTI_SZ, size: startTable}
		b, err := t.read(t.ctx, &q, nil)
		switch {
		case err != nil:
			errs = append(errs, err)
		case id == nametable.English || !bytes.Equal(b, english):
			return slices.Clone(b)
		default:
			errs = nil // the table exists, but in English
		}
	}
	t.note(id, value, errs)
	return nil
}

// note keeps errors of a table, unless the table is optional and does not exist. Only English names
// are required.
func (t *tables) note(id, value string, errs []error) {
	required := id == nametable.English && value == "Counter"
	if !required {
		errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, fs.ErrNotExist) })
	}
	if len(errs) > 0 {
		t.damage = append(t.damage, fmt.Errorf("name table %s %s: %w", value, id, errs[0]))
	}
}

// place is a possible location of a table.
type place struct {
	key   Key
	value string
}

// places returns the possible locations of a language's table, the best first.
func (t *tables) places(id, value string) []place {
	all := []place{{Key{Root: Data}, value + " " + id}}
	if id == nametable.English {
		all = append(all, place{Key{Root: Text}, value})
	}
	if id == t.user {
		all = append(all, place{Key{Root: NLSText}, value})
	}
	return append(all, place{Key{Root: Perflib, Language: id}, value})
}
