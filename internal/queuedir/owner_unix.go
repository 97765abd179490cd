//go:build unix

package queuedir

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// foreign returns why other accounts have a say in a directory, "" if they have none.
func foreign(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "has no known owner"
	case int(stat.Uid) != os.Geteuid():
		return fmt.Sprintf("belongs to the account %d", stat.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("can be written by other accounts (mode %v)", info.Mode().Perm())
	}
	return ""
}
