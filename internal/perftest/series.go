package perftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Title indices of the two objects whose instances change.
const (
	Process = 230
	Thread  = 232
)

const (
	second   int64 = 10_000_000              // in 100 ns
	bootTime int64 = 133_500_000_000_000_000 // FILETIME
	uptime         = 3600 * second           // at the first sample
)

// timeOf returns the FILETIME of a sample.
func timeOf(step int) int64 { return bootTime + uptime + int64(step)*second }

// names are names of processes; most are used many times.
var names = []string{
	"svchost", "chrome", "conhost", "RuntimeBroker", "msedge", "explorer", "csrss", "taskhostw",
	"SearchIndexer", "dllhost", "powershell", "services", "cmd", "sqlservr", "w3wp", "rundll32",
}

// Sample is one block and its expected instances.
type Sample struct {
	Bytes []byte
	// IDs has, by title index, the identities of an object's instances in block order. Instances of
	// two samples of a series are the same if and only if their identities are equal.
	IDs map[uint32][]uint64
}

// Block returns the reference block of a size.
func Block(size Size) []byte { return Series(size, 1, 0, 1)[0].Bytes }

// Series returns n samples, one second apart. From each to the next churn percent of the processes
// end, with their threads, and as many start: most at the position and with the name of one that
// ended, some of them with its process ID, too, others at the end of the list.
func Series(size Size, n int, churn float64, seed uint64) []Sample {
	w := newWorld(shapes[size], seed)
	samples := make([]Sample, n)
	for i := range samples {
		if i > 0 {
			w.churn(churn, i)
		}
		samples[i] = w.sample(i)
	}
	return samples
}

// world is the state of a machine.
type world struct {
	rand      *rand.Rand
	processes []*instance // starts with Idle, without _Total
	others    []*object
	lastID    uint64
	lastPID   uint32
}

func newWorld(s shape, seed uint64) *world {
	w := &world{rand: rand.New(rand.NewPCG(seed, 1)), lastPID: 4}
	perProcess := max(s.threads/s.processes, 1)
	threads := s.threads
	for i := range s.processes {
		p := w.process(names[w.rand.IntN(len(names))], bootTime+int64(i)*second)
		p.threads = min(threads, 1+w.rand.IntN(2*perProcess))
		threads -= p.threads
		w.processes = append(w.processes, p)
	}

	w.processes[len(w.processes)-1].threads += threads
	w.processes[0].name, w.processes[0].pid = "Idle", 0
	w.processes[1].name, w.processes[1].pid = "System", 4
	w.addOthers(s)
	return w
}

// process returns a new process.
func (w *world) process(name string, start int64) *instance {
	w.lastID++
	w.lastPID += 4
	return &instance{id: w.lastID, name: name, pid: w.lastPID, start: start}
}

// addOthers adds the objects that do not change. One in three has a single instance; the numbers of
// counters are chosen for the required totals.
func (w *world) addOthers(s shape) {
	objects := s.objects - 2
	instances := s.instances - s.processes - s.threads - 1
	values := s.values - len(processCounters)*(s.processes+1) - len(threadCounters)*s.threads
	for i := range objects {
		left := objects - i
		o := &object{title: uint32(2000 + 100*i), single: i%3 == 0 && left > 1}
		n := 1
		if !o.single {
			n = instances - (left-1)/3 // the remaining single ones
			n /= left - (left-1)/3
		}

		if left == 1 {
			n = instances
		}
		perInstance := max(values/max(instances, 1), 1)
		spread := perInstance / 3
		o.counters = mixed(o.title, perInstance+(i%3-1)*spread)

		for k := range n {
			w.lastID++
			name := fmt.Sprintf("Reference Instance %d", k)
			o.instances = append(o.instances, &instance{id: w.lastID, name: name})
		}

		instances -= n
		values -= n * len(o.counters)
		w.others = append(w.others, o)
	}
}

// churn ends and starts processes before sample number step.
func (w *world) churn(percent float64, step int) {
	now := timeOf(step)
	count := int(float64(len(w.processes))*percent/100 + 0.5)
	for range count {
		i := 2 + w.rand.IntN(len(w.processes)-2) // Idle and System stay
		old := w.processes[i]
		p := w.process(old.name, now-w.rand.Int64N(second))
		p.threads = old.threads

		switch w.rand.IntN(4) {
		case 0:
			w.processes = append(slices.Delete(w.processes, i, i+1), p)
		case 1:
			p.pid = old.pid
			w.processes[i] = p
		default:
			w.processes[i] = p
		}
	}
}

// sample returns sample number step of the machine.
func (w *world) sample(step int) Sample {
	m := moment{step, timeOf(step)}
	total := &instance{name: "_Total", start: m.time}
	process := &object{title: Process, counters: processCounters}
	thread := &object{title: Thread, counters: threadCounters}
	for i, p := range w.processes {
		process.instances = append(process.instances, p)
		for k := range p.threads {
			thread.instances = append(thread.instances, &instance{
				id: hash(p.id, uint64(k)+1), name: fmt.Sprint(k), parent: Process, position: uint32(i),
				pid: p.pid, tid: p.pid*1000 + uint32(k), start: p.start,
			})
		}
	}

	process.instances = append(process.instances, total)
	objects := append([]*object{process, thread}, w.others...)
	s := Sample{Bytes: writeBlock(nil, m, objects), IDs: map[uint32][]uint64{}}
	for _, o := range objects {
		for _, in := range o.instances {
			s.IDs[o.title] = append(s.IDs[o.title], in.id)
		}
	}
	return s
}
