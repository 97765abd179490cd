package linuxhost

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPagingFile(t *testing.T) {
	const head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	root := NewMapRoot(map[string]string{"proc/swaps": head +
		"/swap\\040file\\134(deleted)             file\t\t4000\t\t1000\t\t-2\n" +
		"/dev/dm-1                               partition\t8589934592\t2147483648\t-3\n" +
		"/dev/cut partition 5\n"})
	r := newRig(t, root, nil)
	o := r.object(700)
	if diff := cmp.Diff([]string{"_Total", "/swap file_[deleted]", "/dev/dm-1"}, o.names()); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		name      string
		used, all uint64
	}{
		{"/swap file_[deleted]", 1000, 4000},
		{"/dev/dm-1", 1 << 29, 1 << 31},
		{"_Total", (1<<31 + 1000) / 4, (1<<33 + 4000) / 4},
	} {
		used, _ := o.value(tt.name, 702)
		all, ok := o.base(tt.name, 702)
		if used != tt.used || all != tt.all || !ok {
			t.Errorf("%s: %d of %d (there: %v), want %d of %d", tt.name, used, all, ok, tt.used, tt.all)
		}
	}
	root.Set("proc/swaps", "Filename Used Size\n/b 1 2\n/dev/dm-1 3 4\n")
	o = r.object(700)
	if diff := cmp.Diff([]string{"_Total", "/b", "/dev/dm-1"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "/dev/dm-1", raws{702: 3})
	o.check(t, "_Total", raws{702: 4})
	root.Set("proc/swaps", head)
	if names := r.object(700).names(); len(names) != 0 {
		t.Errorf("without a paging file there are the instances %q", names)
	}
}

// TestObjects has the same numbers as System, of files that are read once.
func TestObjects(t *testing.T) {
	root := newTouched(fixture(t, "small.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.ask("2 260")
	clear(root.files)
	b := r.ask("2 260")
	b[2].check(t, "", raws{248: 6, 250: 93})
	b[260].check(t, "", raws{248: 6, 250: 93})
	if diff := cmp.Diff(map[string]int{"proc": 1, "proc/stat": 1, "proc/loadavg": 1},
		root.files); diff != "" {
		t.Error(diff)
	}
}
