package linuxhost

// groupFile is a file of a control group and the figures it gives.
type groupFile struct {
	name  string
	gives fields
	parse func(v *values, text []byte, u units)
}

// groupTree is a place where a tree of control groups may be mounted, as
// systemd and containers have them.
type groupTree struct {
	dir    string
	marker string // a file that the groups of its version have, and not those of the other
	files  []groupFile
}

// groupTrees are all of them. What several give is taken from the first:
// controllers of cgroup v1 lie in trees of their own, and what they control v2
// cannot count.
var groupTrees = [...]groupTree{
	{"sys/fs/cgroup/cpuacct", "tasks", []groupFile{
		{"cpuacct.usage", groupTime, parseNanoseconds},
		{"cpuacct.stat", groupUser | groupSystem, parseAccounts},
	}},
	{"sys/fs/cgroup/cpu", "tasks", []groupFile{
		{"cpu.stat", groupThrottled | groupThrottledTime, parseThrottling},
	}},
	{"sys/fs/cgroup/memory", "tasks", []groupFile{
		{"memory.usage_in_bytes", groupMemory, oneNumber(groupMemory)},
		{"memory.limit_in_bytes", groupLimit, parseLimit},
		{"memory.stat", groupSwap, byKeys([]key{{"total_swap", groupSwap, 1}})},
		{"memory.oom_control", groupKills, byKeys([]key{{"oom_kill", groupKills, 1}})},
	}},
	{"sys/fs/cgroup/blkio", "tasks", []groupFile{
		{"blkio.throttle.io_service_bytes_recursive", groupReadBytes | groupWriteBytes,
			byDirection(groupReadBytes, groupWriteBytes)},
		{"blkio.throttle.io_serviced_recursive", groupReads | groupWrites,
			byDirection(groupReads, groupWrites)},
	}},
	{"sys/fs/cgroup/pids", "tasks", []groupFile{
		{"pids.current", groupTasks, oneNumber(groupTasks)},
	}},
	{"sys/fs/cgroup", "cgroup.controllers", unifiedFiles},
	{"sys/fs/cgroup/unified", "cgroup.controllers", unifiedFiles},
}

// unifiedFiles are the files of cgroup v2 (kernel documentation, "Control Group
// v2").
var unifiedFiles = []groupFile{
	{"cpu.stat", groupTime | groupUser | groupSystem | groupThrottled | groupThrottledTime, byKeys([]key{
		{"usage_usec", groupTime, perMicrosecond},
		{"user_usec", groupUser, perMicrosecond},
		{"system_usec", groupSystem, perMicrosecond},
		{"nr_throttled", groupThrottled, 1},
		{"throttled_usec", groupThrottledTime, perMicrosecond},
	})},
	{"memory.current", groupMemory, oneNumber(groupMemory)},
	{"memory.max", groupLimit, oneNumber(groupLimit)}, // "max" is no number
	{"memory.swap.current", groupSwap, oneNumber(groupSwap)},
	{"memory.events", groupKills, byKeys([]key{{"oom_kill", groupKills, 1}})},
	{"io.stat", groupIO, parseIOStat},
	{"pids.current", groupTasks, oneNumber(groupTasks)},
	{"cpu.pressure", groupCPUSome | groupCPUFull, byPressure(groupCPUSome, groupCPUFull)},
	{"memory.pressure", groupMemorySome | groupMemoryFull, byPressure(groupMemorySome, groupMemoryFull)},
	{"io.pressure", groupIOSome | groupIOFull, byPressure(groupIOSome, groupIOFull)},
}

type parser = func(v *values, text []byte, u units)

// oneNumber returns a parser of files that hold one number.
func oneNumber(f fields) parser {
	return func(v *values, text []byte, _ units) { v.setOnly(f, text) }
}

// setOnly takes the number that is all of a file as the figure f.
func (v *values) setOnly(f fields, text []byte) {
	line, _, _ := cutLine(text)
	if n, ok := decimal(line); ok {
		v.set(f, n)
	}
}

// byKeys returns a parser of lines "name value".
func byKeys(keys []key) parser {
	return func(v *values, text []byte, _ units) { v.setKeys(text, keys) }
}

// byPressure returns a parser of the totals of pressure.
func byPressure(some, full fields) parser {
	keys := []pressureKey{{"some", "total", some, microseconds}, {"full", "total", full, microseconds}}
	return func(v *values, text []byte, _ units) { parsePressure(v, text, keys) }
}

func parseNanoseconds(v *values, text []byte, _ units) {
	v.setOnly(groupTime, text)
	if v.has(groupTime) {
		v.set(groupTime, v.sum(groupTime)/100)
	}
}

var accountKeys = []key{{"user", groupUser, perSecond}, {"system", groupSystem, perSecond}}

// parseAccounts reads lines "name ticks".
func parseAccounts(v *values, text []byte, u units) {
	v.setKeys(text, accountKeys)
	for _, k := range accountKeys {
		if v.has(k.fields) {
			v.set(k.fields, v.sum(k.fields)/u.ticks)
		}
	}
}

var throttlingKeys = []key{{"nr_throttled", groupThrottled, 1}, {"throttled_time", groupThrottledTime, 1}}

// parseThrottling reads lines "name value", the time in nanoseconds.
func parseThrottling(v *values, text []byte, _ units) {
	v.setKeys(text, throttlingKeys)
	if v.has(groupThrottledTime) {
		v.set(groupThrottledTime, v.sum(groupThrottledTime)/100)
	}
}

// noLimit is what cgroup v1 has for no limit: the highest number of whole
// pages, whatever their size.
const noLimit = 1 << 62

func parseLimit(v *values, text []byte, _ units) {
	v.setOnly(groupLimit, text)
	if v.has(groupLimit) && v.sum(groupLimit) >= noLimit {
		v.have &^= groupLimit
	}
}

var ioStatKeys = []key{
	{"rbytes", groupReadBytes, 1},
	{"wbytes", groupWriteBytes, 1},
	{"rios", groupReads, 1},
	{"wios", groupWrites, 1},
}

// parseIOStat reads a line "8:0 rbytes=1 wbytes=2 rios=3 wios=4 ..." for each
// device that the group has used. A number that is damaged costs its figure.
func parseIOStat(v *values, text []byte, _ units) {
	sum := values{have: groupIO}
	for {
		line, rest, ok := cutLine(text)
		if !ok {
			break
		}

		_, line = cutWord(line)
		for len(line) > 0 {
			var name, word []byte
			name, word, line = cutPair(line)
			for i := range ioStatKeys {
				if k := &ioStatKeys[i]; string(name) == k.name {
					sum.accumulate(k.fields, word)
				}
			}
		}
		text = rest
	}
	v.take(&sum, groupIO)
}

// byDirection returns a parser of lines "8:0 Read 1" and "8:0 Write 2", one of
// each for each device, among others.
func byDirection(read, write fields) parser {
	return func(v *values, text []byte, _ units) {
		sum := values{have: read | write}
		for {
			line, rest, ok := cutLine(text)
			if !ok {
				break
			}

			_, line = cutWord(line)
			kind, line := cutWord(line)
			word, _ := cutWord(line)
			switch string(kind) {
			case "Read":
				sum.accumulate(read, word)
			case "Write":
				sum.accumulate(write, word)
			}
			text = rest
		}
		v.take(&sum, read|write)
	}
}

// accumulate adds the number to the figure f, which it takes away if it is
// none.
func (v *values) accumulate(f fields, word []byte) {
	n, ok := decimal(word)
	if !ok {
		v.have &^= f
	} else if v.has(f) {
		v.set(f, v.sum(f)+n)
	}
}

// take takes those of the figures f that from has.
func (v *values) take(from *values, f fields) {
	for f &= from.have; f != 0; f &= f - 1 {
		one := f & -f
		v.set(one, from.sum(one))
	}
}
