package linuxhost

import "bytes"

// Fields that the code sets. Times are in 100 ns, sizes in bytes.
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

// statFirst is the number of the field after the name (proc(5), /proc/PID/stat).
const statFirst = 3

// hasMemory is false for kernel threads and zombies.
func (v *values) hasMemory() bool { return v.sum(procVirtual&v.have) != 0 }

func (v *values) isKernel() bool {
	const kernelThread = 0x00200000 // PF_KTHREAD of the kernel's include/linux/sched.h
	return v.sum(procFlags&v.have)&kernelThread != 0
}

// readStat reads "pid (comm) state ppid ...". comm may contain parentheses and newlines; rest is
// the text after the last one. ok is true if a name and a start time were found.
func (t *fileTable) readStat(v *values, text []byte, u *units) (comm, rest []byte, ok bool) {
	comm, rest, ok = cutStat(text)
	if !ok {
		return nil, nil, false
	}
	t.readWords(v, rest, statFirst, u)
	return comm, rest, v.has(pidStarted)
}

// cutStat splits a stat file after the name.
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
	return comm, rest[:max(0, bytes.LastIndexByte(rest, ' '))], true // the last number may be incomplete
}
