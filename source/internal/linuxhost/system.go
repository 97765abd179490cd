package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

// Fields that the code sets.
const (
	systemInterrupts fields = 1 << iota
	systemSoftirqs
	systemBootTime // since 1970
	systemOnline
	systemBoot // a FILETIME
	systemProcesses
)

// systemSource reads an object with fields of System.
type systemSource struct{ plainSource }

func newSystemSource(sp *spec) source { return &systemSource{plainSource{spec: sp}} }

func (y *systemSource) probe(s *session) fields {
	y.read(s, ^fields(0))
	available := y.values.have
	if pids, err := s.pids(); err == nil && len(pids) > 0 {
		available |= systemProcesses // even if hidden now
	}
	if available == systemBoot {
		return 0 // only from the clocks
	}
	return available
}

func (y *systemSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	y.read(s, o.needed)
	out := w.Object(o.layout)
	out.Clock(s.objectTime(), perSecond)
	o.write(&out, &y.values)
	out.End()
	return nil
}

func (y *systemSource) read(s *session, needed fields) {
	v := &y.values
	y.plainSource.read(s, needed&^s.kernel.machine.provides)
	if needed&(s.kernel.machine.provides|systemOnline) != 0 {
		if stat, err := s.stat(); err == nil {
			v.take(stat, stat.have)
		}
	}

	v.set(systemBoot, uint64(s.boot))
	if needed&systemProcesses != 0 {
		pids, err := s.pids()
		switch {
		case err != nil || len(pids) == 0:
		case s.hidden.are:
			v.markMissing(systemProcesses, errHidden)
		default:
			v.set(systemProcesses, uint64(len(pids))+1)
		}
	}
}
