package hostfacts

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/winperf/winperf"
	"github.com/winperf/winperf/sink/metrics"
)

// TestCommandLines: each process has the text of its own file, the first 4,096 bytes; without one it has none.
func TestCommandLines(t *testing.T) {
	root := t.TempDir()
	proc := filepath.Join(root, "proc")
	if err := os.Mkdir(proc, 0o700); err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{"7": "nginx\x00-g\x00x y\x00", "8": "", "9": strings.Repeat("ab\x00", 9999)} {
		if err := os.Mkdir(filepath.Join(proc, id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, id, "cmdline"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line := commandLines(winperf.HostFiles{Root: root})
	for id, want := range map[uint64]string{
		7: "nginx -g x y", 8: "", 9: strings.Repeat("ab ", 341) + "a", 10: "",
	} {
		if got := line(id); got != want {
			t.Errorf("process %d: %q, want %q", id, got, want)
		}
	}
	if own := commandLines(winperf.HostFiles{})(uint64(os.Getpid())); !strings.HasPrefix(own, os.Args[0]) {
		t.Errorf("this process: %q", own)
	}
}

// TestLinux reads the facts of a machine that is files.
func TestLinux(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"etc/os-release":                 "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
		"proc/sys/kernel/osrelease":      "6.1.0-18-amd64\n",
		"proc/sys/kernel/hostname":       "web1.example.org\n",
		"proc/sys/kernel/pid_max":        "4194304\n",
		"proc/meminfo":                   "MemTotal:       16384256 kB\nMemFree: 1 kB\n",
		"proc/stat":                      "cpu 1 2\nbtime 1700000000\n",
		"sys/devices/system/cpu/online":  "0-3,8\n",
		"usr/share/zoneinfo/Europe/Bern": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/usr/share/zoneinfo/Europe/Bern", filepath.Join(root, "etc/localtime")); err != nil {
		t.Fatal(err)
	}

	var got metrics.Facts
	read(&got, winperf.HostFiles{Root: root})
	want := metrics.Facts{
		Hostname: "web1.example.org",
		Product:  "Debian GNU/Linux 12 (bookworm)", Version: "6.1.0-18-amd64", Major: "6", Minor: "1",
		Boot:              time.Unix(1700000000, 0).UTC(),
		PhysicalMemory:    16384256 * 1024,
		LogicalProcessors: 5,
		ProcessLimit:      4194304,
		TimeZone:          "Europe/Bern",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// A system that tells nothing gives nothing, but for the name and the processors of this program.
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	got = metrics.Facts{}
	read(&got, winperf.HostFiles{Root: root})
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(metrics.Facts{Hostname: name, LogicalProcessors: runtime.NumCPU()}, got); diff != "" {
		t.Errorf("empty (-want +got):\n%s", diff)
	}
}

// TestZone: the zone is the file that the link names, and else the name that Debian keeps.
func TestZone(t *testing.T) {
	for target, want := range map[string]string{
		"../usr/share/zoneinfo/Asia/Tokyo":     "Asia/Tokyo",
		"/usr/share/zoneinfo/posix/Asia/Tokyo": "posix/Asia/Tokyo",
		"/data/localtime":                      "Europe/Bern", // a link that is none to the database
		"":                                     "Europe/Bern", // no link
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "etc"), 0o755); err != nil {
			t.Fatal(err)
		}
		if target != "" {
			if err := os.Symlink(target, filepath.Join(root, "etc/localtime")); err != nil {
				t.Fatal(err)
			}
		}
		if got := zone(root, "Europe/Bern"); got != want {
			t.Errorf("link to %q: zone %q, want %q", target, got, want)
		}
	}
}
