package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// fileTable says which figures stand where in a file.
type fileTable struct {
	name  string
	group string // of a table: the word that its two lines begin with
	form  func(t *fileTable, v *values, text []byte, u *units)
	keys  []key // by rising columns
	made  []derived
	gives fields
}

// fileTables are the files of an object.
type fileTables []*fileTable

// find returns the table of a file by the name that the object's table has for it, nil if there is none.
func (ts fileTables) find(name string) *fileTable {
	for _, t := range ts {
		if t.path() == name {
			return t
		}
	}
	return nil
}

// key says which figure stands under a name, or in a column, of a file.
type key struct {
	group, name string
	column      int // counted from 1; 0 where there is a name
	fields
	unit unit
}

// derived is a figure that is made of others of its file.
type derived struct {
	to fields
	formula
}

// path returns the name as the object's table has it.
func (t *fileTable) path() string {
	if t.group != "" {
		return t.name + "#" + t.group
	}
	return t.name
}

// read takes the figures of a text. What it does not know is passed over; what is
// no number is left out.
func (t *fileTable) read(v *values, text []byte, u *units) {
	t.form(t, v, text, u)
	for i := range t.made {
		if d := &t.made[i]; v.has(d.from) {
			v.set(d.to, d.of(v))
		}
	}
}

// set takes the figures that stand under a name.
func (t *fileTable) set(v *values, group, name, number []byte, u *units) {
	if len(name) == 0 {
		return
	}

	last := len(name) - 1
	for i := range t.keys {
		k := &t.keys[i]
		// Most names are told apart by their length and their last letter.
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

// readColumns reads the columns of the first line.
func (t *fileTable) readColumns(v *values, text []byte, u *units) {
	line, _, _ := cutLine(text)
	t.readWords(v, line, 1, u)
}

// readWords reads the columns of a line whose first one is numbered at.
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

// readSums reads lines "device name=value name=value ..." or "device name value"
// and sums them up. A number that is damaged costs its figure.
func (t *fileTable) readSums(v *values, text []byte, _ *units) {
	sum := values{have: t.gives}
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
	v.take(&sum, t.gives)
}

// readTable reads two lines that begin with the group's name, one of keys and one
// of their numbers.
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

// readHeaded reads two lines, of keys and of their numbers.
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

// plainSource reads an object of one instance whose figures all stand in files.
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
	r.read(s, o.wanted)
	out := w.Object(o.layout)
	o.write(&out, &r.values)
	out.End()
	return nil
}

// read reads what the wanted figures come from. A file that cannot be read
// leaves its figures out.
func (r *plainSource) read(s *session, wanted fields) {
	r.values.reset()
	for _, t := range r.files {
		if wanted&t.gives == 0 {
			continue
		}
		if text, err := s.shared(t.name); err == nil {
			t.read(&r.values, text, &s.units)
		}
	}
}
