package provider

import (
	"errors"
	"fmt"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/nametable"
)

// titles collects what title indices stand for: names under even indices,
// help texts under odd ones.
type titles map[uint32]string

// add takes a text and finds an index that stands for another one already.
func (t titles) add(index uint32, text string) error {
	if text == "" {
		return nil
	}
	if other, ok := t[index]; ok && other != text {
		return fmt.Errorf("title index %d is both %q and %q: %w", index, other, text, ErrSchema)
	}
	t[index] = text
	return nil
}

func (t titles) addObject(o *Object) error {
	errs := []error{t.add(o.Index, o.Name), t.add(o.helpIndex(), o.Help)}
	for i := range o.Counters {
		c := &o.Counters[i]
		errs = append(errs, t.add(c.Index, c.Name), t.add(c.helpIndex(), c.Help))
	}
	return errors.Join(errs...)
}

// nameTable returns the texts as an English name table. An error tells of a
// text that no name table can hold.
func (t titles) nameTable() (winperf.NameTable, error) {
	table, err := nametable.FromMap(nametable.Counter, t)
	if err != nil {
		return winperf.NameTable{}, fmt.Errorf("%w: %w", ErrSchema, err)
	}
	return table.NameTable(nametable.English), nil
}
