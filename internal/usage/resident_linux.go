package usage

import (
	"bytes"
	"os"
	"strconv"
)

func resident() (bytesInUse uint64, ok bool) {
	// Sizes in pages: total, resident, ...: proc_pid_statm(5).
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 64)
	return pages * uint64(os.Getpagesize()), err == nil
}
