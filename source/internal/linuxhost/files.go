package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// fileTable defines which fields a file has and where.
type fileTable struct {
	name     string
	group    string // first word of a table's two lines
	form     func(t *fileTable, v *values, text []byte, u *units)
	keys     []key // by ascending column
	made     []derived
	provides fields
}

type fileTables []*fileTable

func (ts fileTables) find(name string) *fileTable {
	for _, t := range ts {
		if t.path() == name {
			return t
		}
	}
	return nil
}

// key is the place of a field: a name or column.
type key struct {
	group, name string
	column      int // from 1; 0 for a name
	fields
	unit unit
}

// derived is a field computed from others of the file.
type derived struct {
	to fields
	formula
}

func (t *fileTable) path() string {
	if t.group != "" {
		return t.name + "#" + t.group
	}
	return t.name
}

// read sets fields from text. It skips unknown names and words that are not numbers.
func (t *fileTable) read(v *values, text []byte, u *units) {
	t.form(t, v, text, u)
	for i := range t.made {
		if d := &t.made[i]; v.has(d.from) {
			v.set(d.to, d.of(v))
		}
	}
}

func (t *fileTable) set(v *values, group, name, number []byte, u *units) {
	if len(name) == 0 {
		return
	}

	last := len(name) - 1
	for i := range t.keys {
		k := &t.keys[i]
		// Length and last letter exclude most names.
		if last+1 != len(k.name) || name[last] != k.name[last] || string(name) != k.name {
			continue
		}
		if string(group) == k.group {
			u.set(v, k, number)
		}
	}
}

// readLines reads lines "name value" or "name: value".
func (t *fileTable) readLines(v *values, text []byte, u *units) {
	for line := range lines(text) {
		t.readLine(v, line, u)
	}
}

func (t *fileTable) readLine(v *values, line []byte, u *units) {
	name, rest := cutWord(line)
	number, _ := cutWord(rest)
	if n := len(name); n > 0 && name[n-1] == ':' {
		name = name[:n-1]
	}
	t.set(v, nil, name, number, u)
}

func (t *fileTable) readColumns(v *values, text []byte, u *units) {
	line, _, _ := cutLine(text)
	t.readWords(v, line, 1, u)
}

// readWords reads a line that begins with column at.
func (t *fileTable) readWords(v *values, line []byte, at int, u *units) {
	for i := range t.keys {
		k := &t.keys[i]
		for ; at < k.column; at++ {
			_, line = cutWord(line)
		}
		var word []byte
		word, line = cutWord(line)
		at++
		u.set(v, k, word)
	}
}

// readPairs reads lines "group name=value name=value ...".
func (t *fileTable) readPairs(v *values, text []byte, u *units) {
	for line := range lines(text) {
		group, line := cutWord(line)
		for len(line) > 0 {
			var name, number []byte
			name, number, line = cutPair(line)
			t.set(v, group, name, number, u)
		}
	}
}

// readSums sums lines "device name=value ..." or "device name value". A damaged number removes its
// field.
func (t *fileTable) readSums(v *values, text []byte, _ *units) {
	sum := values{have: t.provides}
	for line := range lines(text) {
		_, line = cutWord(line)
		for len(line) > 0 {
			var name, number []byte
			if name, number, line = cutPair(line); number == nil {
				number, line = cutWord(line)
			}
			for i := range t.keys {
				if k := &t.keys[i]; string(name) == k.name {
					sum.accumulate(k.fields, number)
				}
			}
		}
	}
	v.take(&sum, t.provides)
}

// readTable reads a line of names and a line of numbers, both beginning with the group.
func (t *fileTable) readTable(v *values, text []byte, u *units) {
	for names, rest, ok := cutLine(text); ok; names, rest, ok = cutLine(rest) {
		word, names := cutWord(names)
		if string(word) != t.group {
			continue
		}

		numbers, _, _ := cutLine(rest)
		if numbers, ok = bytes.CutPrefix(numbers, []byte(t.group)); ok {
			t.readHeaded(v, names, numbers, u)
		}
		return
	}
}

func (t *fileTable) readHeaded(v *values, names, numbers []byte, u *units) {
	for {
		var name, number []byte
		name, names = cutWord(names)
		number, numbers = cutWord(numbers)
		if len(name) == 0 || len(number) == 0 {
			return
		}
		t.set(v, nil, name, number, u)
	}
}

// plainSource reads an object with one instance from files only.
type plainSource struct {
	*spec
	values values
}

func newPlainSource(sp *spec) source { return &plainSource{spec: sp} }

func (r *plainSource) probe(s *session) fields {
	r.read(s, ^fields(0))
	return r.values.have
}

func (r *plainSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	r.read(s, o.needed)
	out := w.Object(o.layout)
	o.write(&out, &r.values)
	out.End()
	return nil
}

func (r *plainSource) read(s *session, needed fields) {
	r.values.reset()
	for _, t := range r.files {
		if needed&t.provides == 0 {
			continue
		}
		if text, err := s.shared(t.name); err == nil {
			t.read(&r.values, text, &s.units)
		}
	}
}
