package linuxhost

import (
	"bytes"
	"context"
	"errors"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Processor object. Times are in 100 ns.
const (
	cpuUser fields = 1 << iota // with the guest's
	cpuNice                    // with the guest's
	cpuSystem
	cpuIdle // in the object: with cpuIOWait and the time suspended, and settled
	cpuIOWait
	cpuIRQ
	cpuSoftirq
	cpuSteal
	cpuGuest
	cpuGuestNice
	cpuInterrupts
	cpuDPCs
	cpuC1Time
	cpuC2Time
	cpuC3Time
	cpuC1Entries
	cpuC2Entries
	cpuC3Entries
)

const (
	cpuStateFigures = cpuC1Time | cpuC2Time | cpuC3Time | cpuC1Entries | cpuC2Entries | cpuC3Entries
	cpuTimes        = cpuUser | cpuNice | cpuSystem | cpuIdle | cpuIOWait | cpuIRQ | cpuSoftirq | cpuSteal | cpuGuest | cpuGuestNice |
		cpuC1Time | cpuC2Time | cpuC3Time
)

// onRequestAbove is the number of processors above which figures that take
// files growing with it are read only when the query names them.
const onRequestAbove = 64

var processorSpec = spec{
	number: 1, index: 238, name: "Processor", multi: true,
	help: "The processors that are online, and _Total: of times the average, of counts the sum. Inside a container these are the host's.",
	rows: []row{
		{6, "% Processor Time", counter.TimerInv100NSec, 0, provider.Novice, cpuIdle, nil,
			"Share of time not spent idle; time that the hypervisor gave to others counts as busy. From /proc/stat, cpuN: all but idle + iowait."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, cpuUser | cpuNice, nil,
			"Share of time in programs. From /proc/stat, cpuN: user + nice."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, cpuSystem | cpuIRQ | cpuSoftirq, nil,
			"Share of time in the kernel, interrupts included. From /proc/stat, cpuN: system + irq + softirq."},
		{148, "Interrupts/sec", counter.CounterCounter, -2, provider.Novice, cpuInterrupts, nil,
			"Interrupts of all kinds. From /proc/interrupts, the sum of the processor's column but for the row TLB; _Total from /proc/stat, intr. With more than 64 processors single ones are read only on request."},
		{696, "% DPC Time", counter.Timer100NSec, 0, provider.Advanced, cpuSoftirq, nil,
			"Share of time in soft interrupts, Linux's deferred calls. From /proc/stat, cpuN: softirq. Unlike on Windows sampled by the timer tick on most kernels, and then often 0."},
		{698, "% Interrupt Time", counter.Timer100NSec, 0, provider.Advanced, cpuIRQ, nil,
			"Share of time in hardware interrupts. From /proc/stat, cpuN: irq. Unlike on Windows sampled by the timer tick on most kernels, and then often 0."},
		{1334, "DPCs Queued/sec", counter.CounterCounter, 0, provider.Advanced, cpuDPCs, nil,
			"Soft interrupts, Linux's deferred calls. From /proc/softirqs, the sum of the processor's column; _Total from /proc/stat, softirq. Unlike on Windows those run, not those queued."},
		{1746, "% Idle Time", counter.Timer100NSec, 0, provider.Wizard, cpuIdle, nil,
			"Share of time spent idle, also while I/O is outstanding. From /proc/stat, cpuN: idle + iowait."},
		{1748, "% C1 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC1Time, nil,
			"Share of time in C1, the lightest idle states. From /sys/devices/system/cpu/cpuN/cpuidle, time of the states named C1 or WFI." + stateDifference},
		{1750, "% C2 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC2Time, nil,
			"Share of time in C2, the middle idle states. From /sys/devices/system/cpu/cpuN/cpuidle, time of the states named C2." + stateDifference},
		{1752, "% C3 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC3Time, nil,
			"Share of time in C3 or deeper idle states. From /sys/devices/system/cpu/cpuN/cpuidle, time of the states named C3 and above." + stateDifference},
		{1754, "C1 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC1Entries, nil,
			"How often the processor went into C1. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the states named C1 or WFI." + stateDifference},
		{1756, "C2 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC2Entries, nil,
			"How often the processor went into C2. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the states named C2." + stateDifference},
		{1758, "C3 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC3Entries, nil,
			"How often the processor went into C3 or deeper. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the states named C3 and above." + stateDifference},
		{titleSteal, "% Steal Time", counter.Timer100NSec, 0, provider.Advanced, cpuSteal, nil,
			"Share of time that the hypervisor gave to others. From /proc/stat, cpuN: steal."},
		{titleIOWait, "% I/O Wait Time", counter.Timer100NSec, 0, provider.Advanced, cpuIOWait, nil,
			"Share of time idle while I/O was outstanding; part of % Idle Time. From /proc/stat, cpuN: iowait, which the kernel calls unreliable."},
		{titleNice, "% Nice Time", counter.Timer100NSec, 0, provider.Advanced, cpuNice, nil,
			"Share of time in programs of lowered priority; part of % User Time. From /proc/stat, cpuN: nice."},
		{titleGuest, "% Guest Time", counter.Timer100NSec, 0, provider.Advanced, cpuGuest | cpuGuestNice, nil,
			"Share of time in virtual machines that this machine runs; part of % User Time. From /proc/stat, cpuN: guest + guest_nice."},
	},
}

const stateDifference = " Unlike on Windows the states are the kernel driver's, which need not be the processor's. With more than 64 processors read only on request."

// processorSource reads the Processor object.
type processorSource struct {
	interrupts, softirqs file
	columns              columns
	totals               totals
	total                values // figures of _Total
}

func newProcessorSource() source {
	return &processorSource{
		interrupts: file{name: "proc/interrupts", records: true},
		softirqs:   file{name: "proc/softirqs"},
		totals:     totals{running: cpuC1Entries | cpuC2Entries | cpuC3Entries, averaged: cpuTimes},
	}
}

func (r *processorSource) probe(s *session) (given fields) {
	stat, err := s.stat()
	if err != nil {
		return 0
	}
	r.read(s, ^cpuStateFigures)
	for i, p := range s.kernel.online {
		if i == 0 {
			p.readStates(s) // one processor tells which states there are
		}
		given |= p.values.have | wholeMachine(stat).have
	}
	return given
}

// wholeMachine returns the figures of _Total that the kernel adds up itself.
func wholeMachine(stat *values) (v values) {
	if stat.has(sysInterrupts) {
		v.set(cpuInterrupts, stat.sum(sysInterrupts))
	}
	if stat.has(sysSoftirqs) {
		v.set(cpuDPCs, stat.sum(sysSoftirqs))
	}
	return v
}

func (r *processorSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	stat, err := s.stat()
	if err != nil {
		return nil // without the file there are no instances: the object is not there
	}
	wanted := o.wanted
	if len(s.kernel.online) > onRequestAbove && !o.named {
		wanted &^= cpuInterrupts | cpuStateFigures
	}
	r.read(s, wanted)
	r.totals.begin()
	out := w.Object(o.layout)
	for _, p := range s.kernel.online {
		r.totals.add(&p.inTotal, &p.values)
		out.Instance(provider.Instance{Name: p.name})
		o.write(&out, &p.values)
	}
	r.total = wholeMachine(stat)
	r.totals.end(&r.total)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(&out, &r.total)
	out.End()
	return nil
}

func (r *processorSource) close(s *session) error {
	errs := []error{s.reader.close(&r.interrupts.h), s.reader.close(&r.softirqs.h)}
	for _, p := range s.kernel.known {
		errs = append(errs, p.closeStates(s))
	}
	return errors.Join(errs...)
}

// read reads what the wanted figures come from besides /proc/stat.
func (r *processorSource) read(s *session, wanted fields) {
	if wanted&cpuInterrupts != 0 {
		r.readColumns(s, &r.interrupts, cpuInterrupts)
	}
	if wanted&cpuDPCs != 0 {
		r.readColumns(s, &r.softirqs, cpuDPCs)
	}
	if wanted&cpuStateFigures != 0 {
		for _, p := range s.kernel.online {
			p.readStates(s)
		}
	}
}

// readColumns gives each processor the sum of its column as the figure f.
func (r *processorSource) readColumns(s *session, from *file, f fields) {
	text, err := s.reader.read(from)
	if err != nil {
		return
	}
	r.columns.parse(text)
	for i, number := range r.columns.numbers {
		if p := s.kernel.known[number]; p != nil && p.seen == s.kernel.reads {
			p.values.set(f, r.columns.sums[i])
		}
	}
}

// columns are the sums of a table with one column for each processor: a head
// line "CPU0 CPU2 ...", then rows "label: count count ... description".
type columns struct {
	numbers []uint64 // of processors
	sums    []uint64
	row     []uint64
}

func (c *columns) parse(text []byte) {
	c.numbers, c.sums = c.numbers[:0], c.sums[:0]
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
	}
	for {
		var ok bool
		if line, text, ok = cutLine(text); !ok {
			return
		}
		c.add(line)
	}
}

// noInterrupts are rows that the sum must leave out: two with one count for the
// whole machine, and the TLB shootdowns of x86, which are counted in the row
// CAL as the function calls that they are, and once in the total of /proc/stat.
var noInterrupts = [...]string{"ERR:", "MIS:", "TLB:"}

// add adds one row if it has a count in every column.
func (c *columns) add(line []byte) {
	label, line := cutWord(line)
	for _, other := range noInterrupts {
		if string(label) == other {
			return
		}
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
	for i, n := range c.row {
		c.sums[i] += n
	}
}
