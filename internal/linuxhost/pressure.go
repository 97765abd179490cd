package linuxhost

import (
	"context"
	"errors"
	"slices"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Pressure Stall object. Times are in 100 ns, means in
// hundredths of a percent.
const (
	pressureSome fields = 1 << iota
	pressureFull
	pressureSome10
	pressureSome60
	pressureSome300
	pressureFull10
	pressureFull60
	pressureFull300
)

const allPressureFull = pressureFull | pressureFull10 | pressureFull60 | pressureFull300

// pressureRow returns the counter of a mean that the kernel computes.
func pressureRow(index uint32, name string, from fields, help string) row {
	return row{index, name, counter.RawFraction, 0, provider.Advanced, from,
		func(v *values) (uint64, uint64) { return v.sum(from), 10_000 }, help}
}

var pressureSpec = spec{
	number: 33, index: titlePressure, name: "Pressure Stall", multi: true,
	help: "How long threads stood still for want of a resource (kernel documentation, \"PSI - Pressure " +
		"Stall Information\"): cpu, memory, io, irq as the kernel counts them. From /proc/pressure. Inside " +
		"a container these are the host's.",
	rows: []row{
		{titleSomeStalled, "% Some Stalled Time", counter.Timer100NSec, 0, provider.Novice, pressureSome, nil,
			"Share of time in which at least one thread stood still for want of the resource. From " +
				"/proc/pressure/cpu, memory and io, some, total."},
		{titleFullStalled, "% Full Stalled Time", counter.Timer100NSec, 0, provider.Novice, pressureFull, nil,
			"Share of time in which all threads with work to do stood still for want of the resource. From " +
				"/proc/pressure/memory, io and irq, full, total; that of cpu has no meaning for the " +
				"whole machine."},
		pressureRow(titleSome10, "% Some Stalled Time 10 s Mean", pressureSome10,
			"% Some Stalled Time as the kernel averages it over about 10 seconds. From /proc/pressure/cpu, "+
				"memory and io, some, avg10."),
		pressureRow(titleSome60, "% Some Stalled Time 60 s Mean", pressureSome60,
			"% Some Stalled Time as the kernel averages it over about 60 seconds. From /proc/pressure/cpu, "+
				"memory and io, some, avg60."),
		pressureRow(titleSome300, "% Some Stalled Time 300 s Mean", pressureSome300,
			"% Some Stalled Time as the kernel averages it over about 300 seconds. From "+
				"/proc/pressure/cpu, memory and io, some, avg300."),
		pressureRow(titleFull10, "% Full Stalled Time 10 s Mean", pressureFull10,
			"% Full Stalled Time as the kernel averages it over about 10 seconds. From "+
				"/proc/pressure/memory, io and irq, full, avg10."),
		pressureRow(titleFull60, "% Full Stalled Time 60 s Mean", pressureFull60,
			"% Full Stalled Time as the kernel averages it over about 60 seconds. From "+
				"/proc/pressure/memory, io and irq, full, avg60."),
		pressureRow(titleFull300, "% Full Stalled Time 300 s Mean", pressureFull300,
			"% Full Stalled Time as the kernel averages it over about 300 seconds. From "+
				"/proc/pressure/memory, io and irq, full, avg300."),
	},
}

// pressureSource reads the Pressure Stall object.
type pressureSource struct {
	resources []pressureResource
	cur       values
}

type pressureResource struct {
	name    string
	file    file
	without fields // figures that have no meaning
}

func newPressureSource() source {
	return &pressureSource{resources: []pressureResource{
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
		_ = s.reader.close(&res.file.h) // res is a copy
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
	parsePressure(&r.cur, text, systemPressure)
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

func (r *pressureSource) close(s *session) error {
	var errs []error
	for i := range r.resources {
		errs = append(errs, s.reader.close(&r.resources[i].file.h))
	}
	return errors.Join(errs...)
}

// pressureKey says which figure stands under a name in a line of a file of
// pressure.
type pressureKey struct {
	line, name string
	fields
	read func(word []byte) (uint64, bool)
}

var systemPressure = []pressureKey{
	{"some", "avg10", pressureSome10, hundredths},
	{"some", "avg60", pressureSome60, hundredths},
	{"some", "avg300", pressureSome300, hundredths},
	{"some", "total", pressureSome, microseconds},
	{"full", "avg10", pressureFull10, hundredths},
	{"full", "avg60", pressureFull60, hundredths},
	{"full", "avg300", pressureFull300, hundredths},
	{"full", "total", pressureFull, microseconds},
}

// parsePressure reads lines "some avg10=0.12 avg60=0.05 avg300=0.01 total=345",
// the means in percent, the total in microseconds.
func parsePressure(v *values, text []byte, keys []pressureKey) {
	for {
		line, rest, ok := cutLine(text)
		if !ok {
			return
		}

		kind, line := cutWord(line)
		for len(line) > 0 {
			var name, word []byte
			name, word, line = cutPair(line)
			for i := range keys {
				if k := &keys[i]; string(kind) == k.line && string(name) == k.name {
					if n, ok := k.read(word); ok {
						v.set(k.fields, n)
					}
				}
			}
		}
		text = rest
	}
}
