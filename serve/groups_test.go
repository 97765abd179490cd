package serve

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/serve/internal/hostfacts"
	"github.com/winperf/winperf/sink/metrics"
	"github.com/winperf/winperf/source"
)

// TestImpossibleGroups: groups that a source has no values for are an error.
func TestImpossibleGroups(t *testing.T) {
	for by, want := range map[metrics.GroupBy]string{
		metrics.ByName: "",
		metrics.ByUser: "process_groups: user: this source has no owners of processes; group by name",
		metrics.ByControlGroup: "process_groups: control_group: this source has no control groups of processes; " +
			"group by name",
	} {
		src := &fake{t: t}
		e, err := New(t.Context(), src, Options{Config: Config{Groups: &metrics.Grouping{By: by}}})
		got := ""
		if err != nil {
			got = err.Error()
		} else if err := e.Close(); err != nil {
			t.Error(err)
		}
		if got != want {
			t.Errorf("%v: %q, want %q", by, got, want)
		}
	}
}

// TestLiveControlGroups: this process is in the group of its control group.
func TestLiveControlGroups(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has control groups")
	}
	own := hostfacts.ControlGroupsFor(winperf.Description{})(uint64(os.Getpid()))
	if own == "" {
		t.Skip("no control groups")
	}
	src, err := source.Open(t.Context(), "local:")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	e, err := New(t.Context(), src, Options{Config: Config{Groups: &metrics.Grouping{By: metrics.ByControlGroup}}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	_, text := scrape(e, "/metrics")
	if strings.Count(text, "\nwinperf_process_group_processes{") > 50 {
		t.Skip("this process may be in the group other")
	}
	n, err := strconv.Atoi(value(text, "winperf_process_group_processes{group="+strconv.Quote(own)+"}"))
	if err != nil || n < 1 {
		t.Errorf("group %s: %d processes, %v", own, n, err)
	}
}
