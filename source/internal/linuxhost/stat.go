package linuxhost

import (
	"bytes"
	"strconv"
)

// kernelStat is /proc/stat: figures of the System object, and the times of
// each processor that is online.
type kernelStat struct {
	file                file
	machine, processors *fileTable

	values values // figures of the System object
	reads  uint64 // readings so far
	online []*processor
	before int                   // how many the last reading had, which still stand in the memory of online
	known  map[uint64]*processor // by number, also those that went offline

	idle        uint64 // running total of the idle times of all processors, in 100 ns
	idleStarted bool
}

// processor is one line cpuN of /proc/stat.
type processor struct {
	number uint64
	name   string
	values values // figures of the Processor object; other files add theirs
	seen   uint64 // the last reading of /proc/stat that had it
	since  uint64 // the first of those that had it without a gap

	idleGiven, ioWaitGiven uint64 // what was given last, in 100 ns
	inTotal                values // what the total has seen of it
	states                 []cpuState
	statesOpened           bool
}

func newKernelStat() kernelStat {
	const name = "proc/stat"
	return kernelStat{
		file: file{name: name}, known: map[uint64]*processor{},
		machine: specOf("System").files.find(name), processors: specOf("Processor").files.find(name),
	}
}

// read reads the file. Its line of all interrupts makes it expensive on large
// machines.
func (k *kernelStat) read(s *session) error {
	k.values.have = 0
	k.before = len(k.online)
	k.online = k.online[:0]
	text, err := s.read(&k.file)
	if err != nil {
		return err
	}

	k.reads++
	suspended := uint64(s.suspended / 100) // the kernel's idle times stand still in it
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

// maxProcessors is above what any kernel can be built for.
const maxProcessors = 1 << 16

// readProcessor reads what follows "cpu" in a line and returns what the
// processor adds to the idle time of all.
func (k *kernelStat) readProcessor(line []byte, u *units, suspended uint64) (idle uint64) {
	id, rest := cutWord(line)
	number, ok := decimal(id)
	if !ok || isBlank(line[0]) || number >= maxProcessors {
		return 0 // the line of all processors has no number
	}

	// Mostly it is the one that the last reading had in this place.
	var p *processor
	if n := len(k.online); n < k.before && k.online[:n+1][n].number == number {
		p = k.online[:n+1][n]
	} else {
		p = k.processor(number)
	}
	if p.seen == k.reads {
		return 0 // a second line of one number
	}

	fresh := p.seen == 0 || p.seen != k.reads-1
	p.seen = k.reads
	k.online = append(k.online, p)
	p.values.reset()

	k.processors.readWords(&p.values, rest, 1, u)

	if fresh {
		p.idleGiven = 0
		p.ioWaitGiven = 0
		p.inTotal = values{}
		p.since = k.reads
	}
	before := p.idleGiven
	p.settle(u, suspended)

	switch {
	case !k.idleStarted:
		return p.idleGiven
	case fresh || p.idleGiven < before:
		return 0
	}
	return p.idleGiven - before
}

// settle makes the idle times fit to be given: waiting for I/O is idle, time
// suspended is idle, and neither falls by the little that the kernel moves
// between them (kernel documentation: the /proc Filesystem, "iowait").
func (p *processor) settle(u *units, suspended uint64) {
	v := &p.values
	if !v.has(cpuIdle | cpuIOWait) {
		v.have &^= cpuIdle | cpuIOWait
		return
	}
	few := stepBack * perSecond / u.ticks
	v.set(cpuIdle, hold(&p.idleGiven, v.sum(cpuIdle|cpuIOWait)+suspended, few))
	v.set(cpuIOWait, hold(&p.ioWaitGiven, v.sum(cpuIOWait), few))
}

// stepBack is the number of ticks up to which a time that falls is held. A
// time that falls by more has been reset, as when a processor was offline.
const stepBack = 10

// hold returns now, or the value given last if now is a little below.
func hold(given *uint64, now, few uint64) uint64 {
	if now >= *given || *given-now > few {
		*given = now
	}
	return *given
}

// processor returns the processor of a number.
func (k *kernelStat) processor(number uint64) *processor {
	p := k.known[number]
	if p == nil {
		p = &processor{number: number, name: strconv.FormatUint(number, 10)}
		k.known[number] = p
	}
	return p
}
