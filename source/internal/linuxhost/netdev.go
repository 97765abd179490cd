package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

const netBandwidth fields = 1 // bits per second

type interfaceSource struct {
	dev     file
	reads   uint64
	columns netColumns
	links   []*link
	known   map[string]*link // by the kernel's name
}

func newInterfaceSource(sp *spec) source {
	return &interfaceSource{
		dev: file{name: "proc/net/dev", records: true}, columns: netColumns{table: sp.files[0]},
		known: map[string]*link{},
	}
}

// probe returns the fields of the columns. One interface with the file speed is enough.
func (r *interfaceSource) probe(s *session) (available fields) {
	if err := r.read(s); err != nil {
		return 0
	}
	available = r.columns.all()
	for _, l := range r.links {
		if there, _ := s.exists(l.directory() + "speed"); there {
			return available | netBandwidth
		}
	}
	return available
}

func (r *interfaceSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if err := r.read(s); err != nil {
		return nil // omit the object
	}
	out := w.Object(o.layout)
	for i, l := range r.links {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.update(s, o.needed)
		out.Instance(provider.Instance{Name: l.name, UniqueID: uniqueID(l.index), HasUniqueID: l.index != 0})
		o.write(&out, &l.values)
	}
	out.End()
	return nil
}

// read reads the file. If a count fell, interfaces may have swapped names: it closes their files.
func (r *interfaceSource) read(s *session) error {
	text, err := s.reader.read(&r.dev)
	if err != nil {
		return err
	}

	r.reads++
	r.links = r.links[:0]
	text = r.columns.parse(text)
	fell := false
	for line := range lines(text) {
		fell = r.readLine(line) || fell
	}

	for name, l := range r.known {
		if len(r.known) == len(r.links) {
			break
		}
		if l.seen != r.reads {
			l.close(s)
			delete(r.known, name)
		}
	}

	if fell {
		for _, l := range r.links {
			l.close(s)
		}
	}
	return nil
}

// readLine reads "name: count count ...".
func (r *interfaceSource) readLine(line []byte) (fell bool) {
	name, counts, ok := cutInterface(line)
	if !ok {
		return false
	}

	l := r.known[string(name)]
	switch {
	case l == nil:
		l = newLink(name)
		r.known[l.kernelName] = l
	case l.seen == r.reads:
		return false // duplicate
	}

	l.seen = r.reads
	r.links = append(r.links, l)
	return l.readCounts(counts, &r.columns)
}
