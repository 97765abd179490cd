package verify

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// System returns facts about this machine that matter for its counters, and the versions of the programs.
func System(ctx context.Context, version string) map[string]string {
	const limit = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	facts := map[string]string{
		"winperf": version, "processors": strconv.Itoa(runtime.NumCPU()),
		"page size": strconv.Itoa(os.Getpagesize()),
	}
	add := func(name string, command ...string) {
		if text, err := output(ctx, command[0], command[1:]...); err == nil {
			facts[name], _, _ = strings.Cut(strings.TrimSpace(text), "\n")
		}
	}

	switch runtime.GOOS {
	case "linux":
		release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
		facts["kernel"] = strings.TrimSpace(string(release))
		for _, t := range tools {
			if path, err := exec.LookPath(t.command[0]); err == nil {
				add(t.command[0], path, "-V")
			}
		}
	case "windows":
		add("windows", systemProgram("cmd"), "/c", "ver")
	}
	return facts
}
