package linuxhost

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
)

// hidden detects whether /proc hides processes (kernel documentation, "The /proc Filesystem",
// hidepid).
type hidden struct {
	are    bool  // in the last list
	readAt int64 // Times.Boot of the last refresh; 0 means never
	hides  bool  // option applies to the reader
	option bool  // option is set
}

// hiddenAge is the time between refreshes, in ns, because /proc may be remounted.
const hiddenAge = 10_000_000_000

var errHidden = fmt.Errorf("%w: /proc hides processes of other users (mount option hidepid), "+
	"so their number and totals are missing (run as root, or, unless hidepid is ptraceable, "+
	"in the group of the mount option gid)",
	fs.ErrPermission)

// update checks a sorted list of ids. With the option set, a list without process 1 is incomplete.
func (h *hidden) update(s *session, pids []int) {
	if h.readAt == 0 || s.times.Boot-h.readAt >= hiddenAge {
		h.refresh(s)
	}
	_, first := slices.BinarySearch(pids, 1)
	h.are = h.hides || h.option && !first
}

func (h *hidden) refresh(s *session) {
	text, err := s.reader.read(&s.mountinfo)
	if isShort(err) {
		return
	}
	hide := procHiding(text)
	status, err := s.readOnce("proc/self/status")
	if isShort(err) {
		return
	}
	h.readAt = max(s.times.Boot, 1)
	h.option = hide.processes
	h.hides = hide.processes && !hide.exempts(status)
}

type hiding struct {
	processes bool
	group     uint64 // exempt
	traceable bool   // the group is not exempt
}

// procHiding parses the options of the last mount at /proc.
func procHiding(mountinfo []byte) (h hiding) {
	for line := range lines(mountinfo) {
		head, tail, _ := bytes.Cut(line, []byte(" - "))
		var point []byte
		for range 5 {
			point, head = cutWord(head)
		}

		kind, tail := cutWord(tail)
		if string(point) != "/proc" || string(kind) != "proc" {
			continue
		}

		_, tail = cutWord(tail)
		options, _ := cutWord(tail)
		h = parseHiding(options)
	}
	return h
}

// parseHiding parses options such as "rw,gid=5,hidepid=invisible". Before Linux 5.8, hidepid is a
// number.
func parseHiding(options []byte) (h hiding) {
	for option := range bytes.SplitSeq(options, []byte{','}) {
		name, value, _ := bytes.Cut(option, []byte{'='})
		switch string(name) {
		case "hidepid":
			h.traceable = string(value) == "ptraceable" || string(value) == "4"
			h.processes = h.traceable || string(value) == "invisible" || string(value) == "2"
		case "gid":
			h.group, _ = decimal(value)
		}
	}
	return h
}

// exempts reports whether a process sees all others: it has CAP_SYS_PTRACE or is in the group.
// status is its /proc/PID/status.
func (h *hiding) exempts(status []byte) bool {
	const sysPtrace = 19
	member := false
	for line := range lines(status) {
		name, line := cutWord(line)
		switch string(name) {
		case "CapEff:":
			word, _ := cutWord(line)
			if set, err := strconv.ParseUint(string(word), 16, 64); err == nil && set>>sysPtrace&1 != 0 {
				return true
			}
		case "Gid:": // real, effective, saved, file system: use the last
			member = member || slices.ContainsFunc(last(bytes.Fields(line)), h.isGroup)
		case "Groups:":
			member = member || slices.ContainsFunc(bytes.Fields(line), h.isGroup)
		}
	}
	return member && !h.traceable
}

func (h *hiding) isGroup(word []byte) bool {
	n, ok := decimal(word)
	return ok && n == h.group
}

func last[T any](s []T) []T { return s[max(0, len(s)-1):] }
