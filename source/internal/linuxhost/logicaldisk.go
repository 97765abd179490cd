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
	name     string // the instance's name made of the place
	question *spaceQuestion
	identity uint64 // of the device that inTotal is about
	values   values
	inTotal  values // what the total has seen of it
}

// mountSource reads the LogicalDisk object.
type mountSource struct {
	text      []byte // that mounts are made of
	mounts    []*mount
	questions map[string]*spaceQuestion // by place
	round     call.Round                // of questions for space
	totals    totals
	total     values // figures of _Total
}

func newMountSource(sp *spec) source {
	return &mountSource{questions: map[string]*spaceQuestion{}, totals: totals{sums: sp.sums}}
}

func (r *mountSource) probe(s *session) fields {
	if err := r.read(s); err != nil {
		return 0
	}
	return diskFromStatfs | s.disks.probe(s)
}

func (r *mountSource) collect(ctx context.Context, s *session, o *object, w *provider.Writer) error {
	if err := r.read(s); err != nil {
		return nil // without the file there are no instances: the object is not there
	}
	if o.wanted&diskFromStatfs != 0 {
		askForSpace(ctx, &r.round, r.mounts)
	}

	err := s.disks.read(s) // without it the figures are missing
	r.totals.begin()
	for _, m := range r.mounts {
		m.settle(s, o.wanted, isShort(err))
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

// writeTotal writes _Total.
func (r *mountSource) writeTotal(s *session, o *object, out *provider.ObjectWriter) {
	v := &r.total
	v.reset()
	r.totals.end(v)
	v.set(diskClock, s.disks.clock)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(out, v)
}

// rest ends the goroutines of the questions.
func (r *mountSource) rest() {
	for _, q := range r.questions {
		q.line.Rest()
	}
}

// read brings the mounts up to date.
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
		r.text = r.text[:0] // the next query tries again
		return err
	}
	r.take(s, chooseMounts(parseMounts(r.text), deviceKinds(kinds)))
	return nil
}

// take takes the chosen rows. What is known of a mount that was there before is
// kept, and so is a question that was not answered yet.
func (r *mountSource) take(s *session, rows []mountRow) {
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
		if m.question = r.questions[row.point]; m.question == nil {
			m.question = newSpaceQuestion(s.root, row.point)
			r.questions[row.point] = m.question
		}
		here[row.point] = true
		r.mounts = append(r.mounts, m)
	}

	for point, q := range r.questions {
		if !here[point] && !q.line.Busy() {
			q.line.Rest()
			delete(r.questions, point)
		}
	}
}

// settle brings the mount's values up to date. blind tells that which devices
// there are could not be read: the mount's is the one that it was.
func (m *mount) settle(s *session, wanted fields, blind bool) {
	d := s.disks.device(m.device)
	if d == nil && m.kind == "btrfs" {
		d = s.disks.named(s, m.source)
	}

	identity := uint64(m.device)
	m.values.reset()
	if d != nil {
		d.settle(s)
		identity = d.identity
		m.values = d.values
	}

	if blind {
		identity = m.identity
		m.values.failed = diskFromDiskstats
	}
	if identity != m.identity {
		m.identity = identity
		m.inTotal = values{}
	}
	if wanted&diskFromStatfs != 0 {
		_ = s.judge(m.question.set(&m.values))
	}
}
