// Package groups sums the processes of successive samples into groups. The counters of a group never
// decrease: they keep the amounts of processes that have ended.
//
// A reader of samples does not see processes that begin and end between two samples, nor the last
// moments of a process. Linux adds the amounts of an ended process to the process that waited for it.
// [State] finds in these sums the amounts that no sample had, and adds them to the group of the process
// that waited.
package groups

// Counter is the position of an amount in [Amounts].
type Counter int

// The counters.
const (
	Time        Counter = iota // of processors, in 100 ns
	ReadBytes                  // read by calls of the system
	WriteBytes                 // written by calls of the system
	Faults                     // page faults, modulo 2^32
	MajorFaults                // page faults that waited for a device, modulo 2^32
	NumCounters
)

// Amounts are the amounts of a process since its start, or of a group since the first sample.
type Amounts [NumCounters]uint64

// Gauge is the position of a gauge in [Process].Gauges.
type Gauge int

// The gauges.
const (
	Threads      Gauge = iota
	WorkingSet         // bytes
	PrivateBytes       // bytes
	NumGauges
)

// Process is a process in a sample. ID and Started identify it; Started has any unit and origin.
type Process struct {
	ID, Parent, Started uint64
	// Began is the start of the process in 100 ns since 1970; 0 if unknown. Age is the time since then.
	Began, Age uint64
	// Name is the name of its group.
	Name string
	// Own are the amounts of the process. Waited are the amounts of ended children that it waited for, and
	// of their children. If a system only has the sum of both, it is in Waited and Own is 0.
	Own, Waited Amounts
	Gauges      [NumGauges]uint64
	// Lacks and LacksGauge have bit c set if the amounts, or the gauge, at position c are unknown.
	Lacks, LacksGauge uint8
}

// Group is a group of processes.
type Group struct {
	Name string
	// Total are the amounts since the first sample. Has has bit c set if amount c was ever known.
	Total Amounts
	Has   uint8
	// The members in the latest sample: their number, and sum and maximum of each gauge. HasGauge has bit
	// g set if all members have gauge g.
	Processes uint64
	Sum, Max  [NumGauges]uint64
	HasGauge  uint8
	// Oldest is the earliest Began of the members; 0 without members.
	Oldest uint64
}

// Other is the name of the group of all processes that have no group.
const Other = "other"

// Limits of groups that are chosen by processor time.
const (
	// most names with the most processor time have a group.
	most = 50
	// limit is the largest number of groups, because a group stays once it exists.
	limit = 64
	// leastTime is the processor time, in 100 ns, of a name that gets a group when there are most groups
	// already. It keeps names that are busy only once from using up the limit.
	leastTime = 10_000_000
	// maxNames is the number of names without a group whose processor time is known.
	maxNames = 4096
	// maxName is the length of a name, in bytes. Control groups of containers have more than 200.
	maxName = 256
)

// State is the state of the groups after a sample. Use New.
type State struct {
	fixed   bool
	samples uint64 // added
	groups  []*Group
	names   map[string]*candidate
	ranked  []*candidate // memory of choose

	processes        map[key]*member // in the latest sample
	list, before     []*member       // in the latest and the previous sample, in its order
	byID, byIDBefore map[uint64]*member
	claims           []claim
}

// candidate is a name that may get a group.
type candidate struct {
	name  string
	group *Group // Other until it has its own
	time  uint64 // since the first sample
	older uint64 // processor time of its members before the first sample
}

// New returns groups with fixed names, or without names groups of the names with the most processor
// time.
func New(fixed []string) *State {
	s := &State{
		fixed: len(fixed) > 0, groups: []*Group{{Name: Other}}, names: map[string]*candidate{},
		processes: map[key]*member{}, byID: map[uint64]*member{}, byIDBefore: map[uint64]*member{},
	}
	for _, name := range fixed {
		s.addGroup(s.candidate(name))
	}
	return s
}

// Groups returns the groups: Other, then the others in the order of their creation. A group keeps its
// position. They are valid until the next call of Add.
func (s *State) Groups() []*Group { return s.groups }

// Add adds a sample. elapsed is the time since the previous one, in 100 ns. The amounts in the first
// sample are the start, from which the groups count.
func (s *State) Add(processes []Process, elapsed uint64) {
	s.samples++
	s.list, s.before = s.before[:0], s.list
	s.byID, s.byIDBefore = s.byIDBefore, s.byID
	clear(s.byID)
	for i := range processes {
		if m := s.update(&processes[i], elapsed); m != nil {
			m.at = i
			s.list = append(s.list, m)
			s.byID[m.id] = m
		}
	}

	s.settle()
	for _, m := range s.list {
		m.count(processes[m.at].Lacks)
	}
	s.choose()

	for _, g := range s.groups {
		*g = Group{Name: g.Name, Total: g.Total, Has: g.Has, HasGauge: 1<<NumGauges - 1}
	}
	for _, m := range s.list {
		m.in.group.include(&processes[m.at])
	}
}

func (g *Group) include(p *Process) {
	g.Processes++
	if p.Began != 0 && (g.Oldest == 0 || p.Began < g.Oldest) {
		g.Oldest = p.Began
	}

	g.HasGauge &^= p.LacksGauge
	for i, n := range p.Gauges {
		g.Sum[i] += n
		g.Max[i] = max(g.Max[i], n)
	}
	g.Has |= ^p.Lacks & allCounters
}
