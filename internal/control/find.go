package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winperf/winperf/internal/sorted"
	"github.com/winperf/winperf/internal/suggest"
)

// Environment is the environment variable that names the directory for sockets.
const Environment = "WINPERF_EXPERIMENTS"

const suffix = ".sock"

// ErrNobody is the error of Find if no program listens.
var ErrNobody = fmt.Errorf("%w of this account accepts experiments; see winperf help experiment",
	ErrNoProgram)

// ErrNoProgram is wrapped by the error of Find unless exactly one program matches.
var ErrNoProgram = errors.New("no program")

// Dir returns the directory of this user's sockets: the directory in Environment, else
// winperf-experiments in $XDG_RUNTIME_DIR, else winperf-experiments-UID in the directory
// for temporary files; on Windows winperf\experiments in %LocalAppData%.
func Dir() (string, error) {
	if dir := os.Getenv(Environment); dir != "" {
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserCacheDir()
		return filepath.Join(dir, "winperf", "experiments"), err
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "winperf-experiments"), nil
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("winperf-experiments-%d", os.Geteuid())), nil
}

// checkDir checks that other users cannot add or remove sockets in a directory.
func checkDir(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory, or a link: expected a directory for sockets", dir)
	case runtime.GOOS == "windows":
		return nil // it inherits the rights of the user's directory
	case ownerOf(info) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user: %w", dir, os.ErrPermission)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to %s (chmod go-w): %w", dir, os.ErrPermission)
	}
	return nil
}

// Program is a listening program.
type Program struct {
	Name string
	PID  int
	Path string // of its socket
}

func socketName(name string, pid int) string {
	return fmt.Sprintf("%s.%d%s", fileName(name), pid, suffix)
}

func fileName(name string) string {
	safe := func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}
	const longest = 32 // a socket's path is 107 bytes at most
	name = strings.Map(safe, name)
	return name[:min(len(name), longest)]
}

func parseSocket(file string) (name string, pid int, ok bool) {
	stem, ok := strings.CutSuffix(file, suffix)
	dot := strings.LastIndexByte(stem, '.')
	if !ok || dot < 1 {
		return "", 0, false
	}
	pid, err := strconv.Atoi(stem[dot+1:])
	return stem[:dot], pid, err == nil && pid > 0
}

// Programs returns the programs that listen in a directory, sorted by name and process id;
// "" means the directory of Dir. It removes the sockets of ended programs. If the directory
// does not exist, the result and the error are nil. The error wraps os.ErrPermission if
// other users may add or remove sockets there. If ctx ends, programs may be missing,
// without an error.
func Programs(ctx context.Context, dir string) ([]Program, error) {
	if dir == "" {
		var err error
		if dir, err = Dir(); err != nil {
			return nil, err
		}
	}
	if err := checkDir(dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}

	var found []Program
	for _, f := range files {
		name, pid, ok := parseSocket(f.Name())
		p := Program{name, pid, filepath.Join(dir, f.Name())}
		if ok && isSocket(f.Type()) && p.listens(ctx) {
			found = append(found, p)
		}
	}
	sorted.Func(found, func(a, b Program) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return a.PID - b.PID
	})
	return found, nil
}

// isSocket reports whether a file may be a socket. On Windows this is uncertain.
func isSocket(kind fs.FileMode) bool {
	if runtime.GOOS == "windows" {
		return kind&(fs.ModeDir|fs.ModeSymlink) == 0
	}
	return kind&fs.ModeType == fs.ModeSocket
}

// listens reports whether a program listens at the socket, or may listen although the
// connection failed. It removes the socket of an ended program.
func (p *Program) listens(ctx context.Context) bool {
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "unix", p.Path)
	if err == nil {
		_ = conn.Close() // nothing was sent
		return true
	}
	if noListener(err) && !isAlive(p.PID) {
		_ = os.Remove(p.Path) // another program may have removed it
		return false
	}
	return !noListener(err) && ctx.Err() == nil
}

// Find returns the program with a process id or a unique name; "" means the only program.
// The error wraps ErrNoProgram unless exactly one program matches. Other errors are the
// errors of Programs.
func Find(ctx context.Context, dir, text string) (Program, error) {
	all, err := Programs(ctx, dir)
	if err != nil {
		return Program{}, err
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(p Program) bool {
		return text != "" && !strings.EqualFold(p.Name, fileName(text)) && strconv.Itoa(p.PID) != text
	})
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(all) == 0:
		return Program{}, ErrNobody
	case len(fit) > 1:
		reason := "with a unique name"
		if text == "" {
			reason = "named, but several accept experiments"
		}
		var pids []string
		for _, p := range fit {
			pids = append(pids, fmt.Sprintf("%s %d", p.Name, p.PID))
		}
		return Program{}, fmt.Errorf("%w %s: %s; name one by its process id",
			ErrNoProgram, reason, strings.Join(pids, ", "))
	}

	names := func(yield func(string) bool) {
		for _, p := range all {
			if !yield(p.Name) {
				return
			}
		}
	}
	meant := DidYouMean(suggest.Closest(text, names))
	if meant == "" {
		meant = "; winperf experiment list shows the programs"
	}
	return Program{}, fmt.Errorf("%w %q accepts experiments%s", ErrNoProgram, text, meant)
}
