package linuxhost

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
)

// hidden tells whether /proc shows only some of the processes (kernel
// documentation, "The /proc Filesystem", mount option hidepid).
type hidden struct {
	are    bool  // in the last list of processes
	readAt int64 // Times.Boot when the rest was found out; 0 = never
	hides  bool  // the option is set, and the reader may not see all the same
	option bool  // the option is set
}

// hiddenAge is how long, in ns, what was found out holds: /proc may be mounted
// anew.
const hiddenAge = 10_000_000_000

var errHidden = fmt.Errorf("%w: /proc hides the processes of other users (mount option hidepid): "+
	"their number, and totals over them, have no value "+
	"(run as root; unless hidepid is ptraceable, the group of the mount option gid can see them, too)",
	fs.ErrPermission)

// look learns from a list of processes in rising order. Process 1 is always there:
// where it is not in the list, others are hidden too.
func (h *hidden) look(s *session, pids []int) {
	if h.readAt == 0 || s.times.Boot-h.readAt >= hiddenAge {
		h.find(s)
	}
	_, first := slices.BinarySearch(pids, 1)
	h.are = h.hides || h.option && !first
}

// find reads the option and the rights of the reader.
func (h *hidden) find(s *session) {
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
	h.hides = hide.processes && !hide.spares(status)
}

// hiding is what the mount of /proc hides, and from whom.
type hiding struct {
	processes bool
	group     uint64 // whose members see all the same
	traceable bool   // no group does
}

// procHiding reads the options of the last mount at /proc.
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

// parseHiding reads options such as "rw,gid=5,hidepid=invisible". Kernels before
// Linux 5.8 tell a number.
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

// spares reports whether a process with a status, as in /proc/self/status, sees all
// processes: with CAP_SYS_PTRACE, or as a member of the group.
func (h *hiding) spares(status []byte) bool {
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
		case "Gid:": // real, effective, saved, of file systems: the last one counts
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
