package linuxhost

import (
	"bytes"
	"strconv"
)

// kernelStat is /proc/stat.
type kernelStat struct {
	file                file
	machine, processors *fileTable

	values values // of the System object
	reads  uint64
	online []*processor
	before int                   // length of online in the last reading; the entries are still in its memory
	known  map[uint64]*processor // including offline ones

	idle        uint64 // of all processors, running total in 100 ns
	idleStarted bool
}

// processor is a line cpuN of /proc/stat.
type processor struct {
	number uint64
	name   string
	values values // also from other files
	seen   uint64 // the last reading that had it
	since  uint64 // the first reading of an unbroken sequence

	idleReported, ioWaitReported uint64 // in 100 ns
	inTotal                      values
	states                       []cpuState
	statesOpened                 bool
}

func newKernelStat() kernelStat {
	const name = "proc/stat"
	return kernelStat{
		file: file{name: name}, known: map[uint64]*processor{},
		machine: specOf("System").files.find(name), processors: specOf("Processor").files.find(name),
	}
}

// read is slow on large machines because of the line intr.
func (k *kernelStat) read(s *session) error {
	k.values.have = 0
	k.before = len(k.online)
	k.online = k.online[:0]
	text, err := s.read(&k.file)
	if err != nil {
		return err
	}

	k.reads++
	suspended := uint64(s.suspended / 100) // idle times exclude it
	for line := range lines(text) {
		if cpu, isCPU := bytes.CutPrefix(line, []byte("cpu")); isCPU {
			k.idle += k.readProcessor(cpu, &s.units, suspended)
		} else {
			k.machine.readLine(&k.values, line, &s.units)
		}
	}

	k.idleStarted = k.idleStarted || len(k.online) > 0
	k.values.set(systemOnline, uint64(len(k.online)))
	return nil
}

const maxProcessors = 1 << 16

// readProcessor parses the text after "cpu". It returns the increase of the idle time.
func (k *kernelStat) readProcessor(line []byte, u *units, suspended uint64) (idle uint64) {
	id, rest := cutWord(line)
	number, ok := decimal(id)
	if !ok || isBlank(line[0]) || number >= maxProcessors {
		return 0 // the line of all processors
	}

	// The order rarely changes.
	var p *processor
	if n := len(k.online); n < k.before && k.online[:n+1][n].number == number {
		p = k.online[:n+1][n]
	} else {
		p = k.processor(number)
	}
	if p.seen == k.reads {
		return 0 // duplicate
	}

	fresh := p.seen == 0 || p.seen != k.reads-1
	p.seen = k.reads
	k.online = append(k.online, p)
	p.values.reset()

	k.processors.readWords(&p.values, rest, 1, u)

	if fresh {
		p.idleReported = 0
		p.ioWaitReported = 0
		p.inTotal = values{}
		p.since = k.reads
	}
	before := p.idleReported
	p.update(u, suspended)

	switch {
	case !k.idleStarted:
		return p.idleReported
	case fresh || p.idleReported < before:
		return 0
	}
	return p.idleReported - before
}

// update adds I/O wait and suspended time to idle time. It hides small decreases: the kernel moves
// time between idle and iowait (kernel documentation, "The /proc Filesystem").
func (p *processor) update(u *units, suspended uint64) {
	v := &p.values
	if !v.has(cpuIdle | cpuIOWait) {
		v.have &^= cpuIdle | cpuIOWait
		return
	}
	limit := maxDecrease * perSecond / u.ticks
	v.set(cpuIdle, hold(&p.idleReported, v.sum(cpuIdle|cpuIOWait)+suspended, limit))
	v.set(cpuIOWait, hold(&p.ioWaitReported, v.sum(cpuIOWait), limit))
}

// maxDecrease is the largest hidden decrease, in ticks. A larger one is a reset, as after being
// offline.
const maxDecrease = 10

// hold returns now, or *last if now is less by at most limit.
func hold(last *uint64, now, limit uint64) uint64 {
	if now >= *last || *last-now > limit {
		*last = now
	}
	return *last
}

func (k *kernelStat) processor(number uint64) *processor {
	p := k.known[number]
	if p == nil {
		p = &processor{number: number, name: strconv.FormatUint(number, 10)}
		k.known[number] = p
	}
	return p
}
