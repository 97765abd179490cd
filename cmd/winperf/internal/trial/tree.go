package trial

import (
	"cmp"
	"runtime"
	"time"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/frame"
	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/titles"
)

// Title indices of Windows: the object Process and counters of resource use.
const (
	titleUser, titlePrivileged        = 142, 144
	titleParent                       = 1410
	titlePeak                         = 178
	titleReadBytes, titleWrittenBytes = 1420, 1422
	titleReadCalls, titleWrittenCalls = 1412, 1414
	ticksPerSecond                    = 10_000_000
	nanosecondsPerTick                = int64(time.Second) / ticksPerSecond
)

var treeCounters = []uint32{
	titles.IDProcess, titleParent, titles.ElapsedTime, titleUser, titlePrivileged, titles.WorkingSet, titlePeak,
	titleReadBytes, titleWrittenBytes, titleReadCalls, titleWrittenCalls,
}

// Process is the last sample of a process in a tree.
type Process struct {
	PID        uint32        `json:"pid"`
	Parent     uint32        `json:"parent"` // when first seen
	Name       string        `json:"name"`
	First      time.Time     `json:"first_seen"`
	Last       time.Time     `json:"last_seen"`
	User       time.Duration `json:"user"`
	System     time.Duration `json:"system"`
	Peak       uint64        `json:"peak_working_set"` // bytes
	Read       uint64        `json:"read"`             // bytes, from any device
	Written    uint64        `json:"written"`
	Reads      uint64        `json:"read_calls"`
	Writes     uint64        `json:"write_calls"`
	IOKnown    bool          `json:"io_known"` // false if this account cannot read it
	workingSet uint64
}

// Tree follows a process and its descendants in frames with the object Process. It misses processes that
// begin and end between two samples.
type Tree struct {
	root      uint32
	processes map[identity]*Process
	pids      map[uint32]bool // members of the tree in the last frame
	last      time.Time       // time of the last frame
	peak      uint64
	read      uint64 // bytes: the largest total at one time
	written   uint64
	row       []uint64 // reused
	places    []int
}

// identity is a process id and start time, because ids are reused.
type identity struct {
	pid   uint32
	began uint64
}

// NewTree returns the tree of a process.
func NewTree(root int) *Tree {
	return &Tree{root: uint32(root), processes: map[identity]*Process{}, pids: map[uint32]bool{}}
}

// Selection returns the selection that a Tree needs.
func Selection() winperf.Selection {
	var sel winperf.Selection
	for _, title := range treeCounters {
		sel.Paths = append(sel.Paths, winperf.Path{
			Object: titleName(titles.Process), Instance: "*", HasInstance: true, Counter: titleName(title),
		})
	}
	return sel
}

// Add adds the processes of a frame. It reports whether the frame has processes.
func (t *Tree) Add(f frame.Frame) bool {
	o, ok := f.Find(winperf.ObjectID{Index: titles.Process})
	if !ok || !t.place(o) {
		return false
	}

	// A child may precede its parent, so the loop runs once for each level of new processes.
	now := f.Time()
	seen := map[uint32]bool{}
	for {
		before := len(seen)
		for i := range o.Len() {
			t.look(o, i, now, seen)
		}
		if len(seen) == before {
			break
		}
	}
	t.pids, t.last = seen, now
	t.measure(now)
	return true
}

func (t *Tree) place(o frame.Object) bool {
	t.places = t.places[:0]
	for _, title := range treeCounters {
		k, ok := o.FindCounter(winperf.CounterID{Index: title})
		if !ok {
			return false
		}
		t.places = append(t.places, k)
	}
	return true
}

func (t *Tree) look(o frame.Object, i int, now time.Time, seen map[uint32]bool) {
	pid, _ := o.Raw(i, t.places[0])
	if pid == 0 || seen[uint32(pid)] {
		return // Idle and _Total have no process id
	}
	parent, _ := o.Raw(i, t.places[1])
	began, _ := o.Raw(i, t.places[2])
	id := identity{uint32(pid), began}
	p := t.processes[id]
	if p == nil && id.pid != t.root && !seen[uint32(parent)] && !t.pids[uint32(parent)] {
		return
	}

	seen[id.pid] = true
	if p == nil {
		p = &Process{PID: id.pid, Parent: uint32(parent), First: now}
		t.processes[id] = p
	}
	t.take(p, o, i)
	p.Name, p.Last = o.Instance(i).Name(), now
}

func (t *Tree) take(p *Process, o frame.Object, i int) {
	t.row = t.row[:0]
	io := true
	for at, k := range t.places {
		v, ok := o.Raw(i, k)
		if !ok && treeCounters[at] >= titleReadCalls && treeCounters[at] <= titleWrittenBytes {
			io = false
		}
		t.row = append(t.row, v)
	}

	p.User = time.Duration(int64(t.row[3]) * nanosecondsPerTick)
	p.System = time.Duration(int64(t.row[4]) * nanosecondsPerTick)
	p.workingSet, p.Peak = t.row[5], max(p.Peak, t.row[5], t.row[6])
	if io {
		p.Read, p.Written, p.Reads, p.Writes = t.row[7], t.row[8], t.row[9], t.row[10]
	}
	p.IOKnown = io
}

func (t *Tree) measure(now time.Time) {
	var memory, read, written uint64
	for _, p := range t.processes {
		if p.Last.Equal(now) {
			memory, read, written = memory+p.workingSet, read+p.Read, written+p.Written
		}
	}
	t.peak, t.read, t.written = max(t.peak, memory), max(t.read, read), max(t.written, written)
}

// TreeUsage is the sampled resource use of a tree.
type TreeUsage struct {
	Processes  []Process     `json:"processes"` // in the order of their appearance
	User       time.Duration `json:"user"`
	System     time.Duration `json:"system"`
	PeakMemory uint64        `json:"peak_memory"` // bytes: the largest total at one time
	Read       uint64        `json:"read"`
	Written    uint64        `json:"written"`
	IOKnown    bool          `json:"io_known"` // for all processes
}

// withChildren means that the input and output of a process include the children that it waited for
// (proc(5), /proc/pid/io). Then the current processes have the total.
const withChildren = runtime.GOOS == "linux"

// Usage returns the resource use of the tree.
func (t *Tree) Usage() TreeUsage {
	u := TreeUsage{PeakMemory: t.peak, IOKnown: len(t.processes) > 0}
	for _, p := range t.processes {
		u.Processes = append(u.Processes, *p)
		u.User, u.System = u.User+p.User, u.System+p.System
		u.Read, u.Written = u.Read+p.Read, u.Written+p.Written
		u.IOKnown = u.IOKnown && p.IOKnown
	}
	if withChildren {
		u.Read, u.Written = t.read, t.written
	}
	sorted.Func(u.Processes, func(a, b Process) int {
		return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.PID, b.PID))
	})
	return u
}
