package provider

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

type titles map[string]map[uint32]string

func (t titles) add(language string, index uint32, text string) error {
	if text == "" {
		return nil
	}
	if t[language] == nil {
		t[language] = map[uint32]string{}
	}
	if other, ok := t[language][index]; ok && other != text {
		return fmt.Errorf("title index %d is both %q and %q: %w", index, other, text, ErrSchema)
	}
	t[language][index] = text
	return nil
}

func (t titles) addTexts(index, help uint32, english Text, others map[string]Text) error {
	add := func(language string, text Text) error {
		return errors.Join(t.add(language, index, text.Name), t.add(language, help, text.Help))
	}
	err := add(nametable.English, english)
	for language, text := range others {
		err = errors.Join(err, add(language, text))
	}
	return err
}

func (t titles) addObject(o *Object) error {
	err := t.addTexts(o.Index, o.helpIndex(), Text{o.Name, o.Help}, o.Languages)
	for i := range o.Counters {
		c := &o.Counters[i]
		err = errors.Join(err, t.addTexts(c.Index, c.helpIndex(), Text{c.Name, c.Help}, c.Languages))
	}
	return err
}

func (t titles) nameTables() (tables []winperf.NameTable, err error) {
	languages := append([]string{nametable.English}, slices.Sorted(maps.Keys(t))...)
	for i, language := range languages {
		if i > 0 && language == nametable.English {
			continue
		}
		table, err := nametable.FromMap(nametable.Counter, t[language])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSchema, err)
		}
		tables = append(tables, table.NameTable(language))
	}
	return tables, nil
}
