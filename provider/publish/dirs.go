package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Environment is the environment variable that names the directories for
// published files, separated as in PATH.
const Environment = "WINPERF_PUBLISH"

// directory is where published files may be.
type directory struct {
	path string
	// private ones count only if they are the user's own, and nobody else may
	// write to them.
	private bool
	shared  bool // more than one user's, and made by an administrator
}

func chooseDirs() []directory {
	if list := os.Getenv(Environment); list != "" {
		return givenDirs(filepath.SplitList(list))
	}
	return systemDirs()
}

// givenDirs are directories that a user named.
func givenDirs(paths []string) []directory {
	var dirs []directory
	for _, p := range paths {
		if p != "" {
			dirs = append(dirs, directory{path: p})
		}
	}
	return dirs
}

// prepare makes sure that the directory can take files.
func (d directory) prepare() error {
	if err := makeDirectory(d); err != nil {
		return err
	}
	_, err := d.check()
	return err
}

// check returns what the system says about the directory, or why nothing in it counts.
func (d directory) check() (fs.FileInfo, error) {
	info, err := os.Lstat(d.path)
	if !d.private && err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(d.path)
	}

	switch {
	case err != nil:
		return nil, err
	case d.private && ownerOf(info) != int64(os.Geteuid()):
		return nil, fmt.Errorf("%s belongs to another user: %w", d.path, errOthers)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory: %w", d.path, fs.ErrInvalid)
	case d.private && !isPrivate(info):
		return nil, fmt.Errorf("others may write to %s (chmod go-w): %w", d.path, fs.ErrPermission)
	case info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 && ownerOf(info) >= 0:
		const message = "other accounts may remove files from %s (chmod +t; or chmod go-w where " +
			"only its owner publishes): %w"
		return nil, fmt.Errorf(message, d.path, fs.ErrPermission)
	}
	return info, nil
}

// errOthers is wrapped by the error about a private directory that another account has
// made.
var errOthers = fmt.Errorf("what it holds is ignored: %w", fs.ErrPermission)

// absent reports whether an error only says that there is no such directory or file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
