package live

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/winperf/winperf"
)

// TestFactReader reads the facts of a process in the files of another machine.
func TestFactReader(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "proc", "7")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"cmdline": "sh\x00-c\x00a b\x00", "cgroup": "1:name=x:/\n0::/user.slice\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	me := fmt.Sprint(os.Getuid())
	if u, err := user.LookupId(me); err == nil {
		me = u.Username
	}
	read := factReader(winperf.HostFiles{Root: root})
	got := read(7)
	for name, want := range map[string]string{factUser: me, factGroup: "/user.slice", factCommand: "sh -c a b"} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	if got := read(8); got != nil {
		t.Errorf("a process that does not exist: %q", got)
	}
}

func TestControlGroup(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"0::/\n":                            "/",
		"0::/a/b:c\n":                       "/a/b:c",
		"5:cpu:/docker/1\n0::/\n":           "/docker/1",
		"5:cpu:/\n4:memory:/docker/1\n":     "/docker/1",
		"5:cpu:/docker/1\n0::/user.slice\n": "/user.slice",
	} {
		if got := controlGroup(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFacts requests the facts of a process once in ten seconds.
func TestFacts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, changes := 0, 0
		f := &facts{
			read:    func(pid uint64) map[string]string { reads++; return map[string]string{factUser: fmt.Sprint(pid)} },
			changed: func() { changes++ },
			wanted:  make(chan uint64, 1), known: map[uint64]known{},
		}
		go f.run(t.Context())
		if got := f.of(3); got != nil {
			t.Errorf("before it was read: %q", got)
		}
		synctest.Wait()
		for range 2 {
			if got := f.of(3)[factUser]; got != "3" {
				t.Errorf("%q", got)
			}
		}
		synctest.Wait()
		if reads != 1 || changes != 1 {
			t.Errorf("%d reads, %d changes", reads, changes)
		}
	})
}
