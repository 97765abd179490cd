package linuxhost

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLeftOut takes figures out of the files of a whole system. The counters
// made of them are then not declared, and all others are.
func TestLeftOut(t *testing.T) {
	all := newRig(t, fixture(t, "small.txtar"), nil).ask("Global")
	tests := []struct {
		name    string
		files   string // pattern of file names
		cut     string // pattern of what is cut out of their texts; "" removes the files
		object  uint32
		without []uint32
	}{
		{"old meminfo", "proc/meminfo", `MemAvailable.*\n|Hugetlb.*\n`, 4,
			[]uint32{24, 1380, 1382, titleHugePage}},
		{"no vmstat", "proc/vmstat", "", 4, []uint32{28, 42, 40, 822, 48, titleSwapIn, titleSwapOut,
			titleReclaimed, titleOOMKills}},
		{"old vmstat", "proc/vmstat", `(oom_kill|pgsteal_anon) .*\n`, 4,
			[]uint32{titleReclaimed, titleOOMKills}},
		{"no commit limit", "proc/meminfo", `CommitLimit.*\n`, 4, []uint32{30, 1406}},
		{"no loadavg", "proc/loadavg", "", 2, []uint32{250, titleLoad1, titleLoad5, titleLoad15}},
		{"old stat", "proc/stat", `(intr|softirq|procs_blocked) .*\n`, 2, []uint32{246, titleBlockedTasks}},
		{"columns of Linux 2.6.24", "proc/stat", `(?m) [0-9]+ [0-9]+$`, 238, []uint32{titleGuest}},
		{"columns of Linux 2.6.0", "proc/stat", `(?m) [0-9]+ [0-9]+ [0-9]+$`, 238,
			[]uint32{titleSteal, titleGuest}},
		{"no softirqs", "proc/softirqs|proc/stat", `softirq .*\n|[^\n]*HI:.*\n|[^\n]*TIMER.*\n|.*CPU.*\n`,
			238, []uint32{1334}},
		{"no I/O accounting", "proc/[0-9]+/io", "", 230,
			[]uint32{1412, 1414, 1416, 1420, 1422, 1424, 220, 222}},
		{"no scheduler statistics", "proc/[0-9]+/schedstat", "", 230, []uint32{titleWait}},
		{"scheduler statistics of zeros", "proc/[0-9]+/schedstat", `[1-9]`, 230, []uint32{titleWait}},
		{"no sizes of directories, which cannot be listed", "proc/[0-9]+/fd", `[1-9]`, 230, []uint32{952}},
		{"before Linux 4.5", "proc/[0-9]+/status", `RssAnon.*\n`, 230, []uint32{186}},
		{"delays not counted", "proc/sys/kernel/task_delayacct", `1`, 230, []uint32{titleBlockDelay}},
		{"delays not known", "proc/sys/kernel/task_delayacct", "", 230, []uint32{titleBlockDelay}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := fixture(t, "small.txtar")
			cut(root, tt.files, tt.cut)
			o := newRig(t, root, nil).object(tt.object)
			want := slices.DeleteFunc(slices.Clone(all[tt.object].counters),
				func(index uint32) bool { return slices.Contains(tt.without, index) })
			if slices.Contains(tt.without, 1406) {
				want = slices.DeleteFunc(want, func(index uint32) bool { return index == 0 }) // its base
			}
			if diff := cmp.Diff(want, o.counters); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(all[tt.object].names(), o.names()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// cut takes what matches out of the texts of files; "" takes the files away.
// Where a digit is cut a 0 takes its place.
func cut(root *MapRoot, files, pattern string) {
	name := regexp.MustCompile("^(" + files + ")$")
	for path, e := range root.entries {
		switch {
		case !name.MatchString(path):
		case pattern == "":
			root.Remove(path)
		default:
			root.Set(path, regexp.MustCompile(pattern).ReplaceAllStringFunc(e.text, func(s string) string {
				if len(s) == 1 {
					return "0"
				}
				return ""
			}))
		}
	}
}

// TestDamage damages a file after the provider was opened. The counters that
// it costs are missing; everything else is there.
func TestDamage(t *testing.T) {
	tests := []struct {
		name     string
		file     string
		old, new string
		object   uint32
		instance string
		want     raws
	}{
		{"not a number", "proc/meminfo", "MemFree:         1000000", "MemFree: 1000x", 4, "",
			raws{1676: missing, 24: 3000001 * 1024}},
		{"negative", "proc/meminfo", "1000000 kB", "-5 kB", 4, "", raws{1676: missing, 818: 1600000 * 1024}},
		{"more than 64 bits", "proc/vmstat", "pgmajfault 33", "pgmajfault 18446744073709551616", 4, "",
			raws{42: missing, 28: 5}},
		{"64 bits", "proc/vmstat", "pgmajfault 33", "pgmajfault 18446744073709551615", 4, "",
			raws{42: 1<<32 - 1}},
		{"64 bits of kB", "proc/meminfo", "1000000 kB", "18446744073709551615 kB", 4, "",
			raws{1676: missing}},
		{"no value", "proc/meminfo", "        1000000 kB", "", 4, "", raws{1676: missing, 58: 30000 * 1024}},
		{"cut in a number", "proc/vmstat", "oom_kill 2\n", "oom_kill 1", 4, "",
			raws{titleOOMKills: missing, titleReclaimed: 11}},
		{"no load", "proc/loadavg", "0.05 1.20", "x 1.2", 2, "",
			raws{titleLoad1: missing, titleLoad5: missing, titleLoad15: 1234, 250: 93}},
		{"huge load", "proc/loadavg", "0.05", "18446744073709551615.00", 2, "",
			raws{titleLoad1: missing, titleLoad5: 120}},
		{"no threads", "proc/loadavg", "1/91", "191", 2, "", raws{250: missing, titleLoad1: 5}},
		{"no user time", "proc/stat", "cpu0 300", "cpu0 -1", 238, "0",
			raws{142: missing, 6: 90400 * tick, titleNice: 30 * tick}},
		{"no idle time", "proc/stat", "90000 400", "90000 .", 238, "0",
			raws{6: missing, 1746: missing, titleIOWait: missing, 142: 330 * tick}},
		{"a processor twice", "proc/stat", "cpu2", "cpu0 1\ncpu2", 238, "0", raws{6: 90400 * tick}},
		{"a count of interrupts", "proc/interrupts", "1000       2000", "1000       20o0", 238, "2",
			raws{148: 22}},
		{"no table of interrupts", "proc/interrupts", "CPU0       CPU2", "", 238, "2",
			raws{148: missing, 1334: 202}},
		{"no user time", "proc/1/stat", " 150 250 ", " x 250 ", 230, "systemd",
			raws{142: missing, 6: missing, 144: 250 * tick, 784: 1}},
		{"cut stat", "proc/1/stat", " 170000000 3000", " 1700\x00", 230, "systemd",
			raws{174: missing, 142: 150 * tick, titleBlockDelay: missing}},
		{"no priority", "proc/1/stat", " 20 0 1 0 10 ", " -9223372036854775809 0 1 0 10 ", 230, "systemd",
			raws{titlePriority: missing, 680: 1}},
		{"negative threads", "proc/1/stat", " 20 0 1 0 10 ", " 20 0 -1 0 10 ", 230, "systemd",
			raws{680: missing, titlePriority: 120}},
		{"empty statm", "proc/1/statm", "41503 3000 2000 10 0 5000 0\n", "", 230, "systemd",
			raws{180: missing, 1478: missing, 174: 170000000}},
		{"short statm", "proc/1/statm", " 2000 10 0 5000 0", "", 230, "systemd",
			raws{180: 3000 * 4096, 1478: missing}},
		{"no cancelled bytes", "proc/1/io", "cancelled_write_bytes: 1024\n", "", 230, "systemd",
			raws{222: missing, 220: 3000}},
		{"no number of descriptors", "proc/1/fd", "48", "many", 230, "systemd", raws{952: missing, 784: 1}},
		{"a negative size", "proc/1/fd", "48", "-48", 230, "systemd", raws{952: missing}},
	}
	for _, tt := range tests {
		t.Run(tt.file+", "+tt.name, func(t *testing.T) {
			root := fixture(t, "small.txtar")
			r := newRig(t, root, nil)
			want := r.object(tt.object)
			text := root.entries[tt.file].text
			if !strings.Contains(text, tt.old) {
				t.Fatalf("%s does not hold %q", tt.file, tt.old)
			}
			text = strings.Replace(text, tt.old, tt.new, 1)
			if before, _, found := strings.Cut(text, "\x00"); found {
				text = before // cut off here
			}
			root.Set(tt.file, text)
			o := r.object(tt.object)
			o.check(t, tt.instance, tt.want)
			if diff := cmp.Diff(want.names(), o.names()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNoIdentity damages what tells a process from others: it is left out
// whole.
func TestNoIdentity(t *testing.T) {
	for _, text := range []string{
		"", "\n", "300", "300 (", "300 (x", ")300 (", "300 (x)", "300 (x)\n", "300 (x) S 1 1\n",
		strings.Replace(pidStat(300, "x", 1, 987), " 987 ", " 9-7 ", 1), // the start time
		strings.TrimSuffix(pidStat(300, "x", 1, 987), " 4096 1 0\n"),    // cut within it
	} {
		root := fixture(t, "small.txtar")
		r := newRig(t, root, nil)
		r.lacking = text != "" // as some kernels show a process that ends
		root.Set("proc/300/stat", text)
		if _, ok := r.object(230).value("[sd-pam]", 784); ok {
			t.Errorf("stat %q makes an instance", text)
		}
		if got := len(r.object(230).instances); got != 6 {
			t.Errorf("stat %q: %d instances, want 6", text, got)
		}
	}
}

// TestUnreadableLater takes whole files away after the provider was opened.
func TestUnreadableLater(t *testing.T) {
	root := fixture(t, "small.txtar")
	r := newRig(t, root, nil)
	want := r.ask("Global")
	stat := root.entries["proc/stat"].text
	for _, name := range []string{"proc/stat", "proc/meminfo", "proc/loadavg"} {
		root.Remove(name)
	}
	b := r.ask("Global")
	b[2].check(t, "", raws{146: missing, 250: missing, 674: fileTimeBoot, 248: 6})
	b[4].check(t, "", raws{24: missing, 1406: missing, 28: 5})
	if b[238] != nil {
		t.Errorf("processors %q without /proc/stat", b[238].names())
	}
	b[230].check(t, "Idle", raws{6: missing, 680: missing, 684: fileTimeBoot})
	b[230].check(t, "systemd", raws{6: 400 * tick})
	root.Set("proc/stat", stat)
	if diff := cmp.Diff(want[238].names(), r.object(238).names()); diff != "" {
		t.Error(diff)
	}
}
