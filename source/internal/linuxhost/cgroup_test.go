package linuxhost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/internal/datablock"
	"github.com/winperf/winperf/internal/index"
	"github.com/winperf/winperf/perfdata"
	"github.com/winperf/winperf/provider"
)

const oddGroup = `/system.slice/my _1 [odd]_x2dname é.service`

func TestControlGroup(t *testing.T) {
	o := newRig(t, fixtures(t, "small.txtar", "groups.txtar"), nil).object(titleControlGroup)
	if diff := cmp.Diff([]string{"/", "/init.scope", "/system.slice", oddGroup}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "/", raws{
		6: 50000, 142: 30000, 144: 20000, titleThrottled: missing, titleMemory: missing,
		titleMemoryLimit: missing, titleTasks: missing,
		220: 0, 216: 0, titleCPUSome: 110, titleCPUFull: missing, titleMemoryFull: 130, titleIOSome: 140,
	})
	o.check(t, "/system.slice", raws{
		6: 40000, 142: 25000, 144: 15000, titleThrottled: 3, titleThrottledTime: 7000, titleMemory: 1 << 20,
		titleMemoryLimit: missing,
		titleSwap:        4096, titleOOMKills: 1, 220: 2000, 222: 400, 214: 20, 216: 4, titleTasks: 17,
		titleCPUSome: 210, titleCPUFull: 220, titleIOFull: missing,
	})
	o.check(t, oddGroup, raws{titleMemoryLimit: 2 << 20, titleMemory: 65536, 6: missing, 220: missing,
		titleTasks: missing})
	o.check(t, "/init.scope", raws{6: 100, titleMemory: missing})
}

// TestControlGroupHybrid samples a machine with controllers of version 1.
func TestControlGroupHybrid(t *testing.T) {
	o := newRig(t, fixtures(t, "small.txtar", "hybrid.txtar"), nil).object(titleControlGroup)
	if diff := cmp.Diff([]string{"/", "/alone", "/box"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "/", raws{
		6: 10000, 142: 7 * tick, 144: 3 * tick, titleThrottled: 0, titleThrottledTime: 0, titleMemory: 9000,
		titleMemoryLimit: missing,
		titleSwap:        77, titleOOMKills: 0, 220: 103, 222: 24, 214: 0, 216: 0, titleTasks: missing,
		titleIOSome: 50, titleIOFull: 40,
	})
	o.check(t, "/box", raws{6: 5000, 142: 4 * tick, titleThrottled: 5, titleThrottledTime: 123,
		titleMemory: 4000, titleMemoryLimit: 8192, titleTasks: 3, 220: missing})
	// Its time is in the tree of version 2 alone, which does not count: one counter has one source.
	o.check(t, "/alone", raws{titleMemory: 10, 6: missing, 142: missing})
}

// TestControlGroupsComeAndGo changes groups between samples.
func TestControlGroupsComeAndGo(t *testing.T) {
	for _, maxOpen := range []int{0, 1} {
		root := fixtures(t, "small.txtar", "groups.txtar")
		r := newRig(t, root, func(s *System) { s.MaxOpen = maxOpen })
		before := r.uniqueID("/init.scope")
		root.Set("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 3\n")
		want := []string{"/", "/a", "/a/b", "/init.scope", "/system.slice", oddGroup}
		if diff := cmp.Diff(want, r.object(titleControlGroup).names()); diff != "" {
			t.Error(diff)
		}
		if got := r.uniqueID("/init.scope"); got != before {
			t.Errorf("unique id %d, then %d", before, got)
		}
		root.Set("sys/fs/cgroup/a/b/pids.current", "9\n") // a controller is enabled
		r.object(titleControlGroup)
		r.object(titleControlGroup).check(t, "/a/b", raws{6: 30, titleTasks: 9})
		root.RemoveAll("sys/fs/cgroup/a")
		root.RemoveAll("sys/fs/cgroup/init.scope")
		root.Set("sys/fs/cgroup/init.scope/cpu.stat", "usage_usec 4\n")
		o := r.object(titleControlGroup)
		if diff := cmp.Diff([]string{"/", "/init.scope", "/system.slice", oddGroup}, o.names()); diff != "" {
			t.Error(diff)
		}
		o.check(t, "/init.scope", raws{6: 40, 142: missing})
		if got := r.uniqueID("/init.scope"); got == before {
			t.Errorf("another group of the same name has the same unique id %d", got)
		}
		root.RemoveAll("sys/fs/cgroup")
		if o := r.object(titleControlGroup); len(o.instances) != 0 {
			t.Errorf("groups %q without a tree", o.names())
		}
		root.Set("sys/fs/cgroup/cpu.stat", "usage_usec 6\n")
		r.object(titleControlGroup).check(t, "/", raws{6: 60}) // mounted anew
	}
}

// uniqueID takes a sample and returns the unique id of a group.
func (r *rig) uniqueID(group string) uint32 {
	r.t.Helper()
	p, err := r.d.Collect(r.t.Context(), provider.ParseQuery(fmt.Sprint(titleControlGroup)), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	var ix index.Index
	if err := datablock.Decode(p, &ix, datablock.Options{}); err != nil {
		r.t.Fatal(err)
	}
	block, err := perfdata.Parse(p, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	o := block.Object(titleControlGroup)
	for i, in := range o.Instances {
		if o.InstanceName(i) == group {
			return uint32(in.UniqueID)
		}
	}
	r.t.Fatalf("no group %s", group)
	return 0
}

// TestControlGroupVanishes takes a group away while its files are opened and
// read. It is left out whole, with what was below it.
func TestControlGroupVanishes(t *testing.T) {
	const dir = "sys/fs/cgroup/system.slice"
	for _, file := range []string{"cpu.stat", "memory.current", "io.stat", "cpu.pressure"} {
		for _, at := range []string{"open", "read", "kept"} {
			t.Run(file+"/"+at, func(t *testing.T) {
				root := fixtures(t, "small.txtar", "groups.txtar")
				v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
				r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
				if at == "kept" {
					r.object(titleControlGroup)
				} else {
					r.object(2) // opens the provider
					root.RemoveAll(dir)
					for path, e := range fixture(t, "groups.txtar").entries {
						if strings.HasPrefix(path, dir) && !e.isDir() {
							root.Set(path, e.text) // anew, so that nothing of it is open
						}
					}
				}
				hooks := v.reads
				if at == "open" {
					hooks = v.opens
				}
				hooks[dir+"/"+file] = func() { root.RemoveAll(dir) }
				for range 2 {
					if diff := cmp.Diff([]string{"/", "/init.scope"},
						r.object(titleControlGroup).names()); diff != "" {
						t.Error(diff)
					}
				}
			})
		}
	}
}

func TestControlGroupBounds(t *testing.T) {
	root := fixtures(t, "small.txtar", "groups.txtar")
	deep := "sys/fs/cgroup" + strings.Repeat("/d", maxGroupDepth+1)
	root.Set(deep+"/cpu.stat", "usage_usec 1\n")
	long := strings.Repeat("n", 255)
	path := ""
	for range 4 {
		path += "/" + long
	}
	root.Set("sys/fs/cgroup"+path+"/cpu.stat", "usage_usec 1\n")        // 1,024 bytes
	root.Set("sys/fs/cgroup"+path+"x/cpu.stat", "usage_usec 1\n")       // 1,025
	root.Set("sys/fs/cgroup/bad\xff\n/cpu.stat", "usage_usec \xff 1\n") // any byte but / and NUL
	got := newRig(t, root, nil).object(titleControlGroup).names()
	for name, want := range map[string]bool{
		strings.Repeat("/d", maxGroupDepth): true, strings.Repeat("/d", maxGroupDepth+1): false,
		path: true, path + "x": false, "/bad\ufffd_": true,
	} {
		if slices.Contains(got, name) != want {
			t.Errorf("group %.40q... is shown: %v, want %v", name, !want, want)
		}
	}
}

func TestControlGroupFilter(t *testing.T) {
	root := newTouched(fixtures(t, "small.txtar", "groups.txtar"))
	groups(root.MapRoot, 3)
	var asked []string
	r := newRig(t, root.MapRoot, func(s *System) {
		s.Root = onlyRoot(root)
		s.Groups = func(path string) bool {
			asked = append(asked, path)
			return path != "/kube.slice" && path != "/system.slice"
		}
	})
	for range 2 {
		for _, name := range r.object(titleControlGroup).names() {
			if strings.HasPrefix(name, "/kube.slice") || strings.HasPrefix(name, "/system.slice") {
				t.Errorf("group %s is shown", name)
			}
		}
	}
	for file := range root.files {
		if strings.Contains(file, "kube.slice") {
			t.Errorf("%s was read", file)
		}
	}
	slices.Sort(asked)
	if n := len(asked); n != len(slices.Compact(asked)) || !slices.Contains(asked, "/kube.slice") {
		t.Errorf("asked %d times for %q", n, slices.Compact(asked))
	}
}

// groups adds n groups below one, all alike.
func groups(root *MapRoot, n int) {
	for i := range n {
		dir := fmt.Sprintf("sys/fs/cgroup/kube.slice/pod%05d/", i)
		for _, f := range []string{"cpu.stat", "memory.current", "memory.max", "io.stat", "pids.current",
			"cpu.pressure"} {
			root.Set(dir+f, root.entries["sys/fs/cgroup/system.slice/"+f].text)
		}
	}
}

func TestThousandsOfControlGroups(t *testing.T) {
	root := fixtures(t, "small.txtar", "groups.txtar")
	groups(root, 5000)
	r := newRig(t, root, nil)
	for range 2 {
		o := r.object(titleControlGroup)
		if n := len(o.instances); n != 5000+1+4 {
			t.Fatalf("%d groups", n)
		}
		o.check(t, "/kube.slice/pod04999", raws{6: 40000, titleMemory: 1 << 20, titleTasks: 17,
			titleMemoryLimit: missing})
		if n := root.Handles(); n > 512 {
			t.Errorf("%d files are open", n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.d.Collect(ctx, provider.ParseQuery(fmt.Sprint(titleControlGroup)),
		nil); !errors.Is(err, context.Canceled) {
		t.Errorf("collect after cancel: %v", err)
	}
}

// TestControlGroupFiles: only what a wanted counter needs is read.
func TestControlGroupFiles(t *testing.T) {
	root := newTouched(fixtures(t, "small.txtar", "groups.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.object(2)
	clear(root.files)
	r.askFor(&provider.Query{Objects: []uint32{titleControlGroup},
		Counters: map[uint32][]uint32{titleControlGroup: {titleMemory, 6}}})
	for name, n := range root.files {
		if !strings.HasSuffix(name, "/cpu.stat") && !strings.HasSuffix(name, "/memory.current") || n != 1 {
			t.Errorf("%s is read %d times", name, n)
		}
	}
	if len(root.files) != 3+2 {
		t.Errorf("%d files are read", len(root.files))
	}
}

// TestNoControlGroups: without a tree the object is not there; a directory of
// another use is no tree.
func TestNoControlGroups(t *testing.T) {
	root := fixture(t, "small.txtar")
	root.Set("sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n")
	if b := newRig(t, root, nil).ask("Global"); b[titleControlGroup] != nil {
		t.Errorf("groups %q", b[titleControlGroup].names())
	}
}
