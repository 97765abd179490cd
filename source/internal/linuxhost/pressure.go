package linuxhost

import (
	"context"
	"slices"

	"github.com/winperf/winperf/provider"
)

// The figures of the Pressure Stall object that the code knows.
const (
	pressureFull fields = 1 << iota
	pressureFull10
	pressureFull60
	pressureFull300
)

const allPressureFull = pressureFull | pressureFull10 | pressureFull60 | pressureFull300

// pressureSource reads the Pressure Stall object.
type pressureSource struct {
	table     *fileTable
	resources []pressureResource
	cur       values
}

type pressureResource struct {
	name    string
	file    file
	without fields // figures that have no meaning
}

func newPressureSource(sp *spec) source {
	return &pressureSource{table: sp.files[0], resources: []pressureResource{
		{"cpu", file{name: "proc/pressure/cpu"}, allPressureFull},
		{"memory", file{name: "proc/pressure/memory"}, 0},
		{"io", file{name: "proc/pressure/io"}, 0},
		{"irq", file{name: "proc/pressure/irq"}, 0},
	}}
}

// probe finds out which resources there are: a kernel that was not built to
// count has no files, and one that was told not to (psi=0) does not let them
// be read.
func (r *pressureSource) probe(s *session) (given fields) {
	r.resources = slices.DeleteFunc(r.resources, func(res pressureResource) bool {
		gone := !r.read(s, &res)
		s.reader.close(&res.file.h) // res is a copy
		if !gone {
			given |= r.cur.have
		}
		return gone
	})
	return given
}

// read reads the figures of a resource.
func (r *pressureSource) read(s *session, res *pressureResource) bool {
	r.cur.have = 0
	text, err := s.reader.read(&res.file)
	if err != nil {
		return false
	}
	r.table.read(&r.cur, text, &s.units)
	r.cur.have &^= res.without
	return true
}

func (r *pressureSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	out := w.Object(o.layout)
	for i := range r.resources {
		if res := &r.resources[i]; r.read(s, res) || s.short != nil {
			out.Instance(provider.Instance{Name: res.name})
			o.write(&out, &r.cur)
		}
	}
	out.End()
	return nil
}
