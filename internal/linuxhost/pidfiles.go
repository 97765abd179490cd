package linuxhost

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/winperf/winperf"
)

// maxID is the largest process id that a file can hold; the kernel stops at
// 4,194,304.
const maxID = math.MaxInt32

// errNoIdentity: a process cannot be told from others and is left out.
var errNoIdentity = fmt.Errorf("no name in brackets or no start time in /proc/PID/stat: %w",
	winperf.ErrBadData)

// process is what is kept of a process from one sample to the next. Its
// identity is its id and when it started.
type process struct {
	pid     int
	started uint64 // clock ticks after the machine
	comm    []byte // the kernel's name of it
	name    string // the instance's name made of comm
	inTotal values // what the total, or that of the folded, has seen of it
	// position is that of its instance in the last sample.
	position uint32
	folded   bool  // its instance is that of all the folded
	shown    bool  // it had an instance in the last sample
	unread   error // why the last sample could not read it
	dir      Handle
	kinds    []pidFile
	files    []file // of these kinds
	fds      file   // the directory fd
	tasks    tasks
}

// pidFile is a file of a process and the figures it gives.
type pidFile struct {
	name  string
	gives fields
	parse func(v *values, text []byte, u units)
	// memory tells that only processes with memory of their own have it. For
	// others the kernel answers as if they had ended.
	memory bool
}

// pidFiles are the files of the Process object.
var pidFiles = []pidFile{
	{name: "stat"}, // always read, and first: it identifies the process
	{name: "statm", gives: procResident | procUnshared, parse: parseStatm},
	{name: "status", gives: procPeakVirtual | procPeakResident | procAnonymous | procSwap | procPageTables,
		parse: parseStatus},
	{name: "io", gives: procReads | procWrites | procBytesRead | procBytesWritten | procDiskRead |
		procDiskWritten, parse: parseIO},
	{name: "schedstat", gives: procWait, parse: parseSchedstat},
}

// procOwn are figures of a process that are no part of a total.
const procOwn = procID | procStarted | procParent | procPriority

func (p *process) begin(pid int, kinds []pidFile) {
	*p = process{pid: pid, comm: p.comm[:0], kinds: kinds, files: p.files[:0], tasks: p.tasks.emptied()}
	for i := range kinds {
		p.files = append(p.files, file{name: kinds[i].name})
	}
}

// read reads the wanted figures into v. It fails when the process is gone (the
// error wraps fs.ErrNotExist), or when not even its stat file can be read.
func (p *process) read(s *session, v *values, wanted fields) (err error) {
	v.reset()
	if p.dir == 0 {
		if p.dir, err = s.openProcess(p.pid); err != nil {
			return err
		}
	}

	if err = p.readStat(s, v); err != nil {
		return err
	}
	for i := 1; i < len(p.kinds); i++ {
		if f := &p.kinds[i]; wanted&f.gives != 0 && (!f.memory || v.hasMemory()) {
			text, err := p.text(s, i)
			if isGone(err) {
				return err
			}
			if v.lack(f.gives, err); err == nil {
				f.parse(v, text, s.units)
			}
		}
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

	if !s.keeps(p.dir) {
		_ = s.reader.close(&p.dir) // an error to close what was only read has no meaning
	}
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
	p.fds.name = "fd"
	p.fds.dir = p.dir
	err := s.reader.list(&p.fds, &s.listing)
	return int64(s.listing.Len()), err
}

// hasMemory tells whether a process has memory of its own. Kernel threads have
// none, and neither has what waits for its parent after its end.
func (v *values) hasMemory() bool { return v.sum(procVirtual&v.have) != 0 }

// isKernel reports whether a process is a thread of the kernel's own.
func (v *values) isKernel() bool { return v.sum(procKernel&v.have) == 1 }

// text returns the text of the file at a place of its kinds.
func (p *process) text(s *session, i int) ([]byte, error) {
	p.files[i].dir = p.dir
	return s.reader.read(&p.files[i])
}

// readStat reads the file stat and finds out whether it is still the same
// process.
func (p *process) readStat(s *session, v *values) error {
	text, err := p.text(s, 0)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return fs.ErrNotExist // as some kernels show a process that is ending
	}

	comm, started, ok := parsePidStat(v, text, s.units)
	if !ok {
		return errNoIdentity
	}

	if started != p.started {
		p.started = started
		p.inTotal = values{}
	}
	if p.name == "" || !bytes.Equal(comm, p.comm) {
		p.comm = append(p.comm[:0], comm...)
		p.name = instanceName(comm)
	}
	p.identify(s, v)
	return nil
}

// identify sets the figures that tell the process from others, as it was known
// last.
func (p *process) identify(s *session, v *values) {
	v.set(procID, uint64(p.pid))
	sinceBoot, _ := scaled(p.started, perSecond, s.ticks)
	v.set(procStarted, uint64(s.boot)+sinceBoot)
}

func (p *process) close(s *session) error {
	err := errors.Join(p.tasks.close(s), s.reader.close(&p.dir), s.reader.close(&p.fds.h))
	for i := range p.files {
		err = errors.Join(err, s.reader.close(&p.files[i].h))
	}
	return err
}
