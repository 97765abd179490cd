package live

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/winperf/winperf"
)

var factNames = []string{factUser, factGroup, factCommand}

// factReader returns a reader of the files in /proc/PID.
func factReader(files winperf.HostFiles) func(pid uint64) map[string]string {
	users := map[uint32]string{}
	proc := cmp.Or(files.Proc, filepath.Join("/", files.Root, "proc"))
	return func(pid uint64) map[string]string {
		dir := filepath.Join(proc, strconv.FormatUint(pid, 10))
		var state syscall.Stat_t
		if syscall.Stat(dir, &state) != nil {
			return nil
		}
		if _, known := users[state.Uid]; !known {
			id := strconv.FormatUint(uint64(state.Uid), 10)
			users[state.Uid] = id
			if u, err := user.LookupId(id); err == nil {
				users[state.Uid] = u.Username
			}
		}

		command := bytes.TrimRight(head(filepath.Join(dir, "cmdline")), "\x00")
		return map[string]string{
			factUser:    users[state.Uid],
			factGroup:   controlGroup(string(head(filepath.Join(dir, "cgroup")))),
			factCommand: string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})),
		}
	}
}

// head returns the first bytes of a file.
func head(name string) []byte {
	const most = 4096
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most)) // the process may end
	return text
}

// controlGroup returns the path in a text of /proc/PID/cgroup: of version 2, otherwise of the first
// controller that is not in the root group.
func controlGroup(text string) (path string) {
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) == 3 && (path == "" || path == "/" || parts[1] == "" && parts[2] != "/") {
			path = parts[2]
		}
	}
	return path
}
