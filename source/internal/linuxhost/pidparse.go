package linuxhost

import "bytes"

// The figures of the Process and Process Memory Details objects that the code
// knows. Times are in 100 ns, sizes in bytes.
const (
	procID      = pidNumber
	procStarted = pidStarted

	procUser fields = 1 << iota
	procSystem
	procThreads
	procParent
	procFlags
	procVirtual
	procBlockDelay
	procHandles
	procRan
	procWait
)

// statFirst is the number, in proc(5), of the first field of /proc/PID/stat
// behind the name.
const statFirst = 3

// hasMemory reports whether a process has memory of its own. Kernel threads have
// none, and neither has what waits for its parent after its end.
func (v *values) hasMemory() bool { return v.sum(procVirtual&v.have) != 0 }

// isKernel reports whether a process is a thread of the kernel's own.
func (v *values) isKernel() bool {
	const kernelThread = 0x00200000 // PF_KTHREAD of the kernel's include/linux/sched.h
	return v.sum(procFlags&v.have)&kernelThread != 0
}

// readStat reads "pid (comm) state ppid ...", of a process or a thread. comm may
// hold anything, brackets and newlines among it: it ends at the last bracket; rest
// begins behind it. ok tells whether there is a name and when it started, in clock
// ticks.
func (t *fileTable) readStat(v *values, text []byte, u *units) (comm, rest []byte, ok bool) {
	comm, rest, ok = cutStat(text)
	if !ok {
		return nil, nil, false
	}
	t.readWords(v, rest, statFirst, u)
	return comm, rest, v.has(pidStarted)
}

// cutStat cuts the text of a stat file behind the name. rest begins with the field statFirst.
func cutStat(text []byte) (comm, rest []byte, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return nil, nil, false
	}
	comm = text[open+1 : end]
	rest = text[end+1:]
	if line, _, whole := cutLine(rest); whole {
		return comm, line, true
	}
	return comm, rest[:max(0, bytes.LastIndexByte(rest, ' '))], true // the last number was cut short
}
