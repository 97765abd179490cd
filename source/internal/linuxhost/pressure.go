package linuxhost

import (
	"context"
	"slices"

	"github.com/winperf/winperf/provider"
)

// Fields that the code sets.
const (
	pressureFull fields = 1 << iota
	pressureFull10
	pressureFull60
	pressureFull300
)

const allPressureFull = pressureFull | pressureFull10 | pressureFull60 | pressureFull300

type pressureSource struct {
	table     *fileTable
	resources []pressureResource
	cur       values
}

type pressureResource struct {
	name    string
	file    file
	without fields // meaningless
}

func newPressureSource(sp *spec) source {
	return &pressureSource{table: sp.files[0], resources: []pressureResource{
		{"cpu", file{name: "proc/pressure/cpu"}, allPressureFull},
		{"memory", file{name: "proc/pressure/memory"}, 0},
		{"io", file{name: "proc/pressure/io"}, 0},
		{"irq", file{name: "proc/pressure/irq"}, 0},
	}}
}

// probe keeps the resources that the kernel counts. Without PSI, files are missing; with psi=0,
// they cannot be read.
func (r *pressureSource) probe(s *session) (available fields) {
	r.resources = slices.DeleteFunc(r.resources, func(res pressureResource) bool {
		gone := !r.read(s, &res)
		s.reader.close(&res.file.h) // res is a copy
		if !gone {
			available |= r.cur.have
		}
		return gone
	})
	return available
}

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
