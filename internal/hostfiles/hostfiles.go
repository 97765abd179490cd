// Package hostfiles finds the files of a Linux machine, whose directories /, /proc and /sys may be mounted
// elsewhere, as in a container.
package hostfiles

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/winperf/winperf"
)

// Files are the files of a Linux machine. They do not change.
type Files struct {
	root, proc, sys string // absolute paths
	net             string // directory of the machine's network counters
	copied          bool   // proc is a copy: ordinary files
	hasInit         bool   // the list of mounts of process 1 can be read
}

// Open returns the files below directories; the zero value means /, /proc and /sys. Directories that are
// not given are below the root. It returns an error if one of them is no directory; only sys may be missing
// below the root.
func Open(at winperf.HostFiles) (*Files, error) {
	f := &Files{root: "/", proc: "/proc", sys: "/sys", net: "/proc/net"}
	if at == (winperf.HostFiles{}) {
		return f, nil
	}

	for _, d := range []struct {
		name, given, below string
		to                 *string
	}{{"root", at.Root, "", &f.root}, {"procfs", at.Proc, "proc", &f.proc}, {"sysfs", at.Sys, "sys", &f.sys}} {
		path := d.given
		if path == "" {
			path = filepath.Join(f.root, d.below)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if err := checkDirectory(path); err != nil && (d.given != "" || d.name != "sysfs") {
			return nil, fmt.Errorf("%s %s: %w", d.name, path, err)
		}
		*d.to = path
	}
	f.look()
	return f, nil
}

func checkDirectory(path string) error {
	is, err := os.Stat(path)
	switch {
	case err != nil:
		var of *os.PathError
		if errors.As(err, &of) { // the caller names the path
			return of.Err
		}
		return err
	case !is.IsDir():
		return errors.New("not a directory")
	}
	return nil
}

// look finds the files that belong to a process. In another machine's /proc, self is this program, in the
// network and with the mounts of its container; process 1 is the machine's.
func (f *Files) look() {
	f.net = filepath.Join(f.proc, "net")
	is, err := os.Lstat(f.net)
	f.copied = err != nil || is.Mode()&os.ModeSymlink == 0
	if f.proc == "/proc" {
		return
	}

	if !f.copied {
		f.net = filepath.Join(f.proc, "1", "net")
	}
	if file, err := os.Open(filepath.Join(f.proc, "1", "mountinfo")); err == nil {
		_, err = file.Read(make([]byte, 1)) // the right to read is checked here
		f.hasInit = err == nil
		_ = file.Close()
	}
}

// Split returns the directory of a file, such as "proc/stat", and its name in it.
func (f *Files) Split(name string) (directory, rest string) {
	if rest, ok := strings.CutPrefix(name, "proc/"); ok {
		if inNet, ok := strings.CutPrefix(rest, "net/"); ok {
			return f.net, inNet
		}
		return f.proc, rest
	}
	if rest, ok := strings.CutPrefix(name, "sys/"); ok {
		return f.sys, rest
	}
	if name == "proc" {
		return f.proc, "."
	}
	return f.root, name
}

// Path returns the path of a file such as "proc/stat".
func (f *Files) Path(name string) string {
	directory, rest := f.Split(name)
	return filepath.Join(directory, rest)
}

// Root returns the directory in which the machine's file systems are mounted.
func (f *Files) Root() string { return f.root }

// Foreign reports whether the files are of another machine, or of this one as seen from a container.
func (f *Files) Foreign() bool { return f.root != "/" || f.proc != "/proc" || f.sys != "/sys" }

// Mounts returns the name of the machine's list of mounts, in the form of mountinfo or, with that name, of
// mounts. The mount points begin with below, which is not a part of their names on the machine.
func (f *Files) Mounts(file string) (name, below string) {
	switch {
	case f.hasInit:
		return "proc/1/" + file, ""
	case f.copied || f.root == "/":
		return "proc/self/" + file, ""
	}
	return "proc/self/" + file, f.root
}

// Open opens a file such as "etc/passwd". Links in another machine's file system that lead out of it are
// errors.
func (f *Files) Open(name string) (*os.File, error) {
	directory, rest := f.Split(name)
	if directory == f.root && f.root != "/" {
		return os.OpenInRoot(f.root, rest)
	}
	return os.Open(filepath.Join(directory, rest))
}

// Text returns the contents of a file, at most 1 MB, without white space at its ends, or "".
func (f *Files) Text(name string) string {
	file, err := f.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()

	b, err := io.ReadAll(io.LimitReader(file, 1<<20))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Hostname returns the machine's name. In a container the kernel returns the container's name, so the name
// of another machine is read from its file etc/hostname.
func (f *Files) Hostname() (string, error) {
	if f.Foreign() {
		name := ""
		if f.copied {
			name = f.Text("proc/sys/kernel/hostname")
		}
		if name == "" && f.root != "/" {
			name = f.Text("etc/hostname")
		}
		if name != "" {
			return name, nil
		}
	}
	return os.Hostname()
}

// Below returns a path without the directory above it, such as "/boot" for "/host/boot" below "/host", and
// reports whether it is there.
func Below(path, directory string) (string, bool) {
	if path == directory {
		return "/", true
	}
	rest, ok := strings.CutPrefix(path, directory)
	return rest, ok && (rest == "" || rest[0] == '/')
}
