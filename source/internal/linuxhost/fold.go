package linuxhost

import "github.com/winperf/winperf/provider"

// folded is the instance that stands for all threads of the kernel's own where
// [System].FoldKernelThreads asks for it: thousands on a machine with many
// processors. It has the id of the first of them, kthreadd.
type folded struct {
	totals totals
	given  values // what the total of all has seen of it
	// known tells that there are such threads. They are all there from the start
	// of the machine on or never, as in a container.
	known bool

	// Of the current sample.
	there    bool
	id       values         // figures of the first
	position uint32         // of the instance
	place    provider.Place // of its values
}

// begin starts a sample.
func (f *folded) begin() {
	f.there = false
	f.totals.begin()
}

// add takes a process. They come by rising id.
func (f *folded) add(p *process, v *values) {
	if !f.there {
		f.there = true
		f.id.have = 0
		f.id.take(v, procID|procStarted|procParent)
	}
	f.totals.add(&p.inTotal, v)
}

// look finds out whether there are threads of the kernel's own.
func (r *processSource) look(s *session) {
	pids, _ := s.pids() // an error leaves none to look at
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

// writeFolded writes the values of the instance.
func (r *processSource) writeFolded(o *object, out *provider.ObjectWriter) {
	v := &r.cur
	v.reset()
	r.folded.totals.end(v)
	v.take(&r.folded.id, r.folded.id.have)
	r.totals.add(&r.folded.given, v)
	out.Return(r.folded.place)
	o.write(out, v)
}
