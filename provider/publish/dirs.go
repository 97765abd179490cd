package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Environment is the name of the environment variable that lists the directories for published files,
// separated as in PATH.
const Environment = "WINPERF_PUBLISH"

type directory struct {
	path string
	// A private directory is used only if it belongs to this user and no other account may write to it.
	private bool
	shared  bool
}

func chooseDirs() []directory {
	if list := os.Getenv(Environment); list != "" {
		return configuredDirs(filepath.SplitList(list))
	}
	return systemDirs()
}

func configuredDirs(paths []string) []directory {
	var dirs []directory
	for _, p := range paths {
		if p != "" {
			dirs = append(dirs, directory{path: p})
		}
	}
	return dirs
}

func (d directory) prepare() error {
	if err := makeDirectory(d); err != nil {
		return err
	}
	_, err := d.check()
	return err
}

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

// Check returns the problems for which a [Reader] ignores a directory for published counters, or
// [PublishersFile], or a line of that file. A missing directory or file is not a problem. Check reads no
// published files and changes nothing.
func Check() (problems []error) {
	for _, d := range chooseDirs() {
		if _, err := d.check(); err != nil && !absent(err) {
			problems = append(problems, err)
		}
	}
	t := trust{path: PublishersFile, own: int64(os.Geteuid())}
	t.refresh()
	return append(problems, t.wrong...)
}

// errOthers is wrapped by the error about a private directory that belongs to another account.
var errOthers = fmt.Errorf("its content is ignored: %w", fs.ErrPermission)

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
