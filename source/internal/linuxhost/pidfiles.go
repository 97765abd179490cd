package linuxhost

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"

	"github.com/winperf/winperf"
)

// maxID is the largest process id that a file can hold; the kernel stops at
// 4,194,304.
const maxID = math.MaxInt32

// errNoIdentity: a process or thread cannot be told from others and is left out.
var errNoIdentity = fmt.Errorf("expected a name in parentheses and a start time in /proc/PID/stat: %w",
	winperf.ErrBadData)

// pidEntry is what a process and a thread have in common: a directory of files, of
// which stat identifies it. Its identity is its number and when it started.
type pidEntry struct {
	number  int
	started uint64 // clock ticks after the machine
	name    string // the instance's name
	inTotal values // what the total, or that of the folded, has seen of it
	dir     Handle
	kinds   []*fileTable // stat first
	files   []file       // of these kinds
}

// The figures of the identity, the first of processes and of threads.
const (
	pidNumber  fields = 1 << iota
	pidStarted        // a FILETIME; of _Total the object's time
)

// newEntry returns an entry of which nothing is known but its number. It has the
// memory of an old one.
func newEntry(number int, kinds []*fileTable, old *pidEntry) pidEntry {
	e := pidEntry{number: number, kinds: kinds, files: old.files[:0]}
	for _, t := range kinds {
		e.files = append(e.files, file{name: t.name})
	}
	return e
}

func (e *pidEntry) id() int { return e.number }

// text returns the text of the file at a place of its kinds.
func (e *pidEntry) text(s *session, i int) ([]byte, error) {
	e.files[i].dir = e.dir
	return s.reader.read(&e.files[i])
}

// readStat reads the file stat and finds out whether it is still the same process
// or thread. It returns the kernel's name of it and what stands behind that.
func (e *pidEntry) readStat(s *session, v *values) (comm, rest []byte, err error) {
	text, err := e.text(s, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(text) == 0 {
		return nil, nil, fs.ErrNotExist // as some kernels show a process that is ending
	}

	comm, rest, ok := e.kinds[0].readStat(v, text, &s.units)
	if !ok {
		return nil, nil, errNoIdentity
	}

	if started := v.sum(pidStarted); started != e.started {
		e.started = started
		e.inTotal = values{}
	}
	e.identify(s, v)
	return comm, rest, nil
}

// identify sets the figures that tell it from others, as it was known last.
func (e *pidEntry) identify(s *session, v *values) {
	v.set(pidNumber, uint64(e.number))
	sinceBoot, _ := scaled(e.started, perSecond, s.ticks)
	v.set(pidStarted, uint64(s.boot)+sinceBoot)
}

// rollup is the file that only processes with memory of their own have. For
// others the kernel answers as if they had ended.
const rollup = "smaps_rollup"

// readFiles reads the wanted figures of the files behind stat. It fails when the
// process or thread is gone.
func (e *pidEntry) readFiles(s *session, v *values, wanted fields) error {
	for i := 1; i < len(e.kinds); i++ {
		t := e.kinds[i]
		if wanted&t.gives == 0 || t.name == rollup && !v.hasMemory() {
			continue
		}
		text, err := e.text(s, i)
		if isGone(err) {
			return err
		}
		if v.lack(t.gives, err); err == nil {
			t.read(v, text, &s.units)
		}
	}
	return nil
}

// spare closes the directory if too much is open.
func (e *pidEntry) spare(s *session) {
	if !s.keeps(e.dir) {
		s.reader.close(&e.dir)
	}
}

func (e *pidEntry) close(s *session) {
	s.reader.close(&e.dir)
	for i := range e.files {
		s.reader.close(&e.files[i].h)
	}
}

// process is what is kept of a process from one sample to the next.
type process struct {
	pidEntry
	comm     []byte // the kernel's name of it, which name is made of
	position uint32 // of its instance in the last sample
	folded   bool   // its instance is that of all the folded
	shown    bool   // it had an instance in the last sample
	unread   error  // why the last sample could not read it
	fds      file   // the directory fd
	tasks    tasks
}

func (p *process) begin(pid int, kinds []*fileTable) {
	*p = process{
		pidEntry: newEntry(pid, kinds, &p.pidEntry), comm: p.comm[:0], fds: file{name: "fd"},
		tasks: p.tasks.emptied(),
	}
}

// read implements entity.
func (p *process) read(s *session, v *values, wanted fields) error {
	v.reset()
	if err := s.openProcess(p); err != nil {
		return err
	}

	comm, _, err := p.readStat(s, v)
	if err != nil {
		return err
	}
	if p.name == "" || !bytes.Equal(comm, p.comm) {
		p.comm = append(p.comm[:0], comm...)
		p.name = instanceName(comm)
	}

	if err := p.readFiles(s, v, wanted); err != nil {
		return err
	}
	if v.sum(procRan&v.have) == 0 {
		v.have &^= procWait // a kernel that does not count gives zeros
	}

	if wanted&procHandles != 0 {
		n, err := p.handles(s)
		if isGone(err) {
			return err
		}
		if v.lack(procHandles, err); err == nil && n >= 0 {
			v.set(procHandles, uint64(n))
		}
	}
	p.spare(s)
	return nil
}

// handles returns the number of the process's descriptors: since Linux 6.2 the
// size of the directory fd, before that the number of its entries, which only
// a process that may trace it can list.
func (p *process) handles(s *session) (int64, error) {
	if !s.countHandles {
		n, err := s.root.Size(p.dir, "fd")
		return n, s.judge(err)
	}
	p.fds.dir = p.dir
	err := s.reader.list(&p.fds, &s.listing)
	return int64(s.listing.Len()), err
}

func (p *process) close(s *session) {
	p.tasks.close(s)
	s.reader.close(&p.fds.h)
	p.pidEntry.close(s)
}
