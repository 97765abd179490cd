package linuxhost

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"

	"github.com/winperf/winperf"
)

// maxID exceeds the kernel's limit, 4,194,304.
const maxID = math.MaxInt32

// errNoIdentity means that a stat file is damaged. Its process or thread is omitted.
var errNoIdentity = fmt.Errorf("expected a name in parentheses and a start time in /proc/PID/stat: %w",
	winperf.ErrBadData)

// pidEntry is the common part of processes and threads, identified by number and start time.
type pidEntry struct {
	number  int
	started uint64 // clock ticks since boot
	name    string
	inTotal values
	dir     Handle
	kinds   []*fileTable // stat first
	files   []file       // by kind
}

// These are the first fields of processes and threads.
const (
	pidNumber  fields = 1 << iota
	pidStarted        // a FILETIME; for _Total the object clock
)

// newEntry returns an unread entry. It reuses the memory of old.
func newEntry(number int, kinds []*fileTable, old *pidEntry) pidEntry {
	e := pidEntry{number: number, kinds: kinds, files: old.files[:0]}
	for _, t := range kinds {
		e.files = append(e.files, file{name: t.name})
	}
	return e
}

func (e *pidEntry) id() int { return e.number }

func (e *pidEntry) text(s *session, i int) ([]byte, error) {
	e.files[i].dir = e.dir
	return s.reader.read(&e.files[i])
}

// readStat reads stat and detects a reused number. It returns the kernel's name and the text after
// it.
func (e *pidEntry) readStat(s *session, v *values) (comm, rest []byte, err error) {
	text, err := e.text(s, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(text) == 0 {
		return nil, nil, fs.ErrNotExist // a process that is ending
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

// identify sets the fields of the identity to their last known values.
func (e *pidEntry) identify(s *session, v *values) {
	v.set(pidNumber, uint64(e.number))
	sinceBoot, _ := scaled(e.started, perSecond, s.ticks)
	v.set(pidStarted, uint64(s.boot)+sinceBoot)
}

// rollup exists only for processes with their own memory. For others the kernel returns the error
// of an ended process.
const rollup = "smaps_rollup"

// readFiles reads all files except stat. It fails if the process or thread has ended.
func (e *pidEntry) readFiles(s *session, v *values, needed fields) error {
	for i := 1; i < len(e.kinds); i++ {
		t := e.kinds[i]
		if needed&t.provides == 0 || t.name == rollup && !v.hasMemory() {
			continue
		}
		text, err := e.text(s, i)
		if isMissing(err) {
			return err
		}
		if v.markMissing(t.provides, err); err == nil {
			t.read(v, text, &s.units)
		}
	}
	return nil
}

func (e *pidEntry) releaseDir(s *session) {
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

// process is the state of a process between samples.
type process struct {
	pidEntry
	comm     []byte // the kernel's name
	position uint32 // of its instance in the last sample
	folded   bool
	shown    bool  // in the last sample
	unread   error // error of the last sample
	fds      file
	tasks    tasks
}

func (p *process) begin(pid int, kinds []*fileTable) {
	*p = process{
		pidEntry: newEntry(pid, kinds, &p.pidEntry), comm: p.comm[:0], fds: file{name: "fd"},
		tasks: p.tasks.reset(),
	}
}

func (p *process) read(s *session, v *values, needed fields) error {
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

	if err := p.readFiles(s, v, needed); err != nil {
		return err
	}
	if v.sum(procRan&v.have) == 0 {
		v.have &^= procWait // a kernel that does not count shows 0
	}

	if needed&procHandles != 0 {
		n, err := p.handles(s)
		if isMissing(err) {
			return err
		}
		if v.markMissing(procHandles, err); err == nil && n >= 0 {
			v.set(procHandles, uint64(n))
		}
	}
	p.releaseDir(s)
	return nil
}

// handles returns the number of descriptors: the size of the directory fd, or before Linux 6.2 its
// number of entries, which requires permission to trace the process.
func (p *process) handles(s *session) (int64, error) {
	if !s.countHandles {
		n, err := s.root.Size(p.dir, "fd")
		return n, s.noteShort(err)
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
