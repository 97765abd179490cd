package publish

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/winperf/winperf/internal/winapi"
)

// Who may do what with the directory and with a file; docs/publish.md explains
// the words. The groups stand as numbers, because Wine 8.0 does not know MU and LU.
const (
	directoryRights = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICIIO;FA;;;CO)(A;;0x1200ab;;;AU)(A;OICI;FR;;;S-1-5-32-558)(A;OICI;FR;;;S-1-5-32-559)"
	fileRights      = "D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;OW)(A;;FR;;;S-1-5-32-558)(A;;FR;;;S-1-5-32-559)"
)

// systemDirs is the directory that the provider DLL looks into.
func systemDirs() []directory {
	return []directory{{path: filepath.Join(os.Getenv("ProgramData"), "winperf", "published"), shared: true}}
}

func makeDirectory(d directory) error {
	if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
		return err
	}
	return winapi.MakeDirectory(d.path, directoryRights)
}

// isPrivate is not asked for on Windows, where there are no private directories.
func isPrivate(fs.FileInfo) bool { return false }

// createFile creates a file. Its readers are the groups that Windows has for
// them; group is not looked at.
func createFile(path, _ string) (*os.File, error) { return winapi.CreateShared(path, fileRights) }

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
