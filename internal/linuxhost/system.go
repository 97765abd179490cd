package linuxhost

import (
	"bytes"
	"context"

	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the System object.
const (
	sysInterrupts fields = 1 << iota
	sysSwitches
	sysBootTime // seconds since 1970
	sysForks
	sysRunning
	sysBlocked
	sysSoftirqs
	sysOnline
	sysBoot // when the machine started, a FILETIME
	sysProcesses
	sysThreads
	sysLoad1 // in hundredths, as the next two
	sysLoad5
	sysLoad15
)

// sysFromStat are the figures that /proc/stat gives.
const sysFromStat = sysInterrupts | sysSwitches | sysForks | sysRunning | sysBlocked | sysOnline

var systemSpec = spec{
	number: 0, index: 2, name: "System", first: 2,
	help: "The machine as a whole. Inside a container these are the host's figures, but for Processes.",
	rows: []row{
		{146, "Context Switches/sec", counter.CounterCounter, -2, provider.Advanced, sysSwitches, nil,
			"How often the processors switched from one thread to another. From /proc/stat, ctxt."},
		{674, "System Up Time", counter.ElapsedTime, -5, provider.Novice, sysBoot, nil,
			"Seconds since the machine started, the time it was suspended included. From /proc/stat, " +
				"btime, and the clock CLOCK_BOOTTIME."},
		{44, "Processor Queue Length", counter.RawCount, 1, provider.Wizard, sysRunning | sysOnline,
			queueLength,
			"Threads that are ready to run beyond one for each processor. From /proc/stat, procs_running " +
				"less the processors online. " +
				"Unlike on Windows a lower bound: threads may wait for one processor while another is " +
				"idle. The reader of the counter is among those running."},
		{248, "Processes", counter.RawCount, 1, provider.Wizard, sysProcesses, nil,
			"Processes that exist now and can be seen, and one for Idle. Missing where /proc hides some of " +
				"them (mount option hidepid). The number of directories /proc/PID."},
		{250, "Threads", counter.RawCount, 1, provider.Wizard, sysThreads | sysOnline, nil,
			"Threads that exist now in the whole system, and one for each processor's idle thread. From " +
				"/proc/loadavg, the number behind the slash."},
		{246, "Total Interrupts/sec", counter.CounterCounter, -2, provider.Novice, sysInterrupts, nil,
			"Interrupts of all kinds at all processors. From /proc/stat, first number of intr."},
		{titleProcessesCreated, "Processes Created/sec", counter.CounterCounter, 0, provider.Advanced,
			sysForks, nil,
			"Processes and threads created. From /proc/stat, processes."},
		{titleRunnableTasks, "Runnable Tasks", counter.RawCount, 1, provider.Advanced, sysRunning, nil,
			"Threads that run or are ready to run now, the reader of the counter among them. From " +
				"/proc/stat, procs_running."},
		{titleBlockedTasks, "Blocked Tasks", counter.RawCount, 1, provider.Advanced, sysBlocked, nil,
			"Threads that wait for I/O to complete now. From /proc/stat, procs_blocked."},
		{titleLoad1, "Load Average 1 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sysLoad1, nil,
			"Threads running, ready or in uninterruptible waits, times 100, averaged by the kernel over " +
				"about 1 minute. From /proc/loadavg, field 1."},
		{titleLoad5, "Load Average 5 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sysLoad5, nil,
			"Threads running, ready or in uninterruptible waits, times 100, averaged by the kernel over " +
				"about 5 minutes. From /proc/loadavg, field 2."},
		{titleLoad15, "Load Average 15 min in Hundredths", counter.RawCount, -1, provider.Advanced,
			sysLoad15, nil,
			"Threads running, ready or in uninterruptible waits, times 100, averaged by the kernel over " +
				"about 15 minutes. From /proc/loadavg, field 3."},
	},
}

// queueLength is what runs beyond one thread for each processor.
func queueLength(v *values) (uint64, uint64) {
	running, online := v.sum(sysRunning), v.sum(sysOnline)
	return running - min(running, online), 0
}

// systemSource reads the System object.
type systemSource struct{ values values }

func newSystemSource() source { return &systemSource{} }

func (y *systemSource) probe(s *session) fields {
	y.read(s, ^fields(0))
	given := y.values.have
	if pids, err := s.pids(); err == nil && len(pids) > 0 {
		given |= sysProcesses // also where they are hidden now
	}
	if given == sysBoot {
		return 0 // from the clocks alone: nothing of it can be read
	}
	return given
}

func (y *systemSource) collect(_ context.Context, s *session, o *object, w *provider.Writer) error {
	y.read(s, o.wanted)
	out := w.Object(o.layout)
	out.Clock(s.objectTime(), perSecond)
	o.write(&out, &y.values)
	out.End()
	return nil
}

func (y *systemSource) close(*session) error { return nil }

// read reads what the wanted figures come from. A file that cannot be read
// leaves its figures out.
func (y *systemSource) read(s *session, wanted fields) {
	v := &y.values
	v.reset()
	if wanted&sysFromStat != 0 {
		if stat, err := s.stat(); err == nil {
			*v = *stat
		}
	}

	v.set(sysBoot, uint64(s.boot))
	if wanted&sysProcesses != 0 {
		pids, err := s.pids()
		switch {
		case err != nil || len(pids) == 0:
		case s.hidden.are:
			v.lack(sysProcesses, errHidden)
		default:
			v.set(sysProcesses, uint64(len(pids))+1)
		}
	}

	if wanted&(sysThreads|sysLoad1|sysLoad5|sysLoad15) != 0 {
		if text, err := s.shared.loadavg.read(s); err == nil {
			parseLoadavg(v, text)
		}
	}
}

// parseLoadavg reads "0.05 0.03 0.01 1/91 9146": three means, then runnable
// and existing threads, then the newest process.
func parseLoadavg(v *values, text []byte) {
	line, _, ok := cutLine(text)
	if !ok {
		return
	}

	var word []byte
	for _, f := range [...]fields{sysLoad1, sysLoad5, sysLoad15} {
		word, line = cutWord(line)
		if n, ok := hundredths(word); ok {
			v.set(f, n)
		}
	}

	word, _ = cutWord(line)
	_, threads, _ := bytes.Cut(word, []byte{'/'})
	if n, ok := decimal(threads); ok {
		v.set(sysThreads, n)
	}
}
