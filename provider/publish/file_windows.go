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

// The rights of accounts to the directory, the one above it, and a file; docs/publish.md
// explains the words. The groups stand as numbers, because Wine 8.0 does not know MU
// and LU. None of them inherits (P). To give a directory to the administrators (O:BA)
// takes their rights: nobody else can make the common one.
const (
	administrators  = "O:BA"
	parentRights    = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;0x1200a9;;;AU)"
	directoryRights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;FA;;;CO)(A;;0x1200ab;;;AU)" +
		"(A;OICI;FR;;;S-1-5-32-558)(A;OICI;FR;;;S-1-5-32-559)"
	fileRights = "D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;OW)(A;;FR;;;S-1-5-32-558)(A;;FR;;;S-1-5-32-559)"
)

// systemDirs is the directory that the provider DLL looks into.
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
		return fmt.Errorf("an administrator can make this directory, by publishing once with elevated "+
			"rights: %w", err)
	}
	return nil
}

// MakeCommon makes the directory that all accounts publish in, or checks the one
// that is there. It takes an administrator's rights.
func MakeCommon() error { return systemDirs()[0].prepare() }

// makeTrusted makes a directory of the administrators, or checks the one that is there:
// another account may have made it first, to decide what is in it.
func makeTrusted(path, rights string) error {
	if err := winapi.MakeDirectory(path, administrators+rights); err != nil {
		return err
	}
	return winapi.CheckDirectory(path)
}

// isPrivate is not asked for on Windows, where there are no private directories.
func isPrivate(fs.FileInfo) bool { return false }

// createFile creates a file. Its readers are the groups that Windows has for them.
func createFile(path string) (*os.File, error) { return winapi.CreateShared(path, fileRights) }

func openFile(path string) (*os.File, error) { return winapi.OpenShared(path) }

func tryLock(f *os.File, exclusive bool) (bool, error) { return winapi.TryLock(f, exclusive) }

func unlock(f *os.File) error { return winapi.Unlock(f) }

// mapPiece makes a file longer and maps what it gained.
func mapPiece(f *os.File, offset int64, n int) ([]byte, error) {
	if err := f.Truncate(offset + int64(n)); err != nil {
		return nil, err
	}
	p, err := winapi.MapFile(f, offset, n)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return p, nil
}

func unmapPiece(p []byte) error { return winapi.UnmapFile(p) }

// Elsewhere returns the directories in which other accounts publish and that are not read: none
// on this system.
func Elsewhere() []string { return nil }

// admitReaders has nothing to do: a file has its rights from when it is made.
func admitReaders(*os.File, string) error { return nil }

// audienceOf tells in words which accounts may read a published file.
func audienceOf(*os.File) string {
	return "every program, where winperf provider install was run; else this account, administrators and " +
		"the performance groups"
}

// openOwn opens a file so that its lock can be taken.
func openOwn(path string) (*os.File, error) { return openFile(path) }

// reserve makes a file longer by n bytes. Windows makes no file shorter that is
// mapped.
func reserve(f *os.File, offset, n int64) error { return f.Truncate(offset + n) }

// madeAt returns the time at which a file was made.
func madeAt(info fs.FileInfo) int64 {
	attributes, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return 0
	}
	return attributes.CreationTime.Nanoseconds()
}
