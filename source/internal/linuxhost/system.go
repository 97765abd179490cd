package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

// The figures of the System object that the code knows.
const (
	systemInterrupts fields = 1 << iota
	systemSoftirqs
	systemBootTime // seconds since 1970
	systemOnline
	systemBoot // when the machine started, a FILETIME
	systemProcesses
)

// systemSource reads the System object, or another one that is made of its figures.
type systemSource struct{ plainSource }

func newSystemSource(sp *spec) source { return &systemSource{plainSource{spec: sp}} }

func (y *systemSource) probe(s *session) fields {
	y.read(s, ^fields(0))
	given := y.values.have
	if pids, err := s.pids(); err == nil && len(pids) > 0 {
		given |= systemProcesses // also where they are hidden now
	}
	if given == systemBoot {
		return 0 // from the clocks alone: nothing of it can be read
	}
	return given
}

func (y *systemSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	y.read(s, o.wanted)
	out := w.Object(o.layout)
	out.Clock(s.objectTime(), perSecond)
	o.write(&out, &y.values)
	out.End()
	return nil
}

// read reads what the wanted figures come from. A file that cannot be read
// leaves its figures out.
func (y *systemSource) read(s *session, wanted fields) {
	v := &y.values
	y.plainSource.read(s, wanted&^s.kernel.machine.gives)
	if wanted&(s.kernel.machine.gives|systemOnline) != 0 {
		if stat, err := s.stat(); err == nil {
			v.take(stat, stat.have)
		}
	}

	v.set(systemBoot, uint64(s.boot))
	if wanted&systemProcesses != 0 {
		pids, err := s.pids()
		switch {
		case err != nil || len(pids) == 0:
		case s.hidden.are:
			v.lack(systemProcesses, errHidden)
		default:
			v.set(systemProcesses, uint64(len(pids))+1)
		}
	}
}
