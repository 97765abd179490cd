package groups

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const second = 10_000_000

// proc returns a process that began long ago, with its own time and the time of children that it waited
// for.
func proc(id, parent uint64, name string, own, waited uint64) Process {
	return Process{
		ID: id, Parent: parent, Started: id * 1000, Began: 1 + id, Age: 1000 * second, Name: name,
		Own: Amounts{Time: own}, Waited: Amounts{Time: waited},
	}
}

// young returns a process that began since the previous sample.
func young(id, parent uint64, name string, own, waited uint64) Process {
	p := proc(id, parent, name, own, waited)
	p.Age = second / 2
	return p
}

func times(s *State) map[string]uint64 {
	all := map[string]uint64{}
	for _, g := range s.Groups() {
		if g.Total[Time] != 0 {
			all[g.Name] = g.Total[Time]
		}
	}
	return all
}

func TestTimes(t *testing.T) {
	init := proc(1, 0, "init", 50, 7000)
	shell := proc(10, 1, "shell", 30, 400)
	with := func(p Process, own, waited uint64) Process {
		p.Own[Time], p.Waited[Time] = own, waited
		return p
	}
	for _, test := range []struct {
		name    string
		samples [][]Process
		want    map[string]uint64
	}{
		{"the first sample is the start", [][]Process{{init, shell}}, map[string]uint64{}},
		{"a process grows", [][]Process{{init, shell}, {init, with(shell, 35, 400)}}, map[string]uint64{"shell": 5}},
		{"a counter that falls adds nothing", [][]Process{{init, shell}, {init, with(shell, 25, 300)},
			{init, with(shell, 26, 301)}}, map[string]uint64{"shell": 2}},
		{"a new process", [][]Process{{init, shell}, {init, shell, young(11, 10, "cc", 8, 3)}},
			map[string]uint64{"other": 11}},
		{"a process that was not visible", [][]Process{{init, shell}, {init, shell, proc(11, 10, "cc", 8, 3)},
			{init, shell, proc(11, 10, "cc", 9, 3)}}, map[string]uint64{"cc": 1}},
		{"a child that no sample had", [][]Process{{init, shell}, {init, with(shell, 31, 420)}},
			map[string]uint64{"shell": 21}},
		{"a child that ends", [][]Process{
			{init, shell, proc(11, 10, "cc", 8, 3)},
			{init, shell, proc(11, 10, "cc", 18, 3)},
			{init, with(shell, 30, 400+8+10+3+4)}, // it ran 4 after the last sample
		}, map[string]uint64{"cc": 10, "shell": 4}},
		{"the child's parent was read before it waited", [][]Process{
			{init, shell, proc(11, 10, "cc", 8, 3)},
			{init, shell},
			{init, with(shell, 30, 400+8+3+4)},
		}, map[string]uint64{"shell": 4}},
		{"a child and its parent end, each waited for", [][]Process{
			{init, shell, proc(11, 10, "make", 2, 0), proc(12, 11, "cc", 9, 0)},
			{init, with(shell, 30, 400+2+9+5)},
		}, map[string]uint64{"shell": 5}},
		{"a parent ends first, and init waits for the child", [][]Process{
			{init, shell, proc(11, 10, "make", 2, 0), proc(12, 11, "cc", 9, 0)},
			{with(init, 50, 7000+9+1), with(shell, 30, 400+2)},
		}, map[string]uint64{"init": 1}},
		{"a subreaper waits", [][]Process{
			{init, proc(5, 1, "user", 0, 0), proc(10, 5, "shell", 0, 0), proc(11, 10, "cc", 9, 0)},
			{init, proc(5, 1, "user", 0, 0), proc(11, 5, "cc", 12, 0)},
			{init, proc(5, 1, "user", 0, 13)},
		}, map[string]uint64{"cc": 3, "user": 1}},
		{"nobody waits", [][]Process{
			{init, shell, proc(11, 10, "cc", 9, 0)}, {init, shell}, {init, shell}, {init, shell},
			{init, with(shell, 30, 402)},
		}, map[string]uint64{"shell": 2}},
		{"an id is used again", [][]Process{
			{init, shell, proc(11, 10, "cc", 9, 0)},
			{init, with(shell, 30, 409), func() Process {
				p := young(11, 10, "ld", 4, 0)
				p.Started++
				return p
			}()},
		}, map[string]uint64{"other": 4}},
		{"parents in a circle", [][]Process{
			{proc(2, 3, "a", 0, 0), proc(3, 2, "b", 0, 0), proc(4, 3, "c", 5, 0)},
			{proc(2, 3, "a", 0, 0)},
		}, map[string]uint64{}},
		{"the same process twice", [][]Process{{init, shell}, {init, with(shell, 32, 400), with(shell, 39, 400)}},
			map[string]uint64{"shell": 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(nil)
			for _, sample := range test.samples {
				s.Add(sample, second)
			}
			if got := times(s); fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestIO: a system that has one sum of a process and its ended children counts no child twice.
func TestIO(t *testing.T) {
	with := func(p Process, bytes uint64) Process {
		p.Waited[ReadBytes] = bytes
		return p
	}
	s := New(nil)
	shell, cc := proc(10, 1, "shell", 0, 0), proc(11, 10, "cc", 0, 0)
	s.Add([]Process{with(shell, 100), with(cc, 50)}, 0)
	s.Add([]Process{with(shell, 110), with(cc, 90)}, second)
	s.Add([]Process{with(shell, 110+95+7)}, second)
	for i, want := range []Group{{Name: Other}, {Name: "cc", Total: Amounts{ReadBytes: 40}},
		{Name: "shell", Total: Amounts{ReadBytes: 10 + 5 + 7}}} {
		if g := s.Groups()[i]; g.Name != want.Name || g.Total != want.Total {
			t.Errorf("group %d is %+v, want %+v", i, *g, want)
		}
	}
}

func TestUnknownAmounts(t *testing.T) {
	lacking := proc(10, 1, "shell", 0, 0)
	lacking.Lacks, lacking.LacksGauge = 1<<Time|1<<ReadBytes, 1<<WorkingSet
	s := New(nil)
	for _, own := range []uint64{100, 0, 120, 125} {
		p := proc(10, 1, "shell", own, 0)
		if own == 0 {
			p = lacking
		}
		s.Add([]Process{p}, second)
	}
	if got := times(s); got["shell"] != 25 {
		t.Errorf("after a sample without values: %v", got)
	}

	s = New(nil)
	s.Add([]Process{lacking}, second)
	s.Add([]Process{proc(10, 1, "shell", 500, 0)}, second)
	s.Add([]Process{proc(10, 1, "shell", 501, 0)}, second)
	if got := times(s); got["shell"] != 1 {
		t.Errorf("amounts from before the first sample: %v", got)
	}
	s.Add([]Process{lacking}, second)
	if g := s.Groups()[1]; g.HasGauge>>WorkingSet&1 != 0 || g.HasGauge>>Threads&1 == 0 || g.Has>>ReadBytes&1 == 0 {
		t.Errorf("known amounts %b and gauges %b", g.Has, g.HasGauge)
	}
}

func TestFaultsWrap(t *testing.T) {
	s := New(nil)
	for _, faults := range []uint64{1<<32 - 5, 3} {
		p := proc(10, 1, "shell", 0, 0)
		p.Own[Faults] = faults
		s.Add([]Process{p}, second)
	}
	if got := s.Groups()[1].Total[Faults]; got != 8 {
		t.Errorf("%d faults, want 8", got)
	}
}

func TestGauges(t *testing.T) {
	a, b, c := proc(10, 1, "web", 0, 0), proc(11, 1, "web", 0, 0), proc(12, 1, "db", 0, 0)
	a.Gauges, b.Gauges, c.Gauges = [NumGauges]uint64{1, 200, 3}, [NumGauges]uint64{4, 50, 6}, [NumGauges]uint64{7, 8, 9}
	s := New([]string{"web", "empty"})
	s.Add([]Process{b, a, c}, second)
	web, empty, other := s.Groups()[1], s.Groups()[2], s.Groups()[0]
	want := Group{Name: "web", Has: allCounters, Processes: 2, Sum: [NumGauges]uint64{5, 250, 9},
		Max: [NumGauges]uint64{4, 200, 6}, HasGauge: 7, Oldest: 11}
	if *web != want {
		t.Errorf("got %+v, want %+v", *web, want)
	}
	if empty.Processes != 0 || empty.Name != "empty" || other.Processes != 1 || other.Max[Threads] != 7 {
		t.Errorf("empty %+v, other %+v", *empty, *other)
	}
}

// TestChosenGroups: the names with the most time have groups, which stay; the others share one.
func TestChosenGroups(t *testing.T) {
	s := New(nil)
	sample := func(busy func(i int) uint64) {
		var all []Process
		for i := range 300 {
			all = append(all, proc(uint64(10+i), 1, fmt.Sprintf("p%03d", i), uint64(i)+busy(i), 0))
		}
		s.Add(all, second)
	}
	names := func() string {
		var list []string
		for _, g := range s.Groups()[1:] {
			list = append(list, g.Name)
		}
		return strings.Join(list, " ")
	}

	sample(func(int) uint64 { return 0 })
	first := names()
	if len(s.Groups()) != 51 || !strings.HasPrefix(first, "p299 p298 ") || !strings.HasSuffix(first, "p250") {
		t.Fatalf("first %s", first)
	}
	sample(func(i int) uint64 { return uint64(300 - i) })
	if got := names(); got != first {
		t.Errorf("little time made groups: %s", got)
	}
	sample(func(i int) uint64 { return uint64(300-i) * second })
	if got := names(); !strings.HasPrefix(got, first+" p000 p001 ") || len(s.Groups()) != 65 {
		t.Errorf("%d groups: %s", len(s.Groups()), got)
	}
	before := *s.Groups()[51]
	if before.Name != "p000" || before.Total != (Amounts{}) || before.Processes != 1 {
		t.Errorf("a new group counts from its beginning: %+v", before)
	}
	sample(func(i int) uint64 { return uint64(301-i) * second })
	if got := s.Groups()[51].Total[Time]; got != second {
		t.Errorf("p000 counts %d, want %d", got, second)
	}
}

func TestNames(t *testing.T) {
	s := New(nil)
	long := strings.Repeat("ä", maxName)
	s.Add([]Process{proc(1, 0, Other, 9, 0), proc(2, 1, long, 5, 0)}, second)
	if g := s.Groups(); len(g) != 2 || g[0].Processes != 1 || len(g[1].Name) != maxName {
		t.Errorf("%d groups", len(g))
	}
	for i := range 20 {
		var all []Process
		for k := range 1000 {
			all = append(all, young(uint64(10+1000*i+k), 1, fmt.Sprintf("x%d-%d", i, k), 1, 0))
		}
		s.Add(all, second)
		if n := len(s.names); n > maxNames+limit+1 {
			t.Fatalf("%d names", n)
		}
	}
	if n := len(s.processes); n != 1000 {
		t.Errorf("%d processes", n)
	}
}

// TestNeverTooMuch simulates a tree of processes. Whatever a sample misses, the groups together never
// count more than the processes ran, and no counter falls.
func TestNeverTooMuch(t *testing.T) {
	for seed := range uint64(200) {
		sim := newSimulation(seed)
		s := New(nil)
		last := map[string]Amounts{}
		var start Amounts
		for step := range 40 {
			for range 30 {
				sim.step()
			}
			s.Add(sim.sample(), second)
			if step == 0 {
				start = sim.total
			}
			var sum Amounts
			for _, g := range s.Groups() {
				for c, n := range g.Total {
					if n < last[g.Name][c] {
						t.Fatalf("seed %d: %s: counter %d fell", seed, g.Name, c)
					}
					sum[c] += n
				}
				last[g.Name] = g.Total
			}
			for c, n := range sum {
				if n > sim.total[c]-start[c] {
					t.Fatalf("seed %d, sample %d: counter %d is %d, but only %d happened", seed, step, c, n,
						sim.total[c]-start[c])
				}
			}
		}
	}
}

// TestAllOfTheTime: if every process waits for its children, the groups together count all of the time.
func TestAllOfTheTime(t *testing.T) {
	for seed := range uint64(50) {
		sim := newSimulation(seed)
		s := New(nil)
		var start, sum uint64
		for step := range 40 {
			for range 30 {
				sim.step()
				for _, p := range sim.live {
					p.reaps = 0
				}
			}
			s.Add(sim.sample(), second)
			if step == 0 {
				start = sim.total[Time]
			}
		}
		for _, n := range times(s) {
			sum += n
		}
		if sum != sim.total[Time]-start || sum < 500 {
			t.Errorf("seed %d: counted %d, want %d", seed, sum, sim.total[Time]-start)
		}
	}
}

// simulation is processes as the kernel of Linux accounts for them.
type simulation struct {
	*rand.Rand
	next  uint64
	live  []*simulated
	total Amounts
}

type simulated struct {
	Process
	parent *simulated
	zombie bool
	reaps  int // 0: waits, 1: ignores ended children, 2: its children remain zombies
	fresh  bool
}

func newSimulation(seed uint64) *simulation {
	sim := &simulation{Rand: rand.New(rand.NewPCG(seed, 1)), next: 1}
	sim.fork(nil)
	sim.live[0].reaps = 0
	return sim
}

func (sim *simulation) fork(parent *simulated) {
	p := &simulated{parent: parent, fresh: true, reaps: [...]int{0, 0, 0, 0, 1, 2}[sim.IntN(6)]}
	p.ID, p.Started, p.Name = sim.next, sim.next, fmt.Sprintf("n%d", sim.IntN(90))
	sim.next++
	sim.live = append(sim.live, p)
}

func (sim *simulation) step() {
	p := sim.live[sim.IntN(len(sim.live))]
	switch {
	case p.zombie:
		if p.parent.reaps == 0 {
			sim.reap(p)
		}
	case sim.IntN(4) == 0:
		sim.fork(p)
	case sim.IntN(4) == 0 && p.parent != nil:
		sim.end(p)
	default:
		n := sim.Uint64N(5)
		p.Own[Time] += n
		p.Waited[ReadBytes] += n // with the children's
		sim.total[Time] += n
		sim.total[ReadBytes] += n
	}
}

func (sim *simulation) end(p *simulated) {
	p.zombie = true
	for _, child := range sim.live {
		if child.parent == p {
			child.parent = sim.live[0]
			if p.parent.reaps == 0 && !p.parent.zombie && sim.IntN(2) == 0 {
				child.parent = p.parent // a subreaper
			}
		}
	}
	if p.parent.reaps == 1 {
		sim.remove(p)
	}
}

func (sim *simulation) reap(p *simulated) {
	for c := range p.Own {
		p.parent.Waited[c] += p.Own[c] + p.Waited[c]
	}
	sim.remove(p)
}

func (sim *simulation) remove(p *simulated) {
	for i, q := range sim.live {
		if q == p {
			sim.live = append(sim.live[:i], sim.live[i+1:]...)
			return
		}
	}
}

func (sim *simulation) sample() (all []Process) {
	for _, p := range sim.live {
		s := p.Process
		if p.parent != nil {
			s.Parent = p.parent.ID
		}
		s.Age = 1000 * second
		if p.fresh {
			s.Age, p.fresh = 0, false
		}
		all = append(all, s)
	}
	return all
}
