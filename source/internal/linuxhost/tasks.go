package linuxhost

import (
	"io/fs"
	"slices"
)

// tasks are the threads of a process.
type tasks struct {
	dir  file      // the directory task
	ids  []int     // of the current sample, the process's own first, then by rising id
	live []*thread // of the last sample, in the same order
}

// emptied returns tasks of nothing that have the memory of these.
func (k tasks) emptied() tasks { return tasks{ids: k.ids[:0], live: k.live[:0]} }

// thread is what is kept of a thread from one sample to the next.
type thread struct {
	pidEntry
	process *process
	known   bool // it was read before
}

// list lists the ids of the process's threads. The thread that has the
// process's id comes first; without it there is no process.
func (p *process) list(s *session) (err error) {
	k := &p.tasks
	k.ids = k.ids[:0]
	if err = p.openTasks(s); err != nil {
		return err
	}

	if k.ids, err = s.root.Processes(k.dir.h, k.ids); err != nil {
		s.reader.close(&k.dir.h) // of a process that has ended; another one may have its id
		return s.judge(err)
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

// openTasks opens the directory of the threads, if it is not open.
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

// rank orders the threads of a process.
func (p *process) rank(tid int) int {
	if tid == p.number {
		return 0
	}
	return tid
}

// spareTasks closes the directories of a process if too much is open.
func (p *process) spareTasks(s *session) {
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

// read implements entity.
func (t *thread) read(s *session, v *values, wanted fields) error {
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
	if err := t.readFiles(s, v, wanted); err != nil {
		return err
	}

	counted := len(t.kinds) > 1 && t.kinds[1].gives&threadTime != 0
	if !counted && v.has(threadUser|threadSystem) {
		v.set(threadTime, v.sum(threadUser|threadSystem))
	}
	t.spare(s)
	return nil
}

// open opens the directory of the thread, if it is not open.
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
