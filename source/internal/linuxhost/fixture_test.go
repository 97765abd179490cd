package linuxhost

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fileTimeBoot is the start of the machine in testdata/small.txtar.
const fileTimeBoot = 1_700_000_000*perSecond + unixEpoch

// tick is a clock tick of 1/100 s in 100 ns.
const tick = int64(100_000)

func TestSystem(t *testing.T) {
	o := newRig(t, fixture(t, "small.txtar"), nil).object(2)
	o.check(t, "", raws{
		146: 8000000456 % (1 << 32), 674: fileTimeBoot, 44: 3, 248: 6, 250: 93,
		246:                   5000000123 % (1 << 32),
		titleProcessesCreated: 321, titleRunnableTasks: 5, titleBlockedTasks: 2,
		titleLoad1: 5, titleLoad5: 120, titleLoad15: 1234,
	})
	if want := int64(fileTimeBoot + 1000*perSecond); o.time != want {
		t.Errorf("object time %d, want %d", o.time, want)
	}
}

func TestMemory(t *testing.T) {
	const avail = 3000001 * 1024
	tests := []struct {
		page int
		want raws
	}{
		{0, raws{
			28: 5, 24: avail, 26: 5000000 * 1024, 30: 4000000 * 1024, 1406: 1250000,
			1380: 3000001, 1382: 2929,
			42: 33, 40: 1022, 822: 1000, 48: 22, 58: 30000 * 1024, 818: 1600000 * 1024, 1676: 1000000 * 1024,
			1678:        420 * 1024,
			titleSwapIn: 11, titleSwapOut: 22, titleReclaimed: 11, titleOOMKills: 2,
			titleSlab: 50000 * 1024, titlePageTable: 3000 * 1024, titleKernelStack: 2000 * 1024,
			titleAnonymous: 700000 * 1024,
			titleMapped:    600000 * 1024, titleShared: 100000 * 1024, titleHugePage: 2048 * 1024,
		}},
		{65536, raws{24: avail, 1406: 78125, 822: 62, 40: 84}},
	}
	for _, tt := range tests {
		r := newRig(t, fixture(t, "small.txtar"), func(s *System) { s.PageSize = tt.page })
		o := r.object(4)
		o.check(t, "", tt.want)
		base := o.instances[0].values[o.at(1406)+1]
		if want := 1000000 * 4096 / uint64(max(tt.page, 4096)); base.raw != want || base.missing {
			t.Errorf("page size %d: base of %% Committed Bytes In Use is %+v, want %d", tt.page, base, want)
		}
	}
}

func TestCommittedShareFits(t *testing.T) {
	var v values
	v.set(memCommittedPages, 1<<40+3)
	v.set(memLimitPages, 1<<35)
	share := specOf("Memory").rows[4]
	if part, whole := fraction(share.of(&v), v.sum(share.base)); part != 1<<31 || whole != 1<<26 {
		t.Errorf("fraction of %d and %d, want 2^31 and 2^26", part, whole)
	}
}

func TestProcessor(t *testing.T) {
	o := newRig(t, fixture(t, "small.txtar"), nil).object(238)
	if diff := cmp.Diff([]string{"_Total", "0", "2"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "0", raws{
		6: 90400 * tick, 1746: 90400 * tick, 142: 330 * tick, 144: 112 * tick, 696: 8 * tick, 698: 4 * tick,
		148: 1011, 1334: 101, titleSteal: 10 * tick, titleIOWait: 400 * tick, titleNice: 30 * tick,
		titleGuest: 21 * tick,
	})
	o.check(t, "2", raws{6: 89500 * tick, 148: 2022, 1334: 202, titleGuest: 23 * tick})
	o.check(t, "_Total", raws{6: 89950 * tick, 142: 385 * tick, 148: 5000000123 % (1 << 32), 1334: 7000,
		titleGuest: 22 * tick})
	for _, index := range []uint32{1748, 1750, 1752, 1754, 1756, 1758} {
		if o.at(index) >= 0 {
			t.Errorf("counter %d is declared on a machine without idle states", index)
		}
	}
}

func TestProcess(t *testing.T) {
	o := newRig(t, fixture(t, "small.txtar"), nil).object(230)
	if diff := cmp.Diff([]string{"Idle", "_Total", "systemd", "kthreadd", "kworker_0:1-events", "[sd-pam]",
		"a] b [c"}, o.names()); diff != "" {
		t.Error(diff)
	}
	idle := int64(179900) * tick
	o.check(t, "Idle", raws{6: idle, 142: 0, 144: idle, 680: 2, 684: fileTimeBoot, 784: 0, 180: missing,
		28: missing, 952: missing, 1410: missing})
	o.check(t, "systemd", raws{
		6: 400 * tick, 142: 150 * tick, 144: 250 * tick, 172: 180000 * 1024, 174: 170000000, 28: 520,
		178: 13000 * 1024, 180: 3000 * 4096,
		186: 4100 * 1024, 680: 1, 684: fileTimeBoot + 10*tick, 784: 1, 1410: 0, 952: 48,
		1412: 500, 1414: 40, 1416: 540, 1420: 70000, 1422: 6000, 1424: 76000, 1478: 1000 * 4096,
		220: 3000, 222: 1024, titleSwap: 100 * 1024, titlePageTable: 90 * 1024, titleMajorFaults: 20,
		titleBlockDelay: 7 * tick, titlePriority: 120, titleWait: 1234567,
	})
	// A kernel thread has no memory of its own; one that never ran has not waited either,
	// as far as can be told.
	o.check(t, "kthreadd", raws{174: 0, 180: 0, 172: missing, 186: missing, titleSwap: missing, 952: 0,
		1412: 0, titleWait: 6})
	o.check(t, "kworker_0:1-events", raws{6: 3 * tick, 1410: 2, titleWait: missing})
	// Counted in batches, shared may be above resident; what was cancelled above what was
	// written; deadline threads are below all others.
	o.check(t, "[sd-pam]", raws{1478: 0, 222: 0, titlePriority: 0, 680: 2, 684: fileTimeBoot + 2500*tick})
	// A zombie keeps what it used up and has no memory.
	o.check(t, "a] b [c", raws{784: 4000, 6: 42 * tick, 28: 52, 180: missing, 186: missing, 1420: 3980,
		titlePriority: 139})
	o.check(t, "_Total", raws{
		6: idle + (400+1+3+6+42)*tick, 680: 2 + 1 + 1 + 1 + 2 + 1, 684: o.time, 784: 0, 1410: missing,
		titlePriority: missing,
		180:           3900 * 4096, 952: 54, 1420: 70000 + 10 + 3980, 222: 1024 + 4096,
	})
}

// TestTicks reads the same files as a machine with another clock tick.
func TestTicks(t *testing.T) {
	r := newRig(t, fixture(t, "small.txtar"), func(s *System) { s.TicksPerSecond = 1024 })
	r.object(230).check(t, "systemd", raws{142: 150 * perSecond / 1024,
		684: fileTimeBoot + 10*perSecond/1024})
	r.object(238).check(t, "0", raws{142: 300*perSecond/1024 + 30*perSecond/1024})
}
