package linuxhost

import (
	"github.com/winperf/winperf/counter"
	"github.com/winperf/winperf/provider"
)

// The figures of the Thread object. Times are in 100 ns.
const (
	threadTime fields = 1 << iota
	threadUser
	threadSystem
	threadSwitches
	threadWaited
	threadStarted // when it started, a FILETIME; of _Total the object's time
	threadID
	threadProcess
	threadState
	threadReason
	threadYields      // part of threadSwitches
	threadPreemptions // the other part
)

const (
	threadRunning = threadTime | threadUser | threadSystem | threadSwitches | threadWaited
	threadOwn     = threadStarted | threadID | threadProcess | threadState | threadReason
)

var threadSpec = spec{
	number: 31, index: 232, name: "Thread", multi: true, parent: processSpec.index, identity: threadStarted |
		threadID | threadProcess, first: 1,
	help: "The threads of the processes that can be seen in /proc, by their ids, and _Total. Unlike on " +
		"Windows a thread's name is its id, which it keeps, and Idle has no threads.",
	rows: []row{
		{146, "Context Switches/sec", counter.CounterCounter, -1, provider.Wizard, threadSwitches, nil,
			"How often it was put on a processor. From /proc/PID/task/TID/schedstat, field 3; where the " +
				"kernel has none from status, voluntary_ctxt_switches + nonvoluntary_ctxt_switches."},
		{6, "% Processor Time", counter.Timer100NSec, 0, provider.Novice, threadTime, nil,
			"Share of time that it ran; 100 is one processor. From /proc/PID/task/TID/schedstat, field 1, " +
				"which may be a clock tick late; where the kernel has none from stat, utime + stime."},
		{142, "% User Time", counter.Timer100NSec, 0, provider.Advanced, threadUser, nil,
			"Share of time that it ran its own code. From /proc/PID/task/TID/stat, utime, in clock ticks: " +
				"it need not add up with % Privileged Time to % Processor Time."},
		{144, "% Privileged Time", counter.Timer100NSec, 0, provider.Advanced, threadSystem, nil,
			"Share of time that it ran in the kernel. From /proc/PID/task/TID/stat, stime, in clock ticks: " +
				"it need not add up with % User Time to % Processor Time."},
		{684, "Elapsed Time", counter.ElapsedTime, -4, provider.Advanced, threadStarted, nil,
			"Seconds since it started. From /proc/PID/task/TID/stat, starttime, and /proc/stat, btime."},
		{784, "ID Process", counter.RawCount, -1, provider.Novice, threadProcess, nil,
			"The id of its process in the process namespace of /proc. The name of the directory /proc/PID."},
		{804, "ID Thread", counter.RawCount, -1, provider.Novice, threadID, nil,
			"Its id in the process namespace of /proc. The name of the directory /proc/PID/task/TID."},
		{46, "Thread State", counter.RawCount, 0, provider.Wizard, threadState, nil,
			"Its state: 2 running, 4 ended, 5 waiting, 7 unknown. From /proc/PID/task/TID/stat, state. " +
				"Unlike on Windows 2 also stands for ready to run, which Windows shows as 1."},
		{336, "Thread Wait Reason", counter.RawCount, 0, provider.Wizard, threadReason, nil,
			"Why it waits: 0 for the kernel, 5 as it is stopped, 6 as its program asked. From " +
				"/proc/PID/task/TID/stat, state: D, T and S. Unlike on Windows there are no other reasons; " +
				"it has a meaning only while Thread State is 5."},
		{titleRunQueueWait, "% Run Queue Wait Time", counter.Timer100NSec, 0, provider.Advanced,
			threadWaited, nil,
			"Share of time that it was ready and waited for a processor. From " +
				"/proc/PID/task/TID/schedstat, field 2."},
	},
}

// threadStates says what Thread State and Thread Wait Reason are for a state of
// the kernel (proc(5), /proc/PID/stat). Others are in state 7, unknown.
var threadStates = map[byte]struct{ state, reason uint64 }{
	'R': {2, 0},
	'S': {5, 6}, 'D': {5, 0}, 'I': {5, 0}, 'T': {5, 5}, 't': {5, 5}, 'P': {5, 0}, 'K': {5, 0}, 'W': {5, 0},
	'Z': {4, 0}, 'X': {4, 0}, 'x': {4, 0},
}

const threadUnknown = 7

// threadStat says which figures stand in which field of a thread's stat, by the
// numbers of proc(5).
var threadStat = [...]fields{14: threadUser, 15: threadSystem, 22: threadStarted}

// parseThreadStat reads "tid (comm) state ppid ...". ok tells whether it says
// when the thread started, in clock ticks.
func parseThreadStat(v *values, text []byte, u units) (started uint64, ok bool) {
	_, rest, ok := cutStat(text)
	if !ok {
		return 0, false
	}

	state, rest := cutWord(rest)
	if len(state) == 1 {
		known, ok := threadStates[state[0]]
		if !ok {
			known.state = threadUnknown
		}
		v.set(threadState, known.state)
		v.set(threadReason, known.reason)
	}

	for i := statFirst + 1; i < len(threadStat) && len(rest) > 0; i++ {
		var word []byte
		word, rest = cutWord(rest)
		n, isNumber := decimal(word)
		switch f := threadStat[i]; {
		case f == 0 || !isNumber:
		case f == threadStarted:
			v.set(f, n)
		default:
			u.setTicks(v, f, n)
		}
	}
	return v.sum(threadStarted & v.have), v.has(threadStarted)
}

// parseThreadSchedstat reads "ran waited times": nanoseconds on a processor,
// nanoseconds waiting for one, and how often it was put on one.
func parseThreadSchedstat(v *values, text []byte, _ units) {
	line, _, _ := cutLine(text)
	for _, to := range [...]struct {
		fields
		unit uint64
	}{{threadTime, 100}, {threadWaited, 100}, {threadSwitches, 1}} {
		var word []byte
		word, line = cutWord(line)
		if n, ok := decimal(word); ok {
			v.set(to.fields, n/to.unit)
		}
	}
}

var threadStatusKeys = []key{
	{"voluntary_ctxt_switches", threadYields, 1},
	{"nonvoluntary_ctxt_switches", threadPreemptions, 1},
}

// parseThreadStatus reads a list of "name: value".
func parseThreadStatus(v *values, text []byte, _ units) {
	v.setKeys(text, threadStatusKeys)
	if v.has(threadYields | threadPreemptions) {
		v.set(threadSwitches, v.sum(threadYields|threadPreemptions))
	}
}
