package linuxhost

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ms is a perMillisecond in 100 ns.
const ms = int64(perMillisecond)

// bootTime is the time since the start of the machine in testdata/disks.txtar.
const bootTime = 1000 * perSecond

func TestPhysicalDisk(t *testing.T) {
	o := newRig(t, fixture(t, "disks.txtar"), nil).object(234)
	if diff := cmp.Diff([]string{"_Total", "sda", "sdb", "nvme0n1", "vda", "cciss_c0d0"},
		o.names()); diff != "" {
		t.Error(diff)
	}
	// By sequence number where there is one, in 31 bits, else by number.
	if diff := cmp.Diff([]int32{-1, 11, 12, 259 << 20, 254 << 20, 104 << 20}, o.unique()); diff != "" {
		t.Error(diff)
	}
	if want := int64(fileTimeBoot + bootTime); o.time != want {
		t.Errorf("object time %d, want %d", o.time, want)
	}
	o.check(t, "sda", raws{
		198: 3, 200: 800 * ms, 1400: 800 * ms, 202: 300 * ms, 1402: 300 * ms, 204: 500 * ms, 1404: 500 * ms,
		206: 800 * ms, 208: 300 * ms, 210: 500 * ms, 212: 300, 214: 100, 216: 200,
		218: 6000 * 512, 220: 2000 * 512, 222: 4000 * 512, 224: 6000 * 512, 226: 2000 * 512, 228: 4000 * 512,
		1482: bootTime - 700*ms, titleMerges: 30, titleDiscards: 5, titleFlushes: 7,
	})
	for counter, want := range map[uint32]uint64{
		200: fileTimeBoot + bootTime, 202: fileTimeBoot + bootTime, 204: fileTimeBoot + bootTime,
		1482: fileTimeBoot + bootTime,
		206:  300, 208: 100, 210: 200, 224: 300, 226: 100, 228: 200,
	} {
		if base, ok := o.base("sda", counter); !ok || base != want {
			t.Errorf("base of counter %d is %d (there: %v), want %d", counter, base, ok, want)
		}
	}
	// An impossible number in flight does not count, and the sum is of the others.
	o.check(t, "sdb", raws{198: missing, 208: 1001 * ms, 1482: bootTime - 11*ms})
	o.check(t, "_Total", raws{
		198: 3, 1400: (800 + 1001 + 3) * ms, 206: (800 + 1001 + 3) * ms, 212: 300 + 1 + 16,
		218: (6000 + 2 + 128) * 512,
		200: (1302 + 502) * ms / 5, 202: 1302 * ms / 5, 204: 502 * ms / 5, 1482: bootTime - (700+11+3)*ms/5,
	})
	if base, ok := o.base("_Total", 206); !ok || base != 317 {
		t.Errorf("base of the total time is %d (there: %v), want 317", base, ok)
	}
}

// diskLine returns a line of /proc/diskstats: number of sectors read, times of
// reading, writing and in all in ms.
func diskLine(number, name string, sectors, reading, writing, busy uint64) string {
	return fmt.Sprintf("%s %s 1 0 %d %d 1 0 0 %d 0 %d 0 0 0 0 0 0 0\n", number, name, sectors, reading,
		writing, busy)
}

// TestDiskTimesWrap lets times pass 2^32 ms, and falls to where no wrap leads.
func TestDiskTimesWrap(t *testing.T) {
	root := fixture(t, "disks.txtar")
	r := newRig(t, root, nil)
	r.times.Boot = 50 * 86400 * second // the disk has been busy for 49.7 days
	const top = math.MaxUint32
	steps := []struct {
		reading, writing, busy       uint64 // in the file
		wantReading, wantTime, total int64  // in ms
	}{
		{top - 9, top, top - 9, top - 9, 2*top - 9, 2*top - 9},
		{top, 19, top, top, 2*top + 20, 2*top + 20},
		{90, 119, 90, top + 91, 2*top + 211, 2*top + 211},
		{5, 120, 95, 5, top + 126, 2*top + 212}, // reset: the total loses nothing
		{15, 130, 96, 15, top + 146, 2*top + 232},
	}
	for _, step := range steps {
		root.Set("proc/diskstats", diskLine("8 0", "sda", 0, step.reading, step.writing, step.busy))
		b := r.object(234)
		b.check(t, "sda", raws{208: step.wantReading * ms, 1400: step.wantTime * ms, 200: step.wantTime * ms})
		b.check(t, "_Total", raws{1400: step.total * ms, 200: step.total * ms})
		busy := step.busy
		if step.busy < top-9 {
			busy += 1 << 32
		}
		b.check(t, "sda", raws{1482: r.times.Boot/100 - int64(busy)*ms})
		r.pass(second)
	}
}

// TestDiskIdleIsHeld reads the time of a busy disk that runs ahead of the clock.
func TestDiskIdleIsHeld(t *testing.T) {
	root := fixture(t, "disks.txtar")
	r := newRig(t, root, nil)
	steps := []struct {
		pass int64  // ms
		busy uint64 // ms
		want int64  // idle, ms
	}{{0, 900_000, 100_000}, {10, 900_014, 100_000}, {10, 900_018, 100_002}, {0, 910_000, 90_020}}
	for _, step := range steps {
		r.pass(step.pass * second / 1000)
		root.Set("proc/diskstats", diskLine("8 0", "sda", 0, 0, 0, step.busy))
		r.object(234).check(t, "sda", raws{1482: step.want * ms})
	}
}

// TestDiskIsReplaced takes a disk away and puts another one in its place. It
// adds to the total from the second sample on.
func TestDiskIsReplaced(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		root := fixture(t, "disks.txtar")
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		sample := func(sectors, reading uint64) *sampleObject {
			root.Set("proc/diskstats", diskLine("8 0", "sda", sectors, reading, 0, 0))
			return r.object(234)
		}
		sample(1000, math.MaxUint32)
		root.Remove("sys/dev/block/8:0/diskseq")
		root.Set("sys/dev/block/8:0/diskseq", "99\n")
		o := sample(5000, 7) // not a wrap: another one's
		if diff := cmp.Diff([]int32{-1, 99}, o.unique()); diff != "" {
			t.Error(diff)
		}
		o.check(t, "sda", raws{220: 5000 * 512, 208: 7 * ms})
		o.check(t, "_Total", raws{220: 1000 * 512, 208: math.MaxUint32 * ms})
		o = sample(5010, 9)
		o.check(t, "_Total", raws{220: 1010 * 512, 208: (math.MaxUint32 + 2) * ms})

		root.Set("proc/diskstats", "")
		if names := r.object(234).names(); len(names) != 0 {
			t.Errorf("without a disk there are the instances %q", names)
		}
		// The same number by another name is another device, which may be no disk.
		root.Set("proc/diskstats", diskLine("8 0", "other", 1, 1, 1, 1)+diskLine("252 0", "dm-0", 1, 1, 1, 1))
		if diff := cmp.Diff([]string{"_Total", "other"}, r.object(234).names()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOldDiskstats reads files of older kernels.
func TestOldDiskstats(t *testing.T) {
	tests := []struct {
		name    string
		columns int
		without []uint32
	}{
		{"Linux 5.5", 17, nil},
		{"Linux 4.18", 15, []uint32{titleFlushes}},
		{"before Linux 4.18", 11, []uint32{titleFlushes, titleDiscards}},
	}
	for _, tt := range tests {
		root := fixture(t, "disks.txtar")
		words := strings.Fields(diskLine("8 0", "sda", 10, 20, 30, 40))
		root.Set("proc/diskstats", strings.Join(words[:3+tt.columns], " ")+"\n8 1 sda1 1 2 3 4\n")
		b := newRig(t, root, nil).ask("234 236")
		for _, o := range b {
			for _, counter := range []uint32{titleMerges, titleDiscards, titleFlushes} {
				want := true
				for _, w := range tt.without {
					want = want && w != counter
				}
				if got := o.at(counter) >= 0; got != want {
					t.Errorf("%s: counter %d is declared: %v, want %v", tt.name, counter, got, want)
				}
			}
		}
		b[234].check(t, "sda", raws{220: 10 * 512, 208: 20 * ms, 210: 30 * ms})
		b[236].check(t, "/", raws{220: missing, 198: missing, 1482: missing}) // four columns
	}
}

func TestWrapping(t *testing.T) {
	const top = 1 << 32
	var c wrapping
	for _, step := range [...]struct{ now, want uint64 }{
		{5, 5}, {top - 1, top - 1}, {0, top}, {top - 5, 2*top - 5}, {1<<31 - 6, 2*top + 1<<31 - 6},
		{10, 10},                   // a fall by less than 2^31 is no wrap
		{top + 5, top + 5}, {3, 3}, // nor is one from above 2^32
		{top - 1, top - 1}, {top, top}, // 64 bits
		{1, 1}, {1, 1},
	} {
		if got := c.next(step.now); got != step.want {
			t.Errorf("%d gives %d, want %d", step.now, got, step.want)
		}
	}
}
