package hostfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"errors"

	"github.com/winperf/winperf"
)

// tree makes files, and links for texts that begin with "-> ", in a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if len(text) > 3 && text[:3] == "-> " {
			err = os.Symlink(text[3:], path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func open(t *testing.T, at winperf.HostFiles) *Files {
	t.Helper()
	f, err := Open(at)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPaths: files are found below the directories that were given.
func TestPaths(t *testing.T) {
	host := tree(t, map[string]string{
		"proc/net": "-> self/net", "proc/self/net/dev": "own", "proc/1/net/dev": "host", "proc/1/mountinfo": "host",
		"sys/x": "", "copy/net/dev": "copied",
	})
	for name, c := range map[string]struct {
		at     winperf.HostFiles
		paths  map[string]string
		mounts string
		below  string
	}{
		"this machine": {
			winperf.HostFiles{},
			map[string]string{"proc": "/proc", "proc/stat": "/proc/stat", "proc/net/dev": "/proc/net/dev", "sys/x": "/sys/x", "etc/x": "/etc/x"},
			"proc/self/mountinfo", "",
		},
		"a machine below a directory": {
			winperf.HostFiles{Root: host + "/"},
			map[string]string{
				"proc": host + "/proc", "proc/stat": host + "/proc/stat", "proc/net/dev": host + "/proc/1/net/dev",
				"sys/x": host + "/sys/x", "etc/x": host + "/etc/x", "process": host + "/process",
			},
			"proc/1/mountinfo", "",
		},
		"only proc": {
			winperf.HostFiles{Proc: host + "/proc"},
			map[string]string{"proc/stat": host + "/proc/stat", "sys/x": "/sys/x", "etc/x": "/etc/x"},
			"proc/1/mountinfo", "",
		},
		"a copy": {
			winperf.HostFiles{Root: host, Proc: host + "/copy"},
			map[string]string{"proc/net/dev": host + "/copy/net/dev", "sys/x": host + "/sys/x"},
			"proc/self/mountinfo", "",
		},
		"only the root": {
			winperf.HostFiles{Root: host, Proc: "/proc", Sys: "/sys"},
			map[string]string{"proc/net/dev": "/proc/net/dev", "etc/x": host + "/etc/x"},
			"proc/self/mountinfo", host,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.at)
			for file, want := range c.paths {
				if got := f.Path(file); got != want {
					t.Errorf("%s is %s, want %s", file, got, want)
				}
			}
			if mounts, below := f.Mounts("mountinfo"); mounts != c.mounts || below != c.below {
				t.Errorf("mounts are in %s below %q, want %s below %q", mounts, below, c.mounts, c.below)
			}
			if f.Foreign() != (c.at != winperf.HostFiles{}) {
				t.Errorf("foreign: %v", f.Foreign())
			}
		})
	}
}

// TestOpenRefuses: directories that are missing are errors that name them.
func TestOpenRefuses(t *testing.T) {
	root := tree(t, map[string]string{"file": "", "proc/stat": ""})
	for want, at := range map[string]winperf.HostFiles{
		"root " + root + "/none: no such file or directory":  {Root: root + "/none"},
		"root " + root + "/file: not a directory":            {Root: root + "/file"},
		"procfs " + root + "/sys: no such file or directory": {Proc: root + "/sys"},
		"sysfs " + root + "/sys: no such file or directory":  {Root: root, Sys: root + "/sys"},
	} {
		if _, err := Open(at); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := Open(winperf.HostFiles{Root: root}); err != nil {
		t.Errorf("without sys below the root: %v", err)
	}
	if _, err := Open(winperf.HostFiles{Root: root + "/none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestLinks: links in the machine's file system do not lead to files of this one.
func TestLinks(t *testing.T) {
	outside := tree(t, map[string]string{"secret": "secret"})
	root := tree(t, map[string]string{
		"proc/stat": "", "etc/absolute": "-> " + outside + "/secret", "etc/up": "-> ../../../../../../../../etc/passwd",
		"etc/inside": "-> ../usr/file", "usr/file": "text\n",
	})
	f := open(t, winperf.HostFiles{Root: root})
	for name, want := range map[string]string{"etc/absolute": "", "etc/up": "", "etc/inside": "text"} {
		if got := f.Text(name); got != want {
			t.Errorf("%s has the text %q, want %q", name, got, want)
		}
	}
}

// TestHostname: a machine that is mounted here has its own name, not the one of the container.
func TestHostname(t *testing.T) {
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"mounted":      {map[string]string{"proc/net": "-> self/net", "proc/sys/kernel/hostname": "here\n", "etc/hostname": "host\n"}, "host"},
		"copied":       {map[string]string{"proc/sys/kernel/hostname": "copied\n", "etc/hostname": "host\n"}, "copied"},
		"without name": {map[string]string{"proc/stat": ""}, here},
	} {
		if got, err := open(t, winperf.HostFiles{Root: tree(t, c.files)}).Hostname(); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	if got, err := open(t, winperf.HostFiles{}).Hostname(); err != nil || got != here {
		t.Errorf("this machine: %q, %v", got, err)
	}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		path, want string
		ok         bool
	}{
		{"/host", "/", true}, {"/host/boot", "/boot", true}, {"/hosts", "", false}, {"/", "", false}, {"/boot", "", false},
	} {
		if got, ok := Below(c.path, "/host"); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %q, %v", c.path, got, ok)
		}
	}
}
