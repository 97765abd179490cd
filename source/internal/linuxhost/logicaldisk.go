package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/internal/call"
	"github.com/winperf/winperf/provider"
)

// mount is an instance of LogicalDisk.
type mount struct {
	mountRow
	name     string
	request  *spaceRequest
	identity uint64 // of the device in inTotal
	values   values
	inTotal  values
}

type mountSource struct {
	text     []byte // of mountinfo
	mounts   []*mount
	requests map[string]*spaceRequest // by mount point
	round    call.Round
	totals   totals
	total    values
}

func newMountSource(sp *spec) source {
	return &mountSource{requests: map[string]*spaceRequest{}, totals: totals{sums: sp.sums}}
}

func (r *mountSource) probe(s *session) fields {
	if err := r.read(s); err != nil {
		return 0
	}
	return diskFromStatfs | s.disks.probe(s)
}

func (r *mountSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if err := r.read(s); err != nil {
		return nil // omit the object
	}
	if o.needed&diskFromStatfs != 0 {
		requestSpace(ctx, &r.round, r.mounts)
	}

	err := s.disks.read(s) // on error, fields are missing
	r.totals.begin()
	for _, m := range r.mounts {
		m.update(s, o.needed, isShort(err))
		r.totals.add(&m.inTotal, &m.values)
	}

	out := w.Object(o.layout)
	out.Clock(s.objectTime(), perSecond)
	if len(r.mounts) > 0 {
		r.writeTotal(s, o, &out)
	}

	for _, m := range r.mounts {
		out.Instance(provider.Instance{Name: m.name, UniqueID: uniqueID(m.identity), HasUniqueID: true})
		o.write(&out, &m.values)
	}
	out.End()
	return nil
}

func (r *mountSource) writeTotal(s *session, o *object, out *provider.ObjectWriter) {
	v := &r.total
	v.reset()
	r.totals.end(v)
	v.set(diskClock, s.disks.clock)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(out, v)
}

func (r *mountSource) stop() {
	for _, q := range r.requests {
		q.line.Rest()
	}
}

func (r *mountSource) read(s *session) error {
	text, err := s.reader.read(&s.mountinfo)
	if err != nil {
		return err
	}
	if bytes.Equal(text, r.text) {
		return nil
	}

	r.text = append(r.text[:0], text...)
	kinds, err := s.readOnce("proc/filesystems")
	if isShort(err) {
		r.text = r.text[:0] // try again next time
		return err
	}
	r.update(s, chooseMounts(parseMounts(r.text, s.mountsBelow), deviceKinds(kinds)))
	return nil
}

// update sets the mounts. Existing ones keep their state and outstanding requests.
func (r *mountSource) update(s *session, rows []mountRow) {
	before := map[mountRow]*mount{}
	for _, m := range r.mounts {
		before[m.mountRow] = m
	}

	r.mounts = r.mounts[:0]
	here := map[string]bool{}
	for _, row := range rows {
		m := before[row]
		if m == nil {
			m = &mount{mountRow: row, name: fileName([]byte(row.point))}
		}
		if m.request = r.requests[row.point]; m.request == nil {
			m.request = newSpaceRequest(s.root, row.point)
			r.requests[row.point] = m.request
		}
		here[row.point] = true
		r.mounts = append(r.mounts, m)
	}

	for point, q := range r.requests {
		if !here[point] && !q.line.Busy() {
			q.line.Rest()
			delete(r.requests, point)
		}
	}
}

// update updates values. If devicesUnread is true, the mount keeps its identity.
func (m *mount) update(s *session, needed fields, devicesUnread bool) {
	d := s.disks.device(m.device)
	if d == nil && m.kind == "btrfs" {
		d = s.disks.named(s, m.source)
	}

	identity := uint64(m.device)
	m.values.reset()
	if d != nil {
		d.update(s)
		identity = d.identity
		m.values = d.values
	}

	if devicesUnread {
		identity = m.identity
		m.values.failed = diskFromDiskstats
	}
	if identity != m.identity {
		m.identity = identity
		m.inTotal = values{}
	}
	if needed&diskFromStatfs != 0 {
		_ = s.noteShort(m.request.set(&m.values))
	}
}
