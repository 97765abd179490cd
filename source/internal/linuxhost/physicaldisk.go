package linuxhost

import (
	"context"

	"github.com/winperf/winperf/provider"
)

type diskSource struct {
	totals totals
	total  values
	disks  []*disk // of the current sample
}

func newDiskSource(sp *spec) source { return &diskSource{totals: totals{sums: sp.sums}} }

func (r *diskSource) probe(s *session) fields { return s.disks.probe(s) }

// probe returns the fields of the kernel's columns, or all without a device.
func (t *diskTable) probe(s *session) (available fields) {
	if err := t.read(s); err != nil {
		return 0
	}
	available = diskFromDiskstats
	most := 0
	for _, d := range t.disks {
		most = max(most, d.n)
	}

	for _, k := range t.table.keys {
		if k.column > most && len(t.disks) > 0 {
			available &^= k.fields
		}
	}
	return available
}

func (r *diskSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	t := &s.disks
	if err := t.read(s); err != nil {
		return nil // omit the object
	}

	r.totals.begin()
	r.disks = r.disks[:0]
	for i, d := range t.disks {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		isDisk := d.isDisk(s)
		if !d.detected {
			r.totals.markAllMissing(nil)
		}

		if isDisk {
			d.update(s)
			r.totals.add(&d.inTotal, &d.values)
			r.disks = append(r.disks, d)
		}
	}

	out := w.Object(o.layout)
	out.Clock(s.objectTime(), perSecond)
	if len(r.disks) > 0 {
		r.total.have = 0
		r.totals.end(&r.total)
		r.total.set(diskClock, t.clock)
		out.Instance(provider.Instance{Name: "_Total"})
		o.write(&out, &r.total)
	}

	for _, d := range r.disks {
		out.Instance(provider.Instance{Name: d.name, UniqueID: uniqueID(d.identity), HasUniqueID: true})
		o.write(&out, &d.values)
	}
	out.End()
	return nil
}
