package linuxhost

import (
	"io/fs"
	"slices"
)

type tasks struct {
	dir  file
	ids  []int     // of the current sample: the process's id, then ascending
	live []*thread // of the last sample, in this order
}

func (k tasks) reset() tasks { return tasks{ids: k.ids[:0], live: k.live[:0]} }

// thread is the state of a thread between samples.
type thread struct {
	pidEntry
	process *process
	known   bool
}

// list lists the thread ids, first the process's id. Without it the process has ended.
func (p *process) list(s *session) (err error) {
	k := &p.tasks
	k.ids = k.ids[:0]
	if err = p.openTasks(s); err != nil {
		return err
	}

	if k.ids, err = s.root.Processes(k.dir.h, k.ids); err != nil {
		s.reader.close(&k.dir.h) // the process may have ended
		return s.noteShort(err)
	}

	slices.Sort(k.ids)
	i, ok := slices.BinarySearch(k.ids, p.number)
	if !ok {
		return fs.ErrNotExist
	}

	copy(k.ids[1:i+1], k.ids[:i])
	k.ids[0] = p.number
	return nil
}

func (p *process) openTasks(s *session) (err error) {
	if p.tasks.dir.h != 0 {
		return nil
	}
	if err = s.openProcess(p); err != nil {
		return err
	}
	p.tasks.dir = file{name: "task", dir: p.dir}
	return s.reader.ensure(&p.tasks.dir)
}

func (p *process) rank(tid int) int {
	if tid == p.number {
		return 0
	}
	return tid
}

func (p *process) releaseTasks(s *session) {
	if !s.keeps(max(p.tasks.dir.h, p.dir)) {
		s.reader.close(&p.tasks.dir.h, &p.dir)
	}
}

func (k *tasks) close(s *session) {
	s.reader.close(&k.dir.h)
	for _, t := range k.live {
		t.close(s)
	}
}

func (t *thread) read(s *session, v *values, needed fields) error {
	v.reset()
	if err := t.open(s); err != nil {
		return err
	}

	_, rest, err := t.readStat(s, v)
	if err != nil {
		return err
	}
	t.known = true
	v.set(threadProcess, uint64(t.process.number))
	v.setThreadState(rest)
	if err := t.readFiles(s, v, needed); err != nil {
		return err
	}

	counted := len(t.kinds) > 1 && t.kinds[1].provides&threadTime != 0
	if !counted && v.has(threadUser|threadSystem) {
		v.set(threadTime, v.sum(threadUser|threadSystem))
	}
	t.releaseDir(s)
	return nil
}

func (t *thread) open(s *session) error {
	if t.dir != 0 {
		return nil
	}
	if err := t.process.openTasks(s); err != nil {
		return err
	}
	h, err := s.root.Process(t.process.tasks.dir.h, t.number)
	return s.opened(&t.dir, h, err)
}
