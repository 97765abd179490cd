package perftest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Sys returns a copy of this machine's /sys, made of links, in which systemd has a service and each
// interface a bandwidth of 1 Gbit/s.
func Sys(t testing.TB) string {
	t.Helper()
	sys := t.TempDir()
	linkAll(t, "/sys", sys, "class", "fs")
	linkAll(t, "/sys/class", filepath.Join(sys, "class"), "net")
	interfaces, err := os.ReadDir("/sys/class/net")
	if err != nil {
		t.Skip("no /sys/class/net")
	}

	for _, i := range interfaces {
		directory := filepath.Join(sys, "class/net", i.Name())
		linkAll(t, filepath.Join("/sys/class/net", i.Name()), directory, "speed")
		write(t, filepath.Join(directory, "speed"), "1000\n")
	}
	write(t, filepath.Join(sys, "fs/cgroup/system.slice/ssh.service/cgroup.procs"), "")
	return sys
}

// linkAll makes a directory with links to the entries of another one, except the named ones. It makes
// nothing for a file.
func linkAll(t testing.TB, from, to string, except ...string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		return
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains(except, e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
