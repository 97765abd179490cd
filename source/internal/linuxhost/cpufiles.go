package linuxhost

import (
	"bytes"
	"slices"
)

// cpuFiles are the files, besides /proc/stat, that give figures of single
// processors. Each is read at most once in a query, whichever objects want it.
type cpuFiles struct {
	interrupts, softirqs file
	columns              columns

	at   uint64 // the reading of /proc/stat that done belongs to
	done fields // what has been read since
}

func newCPUFiles() cpuFiles {
	return cpuFiles{
		interrupts: file{name: "proc/interrupts", records: true},
		softirqs:   file{name: "proc/softirqs"},
	}
}

// cpuOnRequest are the figures that many processors have read only on request.
const cpuOnRequest = cpuInterrupts | cpuClocks | cpuStateFigures

// probe tells which figures there are, of single processors or of all.
func (c *cpuFiles) probe(s *session) (given fields) {
	c.readFigures(s, ^cpuStateFigures)
	for i, p := range s.kernel.online {
		if i == 0 {
			p.readStates(s) // one processor tells which states there are
		}
		given |= p.values.have | wholeMachine(&s.kernel.values).have
	}
	return given
}

// read reads what the object's wanted figures come from.
func (c *cpuFiles) read(s *session, o *object) {
	wanted := o.wanted
	if len(s.kernel.online) > onRequestAbove && !o.named {
		wanted &^= cpuOnRequest
	}
	c.readFigures(s, wanted)
}

func (c *cpuFiles) readFigures(s *session, wanted fields) {
	if c.at != s.kernel.reads {
		c.at = s.kernel.reads
		c.done = 0
	}
	if c.begin(wanted, cpuInterrupts|cpuClocks) {
		c.readColumns(s, &c.interrupts, cpuInterrupts)
	}
	if c.begin(wanted, cpuDPCs) {
		c.readColumns(s, &c.softirqs, cpuDPCs)
	}
	if c.begin(wanted, cpuStateFigures) {
		for _, p := range s.kernel.online {
			p.readStates(s)
		}
	}
}

// begin tells whether the figures of a file are wanted and not there yet.
func (c *cpuFiles) begin(wanted, file fields) bool {
	todo := wanted&file != 0 && c.done&file == 0
	if todo {
		c.done |= file
	}
	return todo
}

// readColumns gives each processor the sum of its column as the figure f.
func (c *cpuFiles) readColumns(s *session, from *file, f fields) {
	text, err := s.reader.read(from)
	if err != nil {
		return
	}

	c.columns.parse(text)
	for i, number := range c.columns.numbers {
		p := s.kernel.known[number]
		if p == nil || p.seen != s.kernel.reads {
			continue
		}
		p.values.set(f, c.columns.sums[i])
		if c.columns.clocked {
			p.values.set(cpuClocks, c.columns.clocks[i])
		}
	}
}

// columns are the sums of a table with one column for each processor: a head
// line "CPU0 CPU2 ...", then rows "label: count count ... description".
type columns struct {
	numbers []uint64 // of processors
	sums    []uint64
	clocks  []uint64 // of rows of clock interrupts alone
	clocked bool     // there are such rows
	row     []uint64
}

func (c *columns) parse(text []byte) {
	c.numbers = c.numbers[:0]
	c.sums = c.sums[:0]
	c.clocks = c.clocks[:0]
	c.clocked = false
	line, text, _ := cutLine(text)
	for {
		var word []byte
		word, line = cutWord(line)
		digits, isProcessor := bytes.CutPrefix(word, []byte("CPU"))
		number, ok := decimal(digits)
		if !isProcessor || !ok {
			break
		}
		c.numbers = append(c.numbers, number)
		c.sums = append(c.sums, 0)
		c.clocks = append(c.clocks, 0)
	}

	for row := range lines(text) {
		c.add(row)
	}
}

// noInterrupts are rows that the sum must leave out: two with one count for the
// whole machine, and the TLB shootdowns of x86, which are counted in the row
// CAL as the function calls that they are, and once in the total of /proc/stat.
var noInterrupts = []string{"ERR:", "MIS:", "TLB:"}

// add adds one row if it has a count in every column.
func (c *columns) add(line []byte) {
	label, line := cutWord(line)
	if slices.Contains(noInterrupts, string(label)) {
		return
	}

	c.row = c.row[:0]
	for range c.numbers {
		var word []byte
		word, line = cutWord(line)
		n, ok := decimal(word)
		if !ok {
			return
		}
		c.row = append(c.row, n)
	}

	clock := isClock(label, line)
	c.clocked = c.clocked || clock
	for i, n := range c.row {
		c.sums[i] += n
		if clock {
			c.clocks[i] += n
		}
	}
}

// isClock tells by its label and description whether a row counts the
// interrupts of the processors' own clocks: LOC on x86, arch_timer on ARM.
func isClock(label, description []byte) bool {
	name := bytes.TrimRight(description, " \t")
	name = name[bytes.LastIndexAny(name, " \t")+1:]
	return string(label) == "LOC:" || string(name) == "arch_timer"
}
