//go:build unix

package queuedir

import (
	"fmt"
	"os"
	"syscall"
)

// makeDirectory makes a directory that only this account can use.
func makeDirectory(path string) error { return os.MkdirAll(path, 0o700) }

// foreign returns why other accounts have a say in a directory, "" if they have none.
func foreign(dir *os.File) string {
	info, err := dir.Stat()
	if err != nil {
		return fmt.Sprintf("has no known owner: %v", err)
	}
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
