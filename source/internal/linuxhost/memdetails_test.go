package linuxhost

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

func TestMemoryDetails(t *testing.T) {
	root := fixtures(t, "small.txtar", "details.txtar")
	// As the kernel answers for a kernel thread.
	root.Fail("proc/2/smaps_rollup", fs.ErrNotExist)
	r := newRig(t, root, nil)
	o := r.ask("Costly")[titleMemoryDetails]
	if diff := cmp.Diff([]string{"_Total", "systemd", "[sd-pam]"}, o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "systemd", raws{
		titleProportional: 8000 * kib, titleProportionalAnonymous: 4000 * kib,
		titleProportionalFile: 3900 * kib, titleProportionalShared: 100 * kib,
		titlePrivateClean: 900 * kib, titlePrivateDirty: 5000 * kib, titleSharedClean: 6000 * kib,
		titleSharedDirty: kib,
		titleSwap:        100 * kib, titleSwapProportional: 60 * kib, titleLocked: 7 * kib, 784: 1,
		684: fileTimeBoot + 10*tick,
	})
	o.check(t, "[sd-pam]", raws{titleProportional: 1000 * kib, titlePrivateDirty: 300 * kib,
		titlePrivateClean: missing, 784: 300})
	o.check(t, "_Total", raws{titleProportional: 9000 * kib, titlePrivateClean: 900 * kib, 784: 0,
		684: o.time})
	if b := r.ask("Global"); b[titleMemoryDetails] != nil {
		t.Error("the object is in a sample of all that is not costly")
	}
}

// TestMemoryDetailsClosed: a process whose memory may not be looked at has no
// values, and stays an instance.
func TestMemoryDetailsClosed(t *testing.T) {
	root := fixtures(t, "small.txtar", "details.txtar")
	root.Fail("proc/300/smaps_rollup", fs.ErrPermission)
	r := newRig(t, root, nil)
	o := r.object(titleMemoryDetails)
	o.check(t, "[sd-pam]", raws{titleProportional: denied, titlePrivateDirty: denied, 784: 300})
	o.check(t, "_Total", raws{titleProportional: denied, 784: 0})
	root.Fail("proc/1/smaps_rollup", fs.ErrPermission)
	r.object(titleMemoryDetails).check(t, "_Total",
		raws{titleProportional: denied, titlePrivateDirty: denied})
}

// TestMemoryDetailsEnds ends a process between its files, and leaves another
// one waiting for its parent.
func TestMemoryDetailsEnds(t *testing.T) {
	root := fixtures(t, "small.txtar", "details.txtar")
	v := &vanishing{root, map[string]func(){}, map[string]func(){}, map[Handle]string{0: ""}}
	r := newRig(t, root, func(s *System) { s.Root = onlyRoot(v) })
	r.object(titleMemoryDetails)
	v.reads["proc/300/smaps_rollup"] = func() {
		delete(v.reads, "proc/300/smaps_rollup")
		root.Fail("proc/300/smaps_rollup", fs.ErrNotExist)
		root.Set("proc/300/stat", "300 ((sd-pam)) Z 1 300 300 0 -1 64 60 0 0 0 2 4 0 0 20 0 1 0 2500 0 0 0\n")
	}
	o := r.object(titleMemoryDetails)
	if diff := cmp.Diff([]string{"_Total", "systemd"}, o.names()); diff != "" {
		t.Error(diff)
	}
	root.End(1)
	if diff := cmp.Diff([]string{"_Total"}, r.object(titleMemoryDetails).names()); diff != "" {
		t.Error(diff)
	}
}

// TestMemoryDetailsOnRequest: nothing is read of any process's memory unless a
// counter of it is wanted.
func TestMemoryDetailsOnRequest(t *testing.T) {
	root := newTouched(fixtures(t, "small.txtar", "details.txtar"))
	r := newRig(t, root.MapRoot, func(s *System) { s.Root = onlyRoot(root) })
	r.object(230)
	clear(root.files)
	r.askFor(&provider.Query{Objects: []uint32{titleMemoryDetails},
		Counters: map[uint32][]uint32{titleMemoryDetails: {784}}})
	r.ask("Global")
	if n := root.files["proc/N/smaps_rollup"]; n != 0 {
		t.Errorf("smaps_rollup was read %d times", n)
	}
	r.object(titleMemoryDetails)
	if n := root.files["proc/N/smaps_rollup"]; n != 2 {
		t.Errorf("smaps_rollup was read %d times, want once for each process with memory", n)
	}
}
