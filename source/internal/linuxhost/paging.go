package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/provider"
)

// pagingFile is a line of /proc/swaps.
type pagingFile struct {
	path   []byte // with escapes
	name   string
	values values
}

type pagingSource struct {
	table *fileTable
	swaps file
	files []pagingFile // files of the last reading, then unused ones
	n     int          // files of the last reading
	total values
}

func newPagingSource(sp *spec) source {
	return &pagingSource{table: sp.files[0], swaps: file{name: "proc/swaps", records: true}}
}

// probe returns all fields if the kernel supports swap.
func (r *pagingSource) probe(s *session) fields {
	if _, err := s.reader.read(&r.swaps); err != nil {
		return 0
	}
	return r.table.provides
}

func (r *pagingSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	text, err := s.reader.read(&r.swaps)
	if err != nil {
		return nil // omit the object
	}

	r.parse(text, &s.units)
	r.total = values{have: r.table.provides}
	for i := range r.files[:r.n] {
		for _, k := range r.table.keys {
			r.total.n[k.position()] += r.files[i].values.sum(k.fields)
		}
	}

	out := w.Object(o.layout)
	if r.n > 0 {
		out.Instance(provider.Instance{Name: "_Total"})
		o.write(&out, &r.total)
	}

	for i := range r.files[:r.n] {
		f := &r.files[i]
		out.Instance(provider.Instance{Name: f.name})
		o.write(&out, &f.values)
	}
	out.End()
	return nil
}

// parse parses "Filename Type Size Used Priority" and a line for each file. It skips incomplete
// lines.
func (r *pagingSource) parse(text []byte, u *units) {
	r.n = 0
	head, text, _ := cutLine(text)
	_, head = cutWord(head)
	for line := range lines(text) {
		if r.n == len(r.files) {
			r.files = append(r.files, pagingFile{})
		}

		f := &r.files[r.n]
		path, columns := cutWord(line)
		f.values.have = 0
		r.table.readHeaded(&f.values, head, columns, u)
		if len(path) == 0 || !f.values.has(r.table.provides) {
			continue
		}

		if f.name == "" || !bytes.Equal(path, f.path) {
			f.path = append(f.path[:0], path...)
			f.name = fileName([]byte(unescape(path)))
		}
		r.n++
	}
}
