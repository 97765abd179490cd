package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Paging File object, in KiB.
const (
	pagingUsed fields = 1 << iota
	pagingSize
)

var pagingSpec = spec{
	number: 13, index: 700, name: "Paging File", multi: true,
	help: "Files and devices that memory is swapped to, and _Total, their sum. From /proc/swaps. What zram " +
		"holds is in memory all the same, and what zswap holds back counts as used.",
	rows: []row{
		{702, "% Usage", counter.RawFraction, 0, provider.Advanced, pagingUsed | pagingSize,
			func(v *values) (uint64, uint64) { return fraction(v.sum(pagingUsed), v.sum(pagingSize)) },
			"Share of the space that is in use. From /proc/swaps, Used of Size."},
	},
}

// pagingColumns are the figures of the columns of /proc/swaps, by their heads.
var pagingColumns = []key{
	{"Size", pagingSize, 1},
	{"Used", pagingUsed, 1},
}

// pagingFile is a line of /proc/swaps.
type pagingFile struct {
	path   []byte // as the kernel wrote it, with escapes
	name   string // the instance's name made of it
	values values
}

// pagingSource reads the Paging File object.
type pagingSource struct {
	swaps file
	files []pagingFile // of the last reading, and behind them some of earlier ones
	n     int          // files of the last reading
	total values       // figures of _Total
}

func newPagingSource() source {
	return &pagingSource{swaps: file{name: "proc/swaps", records: true}}
}

// probe finds out whether the kernel can swap. There may be a paging file
// later.
func (r *pagingSource) probe(s *session) fields {
	if _, err := s.reader.read(&r.swaps); err != nil {
		return 0
	}
	return pagingUsed | pagingSize
}

func (r *pagingSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	text, err := s.reader.read(&r.swaps)
	if err != nil {
		return nil // without the file there are no instances: the object is not there
	}

	r.parse(text)
	r.total = values{have: pagingUsed | pagingSize}
	for i := range r.files[:r.n] {
		for _, c := range pagingColumns {
			r.total.n[c.position()] += r.files[i].values.sum(c.fields)
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

func (r *pagingSource) close(s *session) error { return s.reader.close(&r.swaps.h) }

// parse reads a head line, "Filename Type Size Used Priority", and a line for
// each file. A line that lacks a figure is skipped.
func (r *pagingSource) parse(text []byte) {
	r.n = 0
	head, text, _ := cutLine(text)
	_, head = cutWord(head)
	for {
		line, rest, ok := cutLine(text)
		if !ok {
			return
		}

		text = rest
		if r.n == len(r.files) {
			r.files = append(r.files, pagingFile{})
		}

		f := &r.files[r.n]
		path, columns := cutWord(line)
		f.values.have = 0
		f.values.setColumns(head, columns, pagingColumns)
		if len(path) == 0 || !f.values.has(pagingUsed|pagingSize) {
			continue
		}

		if f.name == "" || !bytes.Equal(path, f.path) {
			f.path = append(f.path[:0], path...)
			f.name = fileName([]byte(unescape(path)))
		}
		r.n++
	}
}
