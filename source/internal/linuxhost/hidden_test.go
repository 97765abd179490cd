package linuxhost

import (
	"fmt"
	"io/fs"
	"testing"
)

// hiddenRig is the small machine as somebody sees it: with the options of the
// mount of /proc, and with a status.
func hiddenRig(t *testing.T, options, status string) *rig {
	root := fixtures(t, "small.txtar", "threads.txtar", "details.txtar")
	root.Set("proc/self/mountinfo", "21 1 0:5 / /proc rw - proc first rw,hidepid=1\n"+
		"22 21 0:6 / /proc rw,nosuid - proc proc "+options+
		"\n23 1 0:7 / /processes rw - proc proc rw,hidepid=4\n")
	root.Set("proc/self/status", "Name:\tx\n"+status)
	return newRig(t, root, nil)
}

const (
	nobody   = "Gid:\t100\t100\t100\t100\nGroups:\t4 100 \nCapEff:\t0000000000000000\n"
	tracer   = "Gid:\t100\t100\t100\t100\nGroups:\t\nCapEff:\t0000000000080000\n"
	inGroup5 = "Gid:\t100\t100\t100\t100\nGroups:\t4 5 6 \nCapEff:\tfffffffffff7ffff\n"
	group0   = "Gid:\t100\t0\t100\t0\nGroups:\t \nCapEff:\t0000000000000000\n"
)

// TestHiddenProcesses: where /proc shows only some of the processes nothing that
// is counted by listing them is given as the machine's.
func TestHiddenProcesses(t *testing.T) {
	for _, tt := range []struct {
		options, status string
		hidden          bool
	}{
		{"rw", nobody, false},
		{"rw,hidepid=1", nobody, false},
		{"rw,hidepid=2", nobody, true},
		{"rw,hidepid=invisible,gid=5", nobody, true},
		{"rw,gid=5,hidepid=invisible", inGroup5, false},
		{"rw,gid=5,hidepid=2", group0, true},
		{"rw,hidepid=2", group0, false},
		{"rw,gid=5,hidepid=ptraceable", inGroup5, true},
		{"rw,hidepid=4", nobody, true},
		{"rw,hidepid=4", tracer, false},
		{"rw,hidepid=2", tracer, false},
	} {
		r := hiddenRig(t, tt.options, tt.status)
		r.lacking = tt.hidden
		for range 3 {
			r.pass(hiddenAge)
			b := r.ask(fmt.Sprint("2 260 230 232 ", titleMemoryDetails))
			count, cpu, bytes := int64(6), int64(179900+400+1+3+6+42)*tick, int64(missing)
			if tt.hidden {
				count, cpu = missing, missing
			} else {
				raw, _ := b[titleMemoryDetails].value("_Total", titleProportional)
				bytes = int64(raw)
			}
			b[2].check(t, "", raws{248: count, 250: 93})
			b[260].check(t, "", raws{248: count, 250: 93})
			b[230].check(t, "_Total", raws{6: cpu, 784: 0})
			b[230].check(t, "systemd", raws{6: 400 * tick, 784: 1})
			b[titleMemoryDetails].check(t, "_Total", raws{titleProportional: bytes})
			if _, there := b[232].value("_Total", 142); there == tt.hidden {
				t.Errorf("%s: a total of threads: %v", tt.options, there)
			}
		}
		if len(r.reports) > 1 || (len(r.reports) == 1) != tt.hidden {
			t.Errorf("%s: reports %v", tt.options, r.reports)
		}
	}
}

// TestHiddenFirst: the rights in a user namespace do not count outside of it. A process that
// does not see the first process does not see all.
func TestHiddenFirst(t *testing.T) {
	r := hiddenRig(t, "rw,hidepid=2", tracer)
	r.ask("2")[2].check(t, "", raws{248: 6})
	r.lacking = true
	r.root.End(1)
	r.ask("2")[2].check(t, "", raws{248: denied, 250: 93})
}

// TestClosedProcesses: with hidepid=1 others' processes can be counted and not be
// read.
func TestClosedProcesses(t *testing.T) {
	r := hiddenRig(t, "rw,hidepid=1", nobody)
	r.root.Fail("proc/300/stat", fs.ErrPermission)
	b := r.ask("2 230")
	b[2].check(t, "", raws{248: 6})
	b[230].check(t, "systemd", raws{784: 1, 6: 400 * tick})
	b[230].check(t, "_Total", raws{6: denied, 180: denied, 784: 0})
	if _, ok := b[230].value("[sd-pam]", 784); ok {
		t.Error("a process that cannot be read has a name")
	}
	if len(r.reports) != 0 {
		t.Errorf("reports %v", r.reports)
	}
}
