package linuxhost

import "github.com/winperf/winperf/provider"

// folded combines all kernel threads into one instance, with the id of kthreadd.
type folded struct {
	totals  totals
	inTotal values
	// known reports whether kernel threads are visible. It never changes.
	known bool

	// For the current sample:
	there    bool
	id       values // of the first thread
	position uint32
	place    provider.Place
}

func (f *folded) begin() {
	f.there = false
	f.totals.begin()
}

// add adds a process. Ids must ascend.
func (f *folded) add(p *process, v *values) {
	if !f.there {
		f.there = true
		f.id.have = 0
		f.id.take(v, procID|procStarted|procParent)
	}
	f.totals.add(&p.inTotal, v)
}

func (r *processSource) findKernelThreads(s *session) {
	pids, _ := s.pids() // on error there are none
	for _, pid := range pids {
		if p := r.readable(s, pid, procFlags); p != nil {
			r.forget(s, p)
			if r.cur.isKernel() {
				r.folded.known = true
				return
			}
		}
	}
}

func (r *processSource) writeFolded(o *object, out *provider.ObjectWriter) {
	v := &r.cur
	v.reset()
	r.folded.totals.end(v)
	v.take(&r.folded.id, r.folded.id.have)
	r.totals.add(&r.folded.inTotal, v)
	out.Return(r.folded.place)
	o.write(out, v)
}
