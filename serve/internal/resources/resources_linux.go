package resources

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Meter reads the values. The zero Meter is ready for use, by one goroutine.
type Meter struct {
	start float64 // 0 until it is known
}

func (m *Meter) add(values map[string]float64) {
	stat := text("/proc/self/stat")
	if virtual, pages, ticks, ok := parseStat(stat); ok {
		values[Virtual], values[Resident] = virtual, pages*float64(os.Getpagesize())
		if m.start == 0 {
			m.start = startTime(text("/proc/stat"), ticks)
		}
	}
	if m.start > 0 {
		values[Start] = m.start
	}

	if names, err := readNames("/proc/self/fd"); err == nil {
		values[OpenFiles] = float64(len(names) - 1) // without the directory itself
	}
	limit := func(name string, resource int) {
		var l syscall.Rlimit
		if syscall.Getrlimit(resource, &l) == nil {
			values[name] = float64(l.Cur)
		}
	}
	limit(MaxFiles, syscall.RLIMIT_NOFILE)
	limit(MaxVirtual, syscall.RLIMIT_AS)

	if received, sent, ok := parseNetstat(text("/proc/self/net/netstat")); ok {
		values[Received], values[Sent] = received, sent
	}
}

func text(name string) string {
	b, _ := os.ReadFile(name) // an error only omits values
	return string(b)
}

func readNames(directory string) ([]string, error) {
	d, err := os.Open(directory)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// parseStat returns the bytes of address space, the resident pages and the start in clock ticks after the
// boot (proc_pid_stat(5), fields 23, 24 and 22).
func parseStat(stat string) (virtual, pages, ticks float64, ok bool) {
	const state, start = 3, 22 // fields, counted from 1
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) <= start+2-state {
		return 0, 0, 0, false
	}
	var all [3]float64
	for i := range all {
		v, err := strconv.ParseFloat(fields[start-state+i], 64)
		if err != nil {
			return 0, 0, 0, false
		}
		all[i] = v
	}
	return all[1], all[2], all[0], true
}

// startTime returns the seconds since 1970, or 0 if stat lacks the time of the boot.
func startTime(stat string, ticks float64) float64 {
	const ticksPerSecond = 100 // of all values that the kernel shows to programs
	_, after, _ := strings.Cut(stat, "\nbtime ")
	line, _, _ := strings.Cut(after, "\n")
	boot, err := strconv.ParseFloat(line, 64)
	if err != nil {
		return 0
	}
	return boot + ticks/ticksPerSecond
}

// parseNetstat returns the bytes in the two lines IpExt, of which the first has the names.
func parseNetstat(netstat string) (received, sent float64, ok bool) {
	var names []string
	for line := range strings.Lines(netstat) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || fields[0] != "IpExt:":
		case names == nil:
			names = fields
		default:
			received, gotReceived := field(names, fields, "InOctets")
			sent, gotSent := field(names, fields, "OutOctets")
			return received, sent, gotReceived && gotSent
		}
	}
	return 0, 0, false
}

// field returns the value in fields at the position of a name in names.
func field(names, fields []string, name string) (value float64, ok bool) {
	i := slices.Index(names, name)
	if i < 0 || i >= len(fields) {
		return 0, false
	}
	value, err := strconv.ParseFloat(fields[i], 64)
	return value, err == nil
}
