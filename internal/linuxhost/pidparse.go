package linuxhost

import "bytes"

// statFirst is the number, in proc(5), of the first field of /proc/PID/stat
// behind the name.
const statFirst = 3

// statFields says which figures stand in which field of /proc/PID/stat, by the
// numbers of proc(5).
var statFields = [...]fields{
	4: procParent, 9: procKernel, 10: procFaults, 12: procMajorFaults, 14: procUser, 15: procSystem,
	20: procThreads, 22: procStarted, 23: procVirtual, 42: procBlockDelay,
}

const (
	priorityField = 18
	// priorityOffset brings the kernel's priorities, -100 to 39, above 0.
	priorityOffset = 100
	// statTicks are the figures that the file has in clock ticks.
	statTicks = procUser | procSystem | procBlockDelay
	// kernelFlag is PF_KTHREAD of the kernel's include/linux/sched.h.
	kernelFlag = 0x00200000
)

// parsePidStat reads "pid (comm) state ppid ...". comm may hold anything,
// brackets and newlines among it: it ends at the last bracket. ok tells
// whether there is a name and when it started, in clock ticks.
func parsePidStat(v *values, text []byte, u units) (comm []byte, started uint64, ok bool) {
	comm, rest, ok := cutStat(text)
	if !ok {
		return nil, 0, false
	}

	var word []byte
	for i := statFirst; i < len(statFields) && len(rest) > 0; i++ {
		word, rest = cutWord(rest)
		if f := statFields[i]; f != 0 {
			setStatField(v, f, word, u)
		} else if i == priorityField {
			if n, ok := signed(word); ok {
				v.set(procPriority, uint64(max(0, n+priorityOffset)))
			}
		}
	}

	if v.has(procFaults | procMajorFaults) {
		v.set(procFaults, v.sum(procFaults|procMajorFaults))
	} else {
		v.have &^= procFaults
	}
	return comm, v.sum(procStarted & v.have), v.has(procStarted)
}

// cutStat cuts the text of a stat file, of a process or a thread, behind the
// name. rest begins with the field statFirst.
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

func setStatField(v *values, f fields, word []byte, u units) {
	n, ok := decimal(word)
	switch {
	case !ok:
	case f == procKernel:
		v.set(f, n&kernelFlag/kernelFlag)
	case f&statTicks != 0:
		u.setTicks(v, f, n)
	default:
		v.set(f, n)
	}
}

// parseStatm reads "size resident shared ...", all in pages. Some kernels
// leave it empty for a process that has ended and waits for its parent.
func parseStatm(v *values, text []byte, u units) {
	line, _, _ := cutLine(text)
	_, line = cutWord(line)
	first, line := cutWord(line)
	second, _ := cutWord(line)
	resident, ok := decimal(first)
	if !ok {
		return
	}

	v.setScaled(procResident, resident, u.page, 1)
	// The kernel counts the two in batches, so that shared may be above resident.
	if shared, ok := decimal(second); ok {
		v.setScaled(procUnshared, resident-min(resident, shared), u.page, 1)
	}
}

var statusKeys = []key{
	{"VmPeak", procPeakVirtual, kib},
	{"VmHWM", procPeakResident, kib},
	{"RssAnon", procAnonymous, kib},
	{"VmPTE", procPageTables, kib},
	{"VmSwap", procSwap, kib},
}

func parseStatus(v *values, text []byte, _ units) { v.setKeys(text, statusKeys) }

var ioKeys = []key{
	{"rchar", procBytesRead, 1},
	{"wchar", procBytesWritten, 1},
	{"syscr", procReads, 1},
	{"syscw", procWrites, 1},
	{"read_bytes", procDiskRead, 1},
	{"write_bytes", procDiskWritten, 1},
	{"cancelled_write_bytes", procDiskCancelled, 1},
}

// parseIO reads a list of "name: value". What one process wrote another may
// cancel: it is not taken below 0.
func parseIO(v *values, text []byte, _ units) {
	v.setKeys(text, ioKeys)
	if !v.has(procDiskWritten | procDiskCancelled) {
		v.have &^= procDiskWritten
		return
	}
	written := v.sum(procDiskWritten)
	v.set(procDiskWritten, written-min(written, v.sum(procDiskCancelled)))
}

// parseSchedstat reads "ran waited times": nanoseconds on a processor and
// waiting for one. A kernel that does not count gives zeros.
func parseSchedstat(v *values, text []byte, _ units) {
	line, _, _ := cutLine(text)
	word, line := cutWord(line)
	ran, ok := decimal(word)
	if !ok || ran == 0 {
		return
	}
	word, _ = cutWord(line)
	if waited, ok := decimal(word); ok {
		v.set(procWait, waited/100)
	}
}
