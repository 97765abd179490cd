package linuxhost

import (
	"bytes"
	"slices"
)

// cpuFiles are per-processor files other than /proc/stat. Each is read at most once per query.
type cpuFiles struct {
	interrupts, softirqs file
	columns              columns

	at   uint64 // number of the /proc/stat reading
	done fields // fields read since
}

func newCPUFiles() cpuFiles {
	return cpuFiles{
		interrupts: file{name: "proc/interrupts", records: true},
		softirqs:   file{name: "proc/softirqs"},
	}
}

// cpuOnRequest are the fields that large machines read only on request.
const cpuOnRequest = cpuInterrupts | cpuClocks | cpuStateFields

// probe returns the fields of single processors and of all.
func (c *cpuFiles) probe(s *session) (available fields) {
	c.readFields(s, ^cpuStateFields)
	for i, p := range s.kernel.online {
		if i == 0 {
			p.readStates(s) // all processors have the same states
		}
		available |= p.values.have | wholeMachine(&s.kernel.values).have
	}
	return available
}

func (c *cpuFiles) read(s *session, o *object) {
	needed := o.needed
	if len(s.kernel.online) > onRequestAbove && !o.named {
		needed &^= cpuOnRequest
	}
	c.readFields(s, needed)
}

func (c *cpuFiles) readFields(s *session, needed fields) {
	if c.at != s.kernel.reads {
		c.at = s.kernel.reads
		c.done = 0
	}
	if c.claim(needed, cpuInterrupts|cpuClocks) {
		c.readColumns(s, &c.interrupts, cpuInterrupts)
	}
	if c.claim(needed, cpuDPCs) {
		c.readColumns(s, &c.softirqs, cpuDPCs)
	}
	if c.claim(needed, cpuStateFields) {
		for _, p := range s.kernel.online {
			p.readStates(s)
		}
	}
}

// claim reports whether the caller must read the file with these fields: one is needed, and the file was
// not read yet. Then it marks the fields as read.
func (c *cpuFiles) claim(needed, fieldsOfFile fields) bool {
	unread := needed&fieldsOfFile != 0 && c.done&fieldsOfFile == 0
	if unread {
		c.done |= fieldsOfFile
	}
	return unread
}

// readColumns sets f of each processor to the sum of its column.
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

// columns sums a table with the head line "CPU0 CPU2 ..." and rows "label: count count ...
// description".
type columns struct {
	numbers []uint64 // processor numbers
	sums    []uint64
	clocks  []uint64 // clock interrupts only
	clocked bool
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

// noInterrupts are rows that the sum excludes. ERR and MIS count for the whole machine. CAL
// includes TLB.
var noInterrupts = []string{"ERR:", "MIS:", "TLB:"}

// add adds a row with a count in every column.
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

// isClock reports whether a row counts interrupts of local clocks: LOC on x86, arch_timer on ARM.
func isClock(label, description []byte) bool {
	name := bytes.TrimRight(description, " \t")
	name = name[bytes.LastIndexAny(name, " \t")+1:]
	return string(label) == "LOC:" || string(name) == "arch_timer"
}
