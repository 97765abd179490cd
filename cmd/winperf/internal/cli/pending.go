package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/winperf/winperf/internal/logs"
)

// replacesOpen reports whether a file can be replaced while it is open.
const replacesOpen = runtime.GOOS == "linux" || runtime.GOOS == "darwin"

// pendingFile is a file that appears under its name when it is complete, and
// until then is another one beside it.
type pendingFile struct {
	*os.File
	target target // its name is "" where the file cannot be replaced, such as a device
}

// createPending begins a file. A file that has the name already stays as it is
// until commit. Opening a named pipe waits for its reader, until ctx ends.
func createPending(ctx context.Context, t target) (*pendingFile, error) {
	special, err := t.look()
	if err != nil {
		return nil, err
	}

	if special {
		f, err := openFIFO(ctx, t.name) // of a device it is the same
		return &pendingFile{File: f}, err
	}

	if behind, err := filepath.EvalSymlinks(t.name); err == nil {
		t.name = behind // the link stays
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(t.name); err == nil {
		mode = info.Mode().Perm()
	}

	if err := lookLocked(t.name); err != nil { // what commit would say in the end
		return nil, err
	}

	const tries = 1000
	for i := range tries {
		part := fmt.Sprintf("%s.%d-%d.part", t.name, os.Getpid(), i)
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if named := (*fs.PathError)(nil); errors.As(err, &named) {
			named.Path = t.name // that the user knows
		}
		return &pendingFile{f, t}, err
	}
	return nil, fmt.Errorf("%s: %d unfinished files are in its directory", t.name, tries)
}

// commit completes the file: its bytes are on the disk, then it gets its name.
func (p *pendingFile) commit() error {
	if p.target.name == "" {
		return p.Close()
	}
	err := errors.Join(p.Sync(), p.Close())
	if err == nil {
		err = p.rename()
	}

	if err != nil {
		return errors.Join(err, os.Remove(p.Name()))
	}
	logs.SyncDirectory(filepath.Dir(p.target.name))
	return nil
}

// rename gives the file its name, unless another program is writing the one that
// has it.
func (p *pendingFile) rename() error {
	if _, err := p.target.look(); err != nil { // since it was begun
		return err
	}
	unlock, err := lockTarget(p.target.name)
	if err != nil {
		return err
	}
	if replacesOpen {
		return errors.Join(os.Rename(p.Name(), p.target.name), unlock())
	}
	if err := unlock(); err != nil {
		return err
	}
	return os.Rename(p.Name(), p.target.name)
}

// abandon removes what there is. After commit it does nothing.
func (p *pendingFile) abandon() {
	if p.Close() == nil && p.target.name != "" {
		_ = os.Remove(p.Name()) // nothing better is left to do
	}
}
