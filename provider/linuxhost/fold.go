package linuxhost

import "github.com/winperf/winperf/provider"

// folded is the instance that stands for all threads of the kernel's own where
// [System].FoldKernelThreads asks for it: thousands on a machine with many
// processors. It has the id of the first of them, kthreadd.
type folded struct {
	totals totals
	given  values // what the total of all has seen of it

	// Of the current sample.
	there bool
	id    values // figures of the first
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

// writeFolded writes the instance, and tells each of its processes where it is.
func (r *processSource) writeFolded(o *object, out *provider.ObjectWriter) {
	v := &r.cur
	v.have = 0
	r.folded.totals.end(v)
	v.take(&r.folded.id, r.folded.id.have)
	r.totals.add(&r.folded.given, v)
	for _, p := range r.live {
		if p.folded {
			p.position = r.next
		}
	}
	r.write(o, out, "System")
}
