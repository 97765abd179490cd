package linuxhost

import (
	"context"

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
	cpuIdleBreaks // Processor Information alone has this one and those below
	cpuClocks
	cpuFrequency      // in MHz
	cpuFrequencyShare // in percent
	cpuNumber
)

const (
	cpuStateFigures = cpuC1Time | cpuC2Time | cpuC3Time | cpuC1Entries | cpuC2Entries | cpuC3Entries |
		cpuIdleBreaks
	cpuTimes = cpuUser | cpuNice | cpuSystem | cpuIdle | cpuIOWait | cpuIRQ | cpuSoftirq | cpuSteal |
		cpuGuest | cpuGuestNice |
		cpuC1Time | cpuC2Time | cpuC3Time
)

// onRequestAbove is the number of processors above which figures that take
// files growing with it are read only when the query names them.
const onRequestAbove = 64

var processorSpec = spec{
	number: 1, index: 238, name: "Processor", multi: true,
	help: "The processors that are online, and _Total: of times the average, of counts the sum. Inside a " +
		"container these are the host's. Shares are of the time gone by; vmstat(8) and iostat(1) show " +
		"shares of the sum of all times, which the kernel may count short.",
	rows: []row{
		{6, "% Processor Time", counter.TimerInv100NSec, 0, provider.Novice, cpuIdle, nil,
			"Share of time not spent idle; time that the hypervisor gave to others counts as busy. From " +
				"/proc/stat, cpuN: all but idle + iowait."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, cpuUser | cpuNice, nil,
			"Share of time in programs. From /proc/stat, cpuN: user + nice."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, cpuSystem | cpuIRQ |
			cpuSoftirq, nil,
			"Share of time in the kernel, interrupts included. From /proc/stat, cpuN: system + irq " +
				"+ softirq."},
		{148, "Interrupts/sec", counter.CounterCounter, -2, provider.Novice, cpuInterrupts, nil,
			"Interrupts of all kinds. From /proc/interrupts, the sum of the processor's column but for the " +
				"row TLB; _Total from /proc/stat, intr. With more than 64 processors single ones are read " +
				"only on request."},
		{696, "% DPC Time", counter.Timer100NSec, 0, provider.Advanced, cpuSoftirq, nil,
			"Share of time in soft interrupts, Linux's deferred calls. From /proc/stat, cpuN: softirq. " +
				"Unlike on Windows sampled by the timer tick on most kernels, and then often 0."},
		{698, "% Interrupt Time", counter.Timer100NSec, 0, provider.Advanced, cpuIRQ, nil,
			"Share of time in hardware interrupts. From /proc/stat, cpuN: irq. Unlike on Windows sampled " +
				"by the timer tick on most kernels, and then often 0."},
		{1334, "DPCs Queued/sec", counter.CounterCounter, 0, provider.Advanced, cpuDPCs, nil,
			"Soft interrupts, Linux's deferred calls. From /proc/softirqs, the sum of the processor's " +
				"column; _Total from /proc/stat, softirq. Unlike on Windows those run, not those queued."},
		{1746, "% Idle Time", counter.Timer100NSec, 0, provider.Wizard, cpuIdle, nil,
			"Share of time spent idle, also while I/O is outstanding. From /proc/stat, cpuN: idle + iowait."},
		{1748, "% C1 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC1Time, nil,
			"Share of time in C1, the lightest idle states. From /sys/devices/system/cpu/cpuN/cpuidle, " +
				"time of the states named C1 or WFI." + stateDifference},
		{1750, "% C2 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC2Time, nil,
			"Share of time in C2, the middle idle states. From /sys/devices/system/cpu/cpuN/cpuidle, time " +
				"of the states named C2." + stateDifference},
		{1752, "% C3 Time", counter.Timer100NSec, 0, provider.Wizard, cpuC3Time, nil,
			"Share of time in C3 or deeper idle states. From /sys/devices/system/cpu/cpuN/cpuidle, time of " +
				"the states named C3 and above." + stateDifference},
		{1754, "C1 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC1Entries, nil,
			"How often the processor went into C1. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the " +
				"states named C1 or WFI." + stateDifference},
		{1756, "C2 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC2Entries, nil,
			"How often the processor went into C2. From /sys/devices/system/cpu/cpuN/cpuidle, usage of the " +
				"states named C2." + stateDifference},
		{1758, "C3 Transitions/sec", counter.BulkCount, 0, provider.Wizard, cpuC3Entries, nil,
			"How often the processor went into C3 or deeper. From /sys/devices/system/cpu/cpuN/cpuidle, " +
				"usage of the states named C3 and above." + stateDifference},
		{titleSteal, "% Steal Time", counter.Timer100NSec, 0, provider.Advanced, cpuSteal, nil,
			"Share of time that the hypervisor gave to others. From /proc/stat, cpuN: steal."},
		{titleIOWait, "% I/O Wait Time", counter.Timer100NSec, 0, provider.Advanced, cpuIOWait, nil,
			"Share of time idle while I/O was outstanding; part of % Idle Time. From /proc/stat, cpuN: " +
				"iowait, which the kernel calls unreliable."},
		{titleNice, "% Nice Time", counter.Timer100NSec, 0, provider.Advanced, cpuNice, nil,
			"Share of time in programs of lowered priority; part of % User Time. From /proc/stat, " +
				"cpuN: nice."},
		{titleGuest, "% Guest Time", counter.Timer100NSec, 0, provider.Advanced, cpuGuest | cpuGuestNice, nil,
			"Share of time in virtual machines that this machine runs; part of % User Time. From " +
				"/proc/stat, cpuN: guest + guest_nice."},
	},
}

const stateDifference = " Unlike on Windows the states are the kernel driver's, which need not be the " +
	"processor's. With more than 64 processors read only on request."

// processorSource reads the Processor object.
type processorSource struct {
	totals totals
	total  values // figures of _Total
}

func newProcessorSource() source {
	return &processorSource{totals: totals{running: cpuC1Entries | cpuC2Entries | cpuC3Entries,
		averaged: cpuTimes}}
}

func (r *processorSource) probe(s *session) (given fields) {
	if _, err := s.stat(); err != nil {
		return 0
	}
	return s.cpus.probe(s)
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

	s.cpus.read(s, o)
	r.totals.begin()
	for _, p := range s.kernel.online {
		r.totals.add(&p.inTotal, &p.values)
	}

	r.total = wholeMachine(stat)
	r.totals.end(&r.total)

	out := w.Object(o.layout)
	out.Instance(provider.Instance{Name: "_Total"})
	o.write(&out, &r.total)
	for _, p := range s.kernel.online {
		out.Instance(provider.Instance{Name: p.name})
		o.write(&out, &p.values)
	}
	out.End()
	return nil
}

func (r *processorSource) close(*session) error { return nil }
