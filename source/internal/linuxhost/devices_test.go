package linuxhost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

// devices returns a machine with disks, file systems, network and paging file.
func devices(t testing.TB) *MapRoot {
	root := disks(t)
	for name, e := range fixture(t, "network.txtar").entries {
		if name != "proc" {
			root.Set(name, e.text)
		}
	}
	root.Set("proc/swaps", "Filename Type Size Used Priority\n/swap file 400 100 -2\n")
	return root
}

// deviceObjects are the objects of such a machine.
const deviceObjects = "234 236 510 700 546 548 638 658 1532 582 1534"

// TestOnlyWantedDevices asks for objects and counters and looks at what is read.
func TestOnlyWantedDevices(t *testing.T) {
	only := func(object uint32, counters ...uint32) *provider.Query {
		return &provider.Query{Objects: []uint32{object}, Counters: map[uint32][]uint32{object: counters}}
	}
	const (
		physical = "proc/diskstats sys/dev/block/8:0/diskseq sys/dev/block/8:16/diskseq"
		logical  = "proc/diskstats proc/self/mountinfo sys/dev/block/252:0/diskseq " +
			"sys/dev/block/8:1/../diskseq sys/dev/block/8:16/diskseq"
		both = "proc/diskstats proc/self/mountinfo sys/dev/block/252:0/diskseq sys/dev/block/8:0/diskseq " +
			"sys/dev/block/8:1/../diskseq sys/dev/block/8:16/diskseq"
		links = "proc/net/dev sys/class/net/a(b)#/ifindex sys/class/net/eth0/ifindex " +
			"sys/class/net/lo/ifindex"
		speeds = "proc/net/dev sys/class/net/a(b)#/ifindex sys/class/net/eth0/carrier_changes " +
			"sys/class/net/eth0/ifindex sys/class/net/lo/carrier_changes sys/class/net/lo/ifindex"
	)
	tests := []struct {
		query *provider.Query
		want  string // what is read, once each
	}{
		{provider.ParseQuery("234"), physical},
		{provider.ParseQuery("236"), logical},
		{only(236, 410), logical},
		{provider.ParseQuery("234 236"), both},
		{provider.ParseQuery("510"), speeds},
		{only(510, 264), links},
		{provider.ParseQuery("700"), "proc/swaps"},
		{provider.ParseQuery("546 638 658 582"), "proc/net/snmp"},
		{provider.ParseQuery("548 1532 1534"), "proc/net/snmp6"},
		{provider.ParseQuery("MetadataGlobal"), ""},
	}
	root := newTouched(devices(t))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.ask("Global")
	for _, tt := range tests {
		clear(root.files)
		r.askFor(tt.query)
		if got := strings.Join(slices.Sorted(maps.Keys(root.files)), " "); got != tt.want {
			t.Errorf("%v: read %q, want %q", tt.query, got, tt.want)
		}
		for name, n := range root.files {
			if n != 1 {
				t.Errorf("%v: read %s %d times, want once", tt.query, name, n)
			}
		}
	}
}

// TestUnneededObjects: a query for all objects without some reads no files of these.
func TestUnneededObjects(t *testing.T) {
	root := newTouched(devices(t))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.ask("Global")

	files := func(q *provider.Query) string {
		clear(root.files)
		r.askFor(q)
		return strings.Join(slices.Sorted(maps.Keys(root.files)), " ")
	}
	if all := files(&provider.Query{Global: true}); !strings.Contains(all, "proc/swaps") {
		t.Errorf("all objects read %s", all)
	}
	lean := files(&provider.Query{Global: true, Unneeded: []uint32{700, 234, 236}})
	if !strings.Contains(lean, "proc/net/dev") || strings.Contains(lean, "proc/swaps") ||
		strings.Contains(lean, "proc/diskstats") {
		t.Errorf("without paging files and disks it reads %s", lean)
	}
}

func TestFewDescriptorsForDevices(t *testing.T) {
	want := newRig(t, devices(t), nil).ask(deviceObjects)
	for _, maxOpen := range []int{2, 5, 15} {
		root := devices(t)
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		for range 2 {
			if diff := cmp.Diff(want, r.ask(deviceObjects),
				cmp.AllowUnexported(sampleObject{}, sampleInstance{}, sampleValue{})); diff != "" {
				t.Errorf("MaxOpen %d: %s", maxOpen, diff)
			}
			if n := root.Handles(); n > maxOpen {
				t.Errorf("%d files are open, want at most %d", n, maxOpen)
			}
		}
	}
}

func TestDevicesAllocateNothing(t *testing.T) {
	root := devices(t)
	for name := range root.entries { // each file that is looked for in vain costs MapRoot an error
		if strings.Contains(name, "/net/") && strings.HasPrefix(name, "sys/") {
			root.Remove(name)
		}
	}
	root.Set("proc/net/dev", interfaces("eth0", 5))
	for file, text := range map[string]string{"ifindex": "2", "speed": "10", "carrier_changes": "1"} {
		root.Set("sys/class/net/eth0/"+file, text+"\n")
	}
	sys := System{Root: root.Root, Now: func() Times { return testTimes }}
	for query := range strings.FieldsSeq(deviceObjects) {
		q := provider.ParseQuery(query)
		got := testing.AllocsPerRun(20, warm(t, NewHost(sys), q))
		dispatcher := testing.AllocsPerRun(20, warm(t, silent{NewHost(sys)}, q))
		if got != dispatcher {
			t.Errorf("query %s: %g allocations for a sample, of which %g are the dispatcher's", query,
				got, dispatcher)
		}
	}
}

// manyDevices returns a machine with disks, each with one partition that is
// mounted, and with interfaces.
func manyDevices(disks, links int) *MapRoot {
	root := NewMapRoot(map[string]string{
		"proc/stat":        statText([3]int{0, 1, 1}),
		"proc/filesystems": "\text4\n",
	})
	var stats, mounts strings.Builder
	mounts.WriteString("1 0 0:1 / / rw - rootfs rootfs rw\n")
	for i := range disks {
		number := fmt.Sprintf("8:%d", 2*i)
		line := fmt.Sprintf("%d 0 80 %d %d 0 160 %d 0 9 9 0 0 0 0 0 0\n", i+1, i, 2*i, 3*i)
		fmt.Fprintf(&stats, "8 %d d%d %s8 %d d%dp1 %s", 2*i, i, line, 2*i+1, i, line)
		fmt.Fprintf(&mounts, "%d 1 8:%d / /mnt/%d rw - ext4 /dev/d%dp1 rw\n", i+2, 2*i+1, i, i)
		root.Set("sys/dev/block/"+number+"/device", "")
		root.Set("sys/dev/block/"+number+"/diskseq", fmt.Sprintln(i+1))
		root.Set(fmt.Sprintf("sys/dev/block/8:%d/../diskseq", 2*i+1), fmt.Sprintln(i+1))
		root.SetStatfs(fmt.Sprintf("/mnt/%d", i), func() (Space, error) {
			return Space{BlockSize: 1024, Blocks: 100, Free: 50, Available: 50, Inodes: 9, FreeInodes: 3}, nil
		})
	}
	root.Set("proc/diskstats", stats.String())
	root.Set("proc/self/mountinfo", mounts.String())
	var pairs []any
	for i := range links {
		name := fmt.Sprintf("veth%d", i)
		pairs = append(pairs, name, 1000+i)
		dir := "sys/class/net/" + name + "/"
		root.Set(dir+"ifindex", fmt.Sprintln(i+1))
		root.Set(dir+"speed", "10000\n")
		root.Set(dir+"carrier_changes", "2\n")
	}
	root.Set("proc/net/dev", interfaces(pairs...))
	return root
}

// TestManyDevices samples 4,000 interfaces and 500 disks, with space for all
// files and for few.
func TestManyDevices(t *testing.T) {
	const nDisks, nLinks = 500, 4000
	for _, maxOpen := range []int{100, 100_000} {
		root := manyDevices(nDisks, nLinks)
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		for range 2 {
			b := r.ask("234 236 510")
			for end := time.Now().Add(time.Minute); len(b[236].instances) <= nDisks && time.Now().Before(end); {
				b = r.ask("234 236 510") // on a busy machine file systems answer too late for a sample
			}
			for index, want := range map[uint32]int{234: nDisks + 1, 236: nDisks + 1, 510: nLinks} {
				if n := len(b[index].instances); n != want {
					t.Fatalf("object %d: %d instances, want %d", index, n, want)
				}
			}
			b[234].check(t, "_Total", raws{214: nDisks * (nDisks + 1) / 2, 220: 80 * 512 * nDisks})
			b[236].check(t, "_Total", raws{214: nDisks * (nDisks + 1) / 2, 408: 50 * nDisks})
			b[236].check(t, "/mnt/499", raws{214: 500, titleFreeInodes: 3})
			b[510].check(t, "veth3999", raws{264: 4999, 520: 1e10})
		}
		if n := root.Handles(); n > maxOpen {
			t.Errorf("%d files are open, want at most %d", n, maxOpen)
		}
	}
	root := manyDevices(20, 100) // whatever the number, nothing is allocated
	h := NewHost(System{Root: root.Root, Now: func() Times { return testTimes }, MaxOpen: 1000})
	q := provider.ParseQuery("234 236 510")
	got := testing.AllocsPerRun(20, warm(t, h, q))
	if dispatcher := testing.AllocsPerRun(20, warm(t, silent{h}, q)); got != dispatcher {
		t.Errorf("%g allocations for a sample, of which %g are the dispatcher's", got, dispatcher)
	}
}

// TestDevicesGivenUp ends a query in the middle of an object. The next one is
// whole.
func TestDevicesGivenUp(t *testing.T) {
	for object, file := range map[uint32]string{234: "sys/dev/block/8:60/diskseq",
		510: "sys/class/net/veth30/ifindex"} {
		root := manyDevices(200, 200)
		v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
		r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
		want := r.object(object)
		ctx, cancel := context.WithCancel(t.Context())
		v.reads[file] = cancel
		q := &provider.Query{Objects: []uint32{object}}
		if _, err := r.d.Collect(ctx, q, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("collect: %v, want that it was given up", err)
		}
		r.problems = nil // one that asked is not told again, nor is a watcher
		if diff := cmp.Diff(want, r.object(object),
			cmp.AllowUnexported(sampleObject{}, sampleInstance{}, sampleValue{})); diff != "" {
			t.Error(diff)
		}
	}
}

func BenchmarkDevices(b *testing.B) {
	root := manyDevices(500, 4000)
	h := NewHost(System{Root: root.Root, Now: func() Times { return testTimes }, MaxOpen: 100_000})
	for _, bm := range []struct{ name, query, file string }{
		{"PhysicalDisk500", "234", "proc/diskstats"},
		{"LogicalDisk500", "236", "proc/diskstats"},
		{"NetworkInterface4000", "510", "proc/net/dev"},
	} {
		b.Run(bm.name+"/winperf", func(b *testing.B) {
			collect := warm(b, h, provider.ParseQuery(bm.query))
			b.ReportAllocs()
			for b.Loop() {
				collect()
			}
		})
		b.Run(bm.name+"/reference", func(b *testing.B) { // reads the one file alone, and makes no block
			b.ReportAllocs()
			for b.Loop() {
				for line := range strings.Lines(root.entries[bm.file].text) {
					referenceParse(line)
				}
			}
		})
	}
}
