package output

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

// ReplacesOpen reports whether a file can be replaced while it is open.
const ReplacesOpen = runtime.GOOS == "linux" || runtime.GOOS == "darwin"

// PendingFile is a file that appears under its name when it is complete, and
// until then is another one beside it.
type PendingFile struct {
	*os.File
	Target Target // its name is "" where the file cannot be replaced, such as a device
}

// CreatePending begins a file. A file that has the name already stays as it is
// until commit. Opening a named pipe waits for its reader, until ctx ends.
func CreatePending(ctx context.Context, t Target) (*PendingFile, error) {
	special, err := t.Look()
	if err != nil {
		return nil, err
	}

	if special {
		f, err := openFIFO(ctx, t.Name) // of a device it is the same
		return &PendingFile{File: f}, err
	}

	if behind, err := filepath.EvalSymlinks(t.Name); err == nil {
		t.Name = behind // the link stays
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(t.Name); err == nil {
		mode = info.Mode().Perm()
	}

	if err := LookLocked(t.Name); err != nil { // what commit would say in the end
		return nil, err
	}

	const tries = 1000
	for i := range tries {
		part := fmt.Sprintf("%s.%d-%d.part", t.Name, os.Getpid(), i)
		f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if named := (*fs.PathError)(nil); errors.As(err, &named) {
			named.Path = t.Name // that the user knows
		}
		return &PendingFile{f, t}, err
	}
	return nil, fmt.Errorf("%s: %d unfinished files are in its directory", t.Name, tries)
}

// Commit completes the file: its bytes are on the disk, then it gets its name.
func (p *PendingFile) Commit() error {
	if p.Target.Name == "" {
		return p.Close()
	}
	err := errors.Join(p.Sync(), p.Close())
	if err == nil {
		err = p.rename()
	}

	if err != nil {
		return errors.Join(err, os.Remove(p.Name()))
	}
	logs.SyncDirectory(filepath.Dir(p.Target.Name))
	return nil
}

// rename gives the file its name, unless another program is writing the one that
// has it.
func (p *PendingFile) rename() error {
	if _, err := p.Target.Look(); err != nil { // since it was begun
		return err
	}
	unlock, err := lockTarget(p.Target.Name)
	if err != nil {
		return err
	}
	if ReplacesOpen {
		return errors.Join(os.Rename(p.Name(), p.Target.Name), unlock())
	}
	if err := unlock(); err != nil {
		return err
	}
	return os.Rename(p.Name(), p.Target.Name)
}

// Abandon removes what there is. After commit it does nothing.
func (p *PendingFile) Abandon() {
	if p.Close() == nil && p.Target.Name != "" {
		_ = os.Remove(p.Name()) // nothing better is left to do
	}
}
