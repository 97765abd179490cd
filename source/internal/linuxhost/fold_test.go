package linuxhost

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf/provider"
)

// TestFoldedKernelThreads: one instance stands for all threads of the
// kernel's own, and does not fall when one of them ends.
func TestFoldedKernelThreads(t *testing.T) {
	r := threadRig(t, func(s *System) { s.FoldKernelThreads = true })
	stat := r.root.entries["proc/11/stat"].text
	o := r.object(230)
	if diff := cmp.Diff([]string{"Idle", "_Total", "System", "systemd", "[sd-pam]", "a] b [c"},
		o.names()); diff != "" {
		t.Error(diff)
	}
	o.check(t, "System", raws{784: 2, 684: fileTimeBoot + 10*tick, 680: 2, 144: 4 * tick, 180: 0,
		186: missing, titlePriority: missing})
	total, _ := o.value("_Total", 144)

	r.root.Set("proc/11/stat", strings.Replace(stat, " 3 0 0 20 ", " 8 0 0 20 ", 1))
	o = r.object(230)
	o.check(t, "System", raws{144: 9 * tick})
	o.check(t, "_Total", raws{144: int64(total) + 5*tick})

	r.root.End(11)
	o = r.object(230)
	o.check(t, "System", raws{144: 9 * tick, 680: 1})
	o.check(t, "_Total", raws{144: int64(total) + 5*tick})

	// An ordinary process takes the id.
	r.root.Set("proc/11/stat", pidStat(11, "next", 1, 500))
	for _, name := range []string{"statm", "status", "io", "schedstat", "fd"} {
		r.root.Set("proc/11/"+name, "")
	}
	o = r.object(230)
	o.check(t, "next", raws{784: 11})
	o.check(t, "System", raws{680: 1})
}

// TestFoldedParents: the threads of folded processes have System for a parent.
func TestFoldedParents(t *testing.T) {
	r := threadRig(t, func(s *System) { s.FoldKernelThreads = true })
	want := []string{
		"_Total/_Total", "systemd/1", "System/2", "System/11", "[sd-pam]/300", "[sd-pam]/302", "a] b [c/4000",
		"a] b [c/4001",
	}
	if diff := cmp.Diff(want, r.withParents(provider.ParseQuery("232"), 232)); diff != "" {
		t.Error(diff)
	}
}

// TestNothingToFold: in a container there is no kernel thread to be seen.
func TestNothingToFold(t *testing.T) {
	root := fixture(t, "small.txtar")
	root.End(2)
	root.End(11)
	r := newRig(t, root, func(s *System) { s.FoldKernelThreads = true })
	if diff := cmp.Diff([]string{"Idle", "_Total", "systemd", "[sd-pam]", "a] b [c"},
		r.object(230).names()); diff != "" {
		t.Error(diff)
	}
}
