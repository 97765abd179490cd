package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/winperf/winperf/internal/winapi"
)

// Rights of accounts to the directory, its parent, and a file; docs/publish.md explains them. The groups
// are numbers, because Wine 8.0 does not know MU and LU. None of the rights is inherited (P). Setting the
// owner to the administrators (O:BA) needs their rights: other accounts cannot create the common
// directory.
const (
	administrators  = "O:BA"
	parentRights    = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;0x1200a9;;;AU)"
	directoryRights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;FA;;;CO)(A;;0x1200ab;;;AU)" +
		"(A;OICI;FR;;;S-1-5-32-558)(A;OICI;FR;;;S-1-5-32-559)"
	fileRights = "D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;OW)(A;;FR;;;S-1-5-32-558)(A;;FR;;;S-1-5-32-559)"
)

func systemDirs() []directory {
	return []directory{{path: filepath.Join(os.Getenv("ProgramData"), "winperf", "published"), shared: true}}
}

func makeDirectory(d directory) error {
	parent := filepath.Dir(d.path)
	if !d.shared {
		return errors.Join(os.MkdirAll(parent, 0o777), winapi.MakeDirectory(d.path, directoryRights))
	}

	err := makeTrusted(parent, parentRights)
	if err == nil {
		err = makeTrusted(d.path, directoryRights)
	}

	if err != nil {
		return fmt.Errorf("an administrator can create this directory by publishing once with elevated "+
			"rights: %w", err)
	}
	return nil
}

// MakeCommon creates or checks the directory in which all accounts publish. It needs an administrator's
// rights.
func MakeCommon() error { return systemDirs()[0].prepare() }

// makeTrusted creates a directory of the administrators, or checks the existing one: another account may
// have created it to control its content.
func makeTrusted(path, rights string) error {
	if err := winapi.MakeDirectory(path, administrators+rights); err != nil {
		return err
	}
	return winapi.CheckDirectory(path)
}

// isPrivate is not used on Windows, which has no private directories.
func isPrivate(fs.FileInfo) bool { return false }

// createFile creates a file. Its readers are Windows' groups for performance counters.
func createFile(path string) (*os.File, error) { return winapi.CreateShared(path, fileRights) }

func openFile(path string) (*os.File, error) { return winapi.OpenShared(path) }

func tryLock(f *os.File, exclusive bool) (bool, error) { return winapi.TryLock(f, exclusive) }

func unlock(f *os.File) error { return winapi.Unlock(f) }

func mapRegion(f *os.File, offset int64, n int) ([]byte, error) {
	if err := f.Truncate(offset + int64(n)); err != nil {
		return nil, err
	}
	p, err := winapi.MapFile(f, offset, n)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return p, nil
}

func unmapRegion(p []byte) error { return winapi.UnmapFile(p) }

// Elsewhere returns the directories of other accounts that a Reader does not read. This system has none.
func Elsewhere() []string { return nil }

// admitReaders does nothing: a file has its rights from its creation.
func admitReaders(*os.File, string) error { return nil }

func audienceOf(*os.File) string {
	return "every program, where winperf provider install was run; else this account, administrators and " +
		"the performance groups"
}

func openOwn(path string) (*os.File, error) { return openFile(path) }

// reserve extends a file by n bytes. Windows does not shorten mapped files.
func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }

func madeAt(info fs.FileInfo) int64 {
	attributes, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return 0
	}
	return attributes.CreationTime.Nanoseconds()
}
