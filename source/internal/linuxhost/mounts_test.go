package linuxhost

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

// disks returns testdata/disks.txtar with file systems that answer.
func disks(t testing.TB) *MapRoot {
	root := fixture(t, "disks.txtar")
	spaces := map[string]Space{
		"/": {BlockSize: 4096, Blocks: 1000, Free: 600, Available: 500, Inodes: 400,
			FreeInodes: 100},
		"/srv/odd name\t\\*(1)": {BlockSize: 4096, Blocks: 1 << 40, Free: 1 << 39, Available: 1 << 39,
			Inodes: 1 << 40, FreeInodes: 1 << 39},
		"/b": {BlockSize: 512, Blocks: 8192, Free: 4096, Available: 4096},
		// more free than there is
		"/home": {BlockSize: 4096, Blocks: 256, Free: 512, Available: 1},
		"/tank": {BlockSize: 1 << 17, Blocks: 80, Free: 80, Available: 80, Inodes: 5,
			FreeInodes: 6},
		"/twice": {BlockSize: 1024, Blocks: 0},
		"/up":    {BlockSize: 1 << 40, Blocks: 1 << 40, Free: 1, Available: 1},
		"/gone": {BlockSize: 1024, Blocks: 100, Free: 100, Available: 100, Inodes: 10,
			FreeInodes: 10},
		"/net":                   {BlockSize: 1, Blocks: 1, Free: 1, Available: 1},
		"/auto":                  {BlockSize: 1, Blocks: 1, Free: 1, Available: 1},
		"/snap/core":             {BlockSize: 1, Blocks: 1, Free: 1, Available: 1},
		"/var/lib/docker/merged": {BlockSize: 1, Blocks: 1, Free: 1, Available: 1},
	}
	for path, sp := range spaces {
		root.SetStatfs(path, func() (Space, error) { return sp, nil })
	}
	root.SetStatfs("/up/usb", func() (Space, error) { return Space{}, fs.ErrPermission })
	return root
}

// diskMounts are the instances of LogicalDisk in testdata/disks.txtar.
var diskMounts = []string{"_Total", "/", "/srv/odd name___[1]", "/b", "/home", "/tank", "/twice", "/up",
	"/up/usb", "/gone"}

func TestLogicalDisk(t *testing.T) {
	o := newRig(t, disks(t), nil).object(236)
	if diff := cmp.Diff(diskMounts, o.names()); diff != "" {
		t.Error(diff)
	}
	// A partition has its disk's sequence number; what has no number of a device, its own.
	if diff := cmp.Diff([]int32{-1, 11, 13, 259 << 20, 252<<20 | 1, 53, 147 << 20, 253 << 20, 12, 8<<20 | 99},
		o.unique()); diff != "" {
		t.Error(diff)
	}
	odd := diskMounts[2]
	o.check(t, "/", raws{
		408: 2000, 410: 1, titleFreeInodes: 100, 198: 1, 214: 60, 216: 120, 220: 1200 * 512, 1404: 310 * ms,
		1482: bootTime - 400*ms, titleFlushes: missing,
	})
	o.check(t, odd, raws{408: 1 << 30, 410: 1 << 31, titleFreeInodes: 1 << 30, 214: 31})
	for _, tt := range []struct {
		name    string
		counter uint32
		want    uint64
	}{{"/", 408, 3600}, {"/", titleFreeInodes, 400}, {"/b", 408, 4096}, {"/", 200, fileTimeBoot + bootTime},
		{odd, titleFreeInodes, 1 << 31}} {
		if base, ok := o.base(tt.name, tt.counter); !ok || base != tt.want {
			t.Errorf("%s: base of counter %d is %d (there: %v), want %d", tt.name, tt.counter, base,
				ok, tt.want)
		}
	}
	o.check(t, "/b", raws{408: 2048, 410: 2, titleFreeInodes: missing, 214: 7})
	// of the device it was mounted from
	o.check(t, "/home", raws{408: missing, 410: missing, titleFreeInodes: missing, 214: 41})
	o.check(t, "/tank", raws{408: 10240, 410: 10, titleFreeInodes: missing, 214: missing, 198: missing,
		200: missing, 1482: missing})
	o.check(t, "/twice", raws{408: missing, 214: 9})
	o.check(t, "/up", raws{408: missing})
	o.check(t, "/up/usb", raws{408: denied, 410: denied, 214: 1})
	o.check(t, "/gone", raws{408: 100, 214: missing, 1400: missing})
	o.check(t, "_Total", raws{214: 60 + 31 + 7 + 41 + 9 + 9 + 1, 410: denied, 1482: averageIdle})
}

// averageIdle is the mean of the idle times of the file systems in
// testdata/disks.txtar that have one.
const averageIdle = (7*bootTime - (400+60+3+80+9+9+11)*perMillisecond) / 7

// TestHungMount lets file systems hang, for ever and for a while. They cost one
// query a little time, and later ones none; the disk's other counters are
// there, and nobody asks a second time before the first answer.
func TestHungMount(t *testing.T) {
	root := disks(t)
	asked, answer := make(chan struct{}, 10), make(chan Space)
	root.SetStatfs("/gone", func() (Space, error) {
		asked <- struct{}{}
		return <-answer, nil
	})
	r := newRig(t, root, nil)
	for range 3 {
		o := r.object(236)
		o.check(t, "/gone", raws{408: missing, 410: missing})
		o.check(t, "/", raws{408: 2000, 214: 60})
		o.check(t, "_Total", raws{408: missing, 410: missing, 214: 158})
	}
	if n := len(asked); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	// It is taken away and comes back, and still hangs.
	text := root.entries["proc/self/mountinfo"].text
	root.Set("proc/self/mountinfo", strings.Replace(text, "/gone", "/elsewhere", 1))
	if names := r.object(236).names(); slices.Contains(names, "/gone") {
		t.Errorf("instances %q", names)
	}
	root.Set("proc/self/mountinfo", text)
	r.object(236).check(t, "/gone", raws{408: missing})
	if n := len(asked); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
	// The late answer is old. It is asked anew.
	answer <- Space{BlockSize: 1024, Blocks: 10, Free: 10, Available: 10}
	go func() { answer <- Space{BlockSize: 1024, Blocks: 77, Free: 77, Available: 77} }()
	for range 100 {
		o := r.object(236)
		if free, ok := o.value("/gone", 408); ok {
			if free != 77 {
				t.Errorf("%d KiB are free, want 77", free)
			}
			return
		}
		<-asked
	}
	t.Error("no answer after it works again")
}

// TestHungMountAtEnd asks with a deadline: the answer comes before it.
func TestHungMountAtEnd(t *testing.T) {
	root := disks(t)
	forever := make(chan struct{})
	defer close(forever)
	root.SetStatfs("/", func() (Space, error) {
		<-forever
		return Space{}, errors.New("unmounted")
	})
	r := newRig(t, root, nil)
	r.object(2) // opens the provider
	for _, q := range []*provider.Query{
		provider.ParseQuery("236"),
		{Objects: []uint32{236}, Counters: map[uint32][]uint32{236: {410}}},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		p, err := r.d.Collect(ctx, q, nil)
		cancel()
		if err != nil || len(r.problems) > 0 {
			t.Fatalf("collect: %v, %v", err, r.problems)
		}
		o := readBlock(t, p)[236]
		o.check(t, "/", raws{410: missing})
		o.check(t, "/b", raws{410: 2})
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if wait := spaceWait(short); wait > 50*time.Millisecond {
		t.Errorf("of 100 ms a query waits %v, want at most half", wait)
	}
	if wait := spaceWait(t.Context()); wait != spaceTimeout {
		t.Errorf("a query without a deadline waits %v, want %v", wait, spaceTimeout)
	}
}

// TestQuestionsEnd: nothing that asks file systems goes on when one is unmounted, has
// answered at last or the session is closed. The bubble finds what does.
func TestQuestionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root, answer := disks(t), make(chan struct{})
		root.SetStatfs("/gone", func() (Space, error) {
			<-answer
			return Space{}, nil
		})
		r := newRig(t, root, nil)
		r.object(236).check(t, "/gone", raws{408: missing})
		root.Set("proc/self/mountinfo", strings.Replace(root.entries["proc/self/mountinfo"].text,
			" /b ", " /c ", 1))
		if names := r.object(236).names(); slices.Contains(names, "/b") || !slices.Contains(names, "/c") {
			t.Errorf("instances %q", names)
		}
		close(answer)
	})
}

// TestSpaceIsNotWanted asks for counters that need no answer of a file system.
func TestSpaceIsNotWanted(t *testing.T) {
	root := disks(t)
	r := newRig(t, root, nil)
	r.object(236)
	root.SetStatfs("/", func() (Space, error) {
		t.Error("the file system is asked for its space")
		return Space{}, nil
	})
	q := &provider.Query{Objects: []uint32{236}, Counters: map[uint32][]uint32{236: {214}}}
	r.askFor(q)[236].check(t, "/", raws{214: 60, 408: missing})
}

// TestMountsChange mounts and unmounts. The total goes on.
func TestMountsChange(t *testing.T) {
	root := disks(t)
	r := newRig(t, root, nil)
	mounts := func(lines ...string) { root.Set("proc/self/mountinfo", strings.Join(lines, "\n")+"\n") }
	const (
		first  = "27 1 8:1 / / rw - ext4 /dev/sda1 rw"
		second = "33 27 259:0 / /b rw - ext4 /dev/nvme0n1 rw"
	)
	mounts(first)
	r.object(236).check(t, "_Total", raws{214: 60, 410: 1})
	mounts(second, first)
	o := r.object(236)
	if diff := cmp.Diff([]string{"_Total", "/b", "/"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "_Total", raws{214: 60, 410: 3})
	root.Set("proc/diskstats", strings.Replace(root.entries["proc/diskstats"].text, "nvme0n1 7",
		"nvme0n1 12", 1))
	mounts(second)
	r.object(236).check(t, "_Total", raws{214: 65, 410: 2})
	mounts()
	if names := r.object(236).names(); len(names) != 0 {
		t.Errorf("without a mount there are the instances %q", names)
	}
}

func TestParseMount(t *testing.T) {
	tests := []struct {
		line string
		want *mountRow
	}{
		{`36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`,
			&mountRow{36, 35, 98 << 20, "/mnt1", "/mnt2", "ext3", "/dev/root"}},
		{`1 1 0:2 / / rw - rootfs rootfs rw`, &mountRow{1, 1, 2, "/", "/", "rootfs", "rootfs"}},
		{`9 1 8:1 / /a\040b\011c\012d\134e\43x\1 rw - ext4 /dev/s\040d rw`,
			&mountRow{9, 1, 8<<20 | 1, "/", "/a b\tc\nd\\e\\43x\\1", "ext4", "/dev/s d"}},
		{`9 1 8:1 / /- rw shared:1 master:2 propagate_from:3 unbindable - ext4 - rw`,
			&mountRow{9, 1, 8<<20 | 1, "/", "/-", "ext4", "-"}},
		{`9 1 8:1 / relative rw - ext4 /dev/sda rw`, nil},
		{`9 1 8:1 / /a rw ext4 /dev/sda rw`, nil},
		{`9 1 8 / /a rw - ext4 /dev/sda rw`, nil},
		{`9 1 4096:1 / /a rw - ext4 /dev/sda rw`, nil},
		{`9 1 8:1048576 / /a rw - ext4 /dev/sda rw`, nil},
		{`x 1 8:1 / /a rw - ext4 /dev/sda rw`, nil},
		{``, nil},
	}
	for _, tt := range tests {
		row, ok := parseMount([]byte(tt.line))
		if ok != (tt.want != nil) {
			t.Errorf("%q is a mount: %v", tt.line, ok)
		} else if ok {
			if diff := cmp.Diff(*tt.want, row, cmp.AllowUnexported(mountRow{})); diff != "" {
				t.Errorf("%q: %s", tt.line, diff)
			}
		}
	}
}

// TestChooseMounts names, of rows "id parent place", those that can be seen.
func TestChooseMounts(t *testing.T) {
	tests := []struct{ name, rows, want string }{
		{"parents come later", "22 27 /proc, 23 22 /proc/x, 27 1 /", "/proc /proc/x /"},
		{"the first mount is its own parent", "1 1 /, 2 1 /a", "/ /a"},
		{"later at the same place", "1 0 /, 2 1 /a, 3 2 /a", "/ /a"},
		{"a name that begins the same", "1 0 /, 2 1 /a, 3 1 /ab", "/ /a /ab"},
		{"covered by a directory above", "1 0 /, 2 1 /a/b, 3 1 /a", "/ /a"},
		{"covered with what it holds", "1 0 /, 2 1 /a/b, 3 2 /a/b/c, 4 1 /a", "/ /a"},
		{"on what covers", "1 0 /, 2 1 /a/b, 3 1 /a, 4 3 /a/b", "/ /a /a/b"},
		{"the root is covered", "1 0 /, 2 1 /a, 3 1 /, 4 3 /b", "/ /b"},
		{"parents in a ring", "1 2 /a, 2 1 /b", "/a /b"},
		{"no parent", "7 99 /a", "/a"},
	}
	for _, tt := range tests {
		var rows []mountRow
		for i, word := range strings.Split(tt.rows, ", ") {
			w := strings.Fields(word)
			id, _ := decimal([]byte(w[0]))
			parent, _ := decimal([]byte(w[1]))
			rows = append(rows, mountRow{id: id, parent: parent, device: deviceID(i), root: "/", point: w[2],
				kind: "ext4"})
		}
		var got []string
		for _, r := range chooseMounts(rows, []string{"ext4"}) {
			got = append(got, r.point)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}
