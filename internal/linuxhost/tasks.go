package linuxhost

import (
	"errors"
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

// thread is what is kept of a thread from one sample to the next. Its identity
// is its id and when it started.
type thread struct {
	tid     int
	started uint64 // clock ticks after the machine
	name    string
	known   bool   // it was read before
	inTotal values // what the total has seen of it
	dir     Handle
	files   [2]file // stat, and the one of threadCounts
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
		_ = s.reader.close(&k.dir.h) // of a process that has ended; another one may have its id
		return s.judge(err)
	}

	slices.Sort(k.ids)
	i, ok := slices.BinarySearch(k.ids, p.pid)
	if !ok {
		return fs.ErrNotExist
	}

	copy(k.ids[1:i+1], k.ids[:i])
	k.ids[0] = p.pid
	return nil
}

// openTasks opens the directory of the threads, if it is not open.
func (p *process) openTasks(s *session) (err error) {
	if p.tasks.dir.h != 0 {
		return nil
	}
	if p.dir == 0 {
		if p.dir, err = s.openProcess(p.pid); err != nil {
			return err
		}
	}
	p.tasks.dir = file{name: "task", dir: p.dir}
	return s.reader.ensure(&p.tasks.dir)
}

// rank orders the threads of a process.
func (p *process) rank(tid int) int {
	if tid == p.pid {
		return 0
	}
	return tid
}

// spare closes the directories of a process if too much is open.
func (p *process) spare(s *session) error {
	if s.keeps(max(p.tasks.dir.h, p.dir)) {
		return nil
	}
	return errors.Join(s.reader.close(&p.tasks.dir.h), s.reader.close(&p.dir))
}

func (k *tasks) close(s *session) error {
	errs := []error{s.reader.close(&k.dir.h)}
	for _, t := range k.live {
		errs = append(errs, t.close(s))
	}
	return errors.Join(errs...)
}

// read reads the wanted figures into v. It fails when the thread is gone (the
// error wraps fs.ErrNotExist), or when not even its stat file can be read.
func (t *thread) read(s *session, p *process, v *values, counts *pidFile, wanted fields) (err error) {
	v.reset()
	if t.dir == 0 {
		if err = p.openTasks(s); err != nil {
			return err
		}
		if t.dir, err = s.openDirectory(s.root.Process(p.tasks.dir.h, t.tid)); err != nil {
			return err
		}
	}

	if err = t.readStat(s, p, v); err != nil {
		return err
	}
	if wanted&counts.gives != 0 {
		text, err := t.text(s, 1, counts.name)
		if isGone(err) {
			return err
		}
		if v.lack(counts.gives, err); err == nil {
			counts.parse(v, text, s.units)
		}
	}

	if counts.gives&threadTime == 0 && v.has(threadUser|threadSystem) {
		v.set(threadTime, v.sum(threadUser|threadSystem))
	}
	if !s.keeps(t.dir) {
		_ = s.reader.close(&t.dir) // an error to close what was only read has no meaning
	}
	return nil
}

// readStat reads the file stat and finds out whether it is still the same
// thread.
func (t *thread) readStat(s *session, p *process, v *values) error {
	text, err := t.text(s, 0, "stat")
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return fs.ErrNotExist
	}

	started, ok := parseThreadStat(v, text, s.units)
	if !ok {
		return errNoIdentity
	}

	if started != t.started {
		t.started = started
		t.inTotal = values{}
	}
	t.known = true
	t.identify(s, p, v)
	return nil
}

// identify sets the figures that tell the thread from others, as it was known
// last.
func (t *thread) identify(s *session, p *process, v *values) {
	v.set(threadID, uint64(t.tid))
	v.set(threadProcess, uint64(p.pid))
	sinceBoot, _ := scaled(t.started, perSecond, s.ticks)
	v.set(threadStarted, uint64(s.boot)+sinceBoot)
}

// text returns the text of the file at a place of t.files.
func (t *thread) text(s *session, i int, name string) ([]byte, error) {
	t.files[i].name = name
	t.files[i].dir = t.dir
	return s.reader.read(&t.files[i])
}

func (t *thread) close(s *session) error {
	return errors.Join(s.reader.close(&t.dir), s.reader.close(&t.files[0].h), s.reader.close(&t.files[1].h))
}
