//go:build !linux && !darwin && !windows

package publish

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/winperf/winperf"
)

var errSystem = fmt.Errorf("publishing counters with %s: %w", runtime.GOOS, winperf.ErrNotSupported)

func systemDirs() []directory                        { return nil }
func makeDirectory(directory) error                  { return errSystem }
func isPrivate(fs.FileInfo) bool                     { return false }
func createFile(string) (*os.File, error)            { return nil, errSystem }
func admitReaders(*os.File, string) error            { return errSystem }
func audienceOf(*os.File) string                     { return "nobody" }
func openOwn(string) (*os.File, error)               { return nil, errSystem }
func openFile(string) (*os.File, error)              { return nil, errSystem }
func tryLock(*os.File, bool) (bool, error)           { return false, errSystem }
func unlock(*os.File) error                          { return errSystem }
func reserve(*os.File, int64, int64) error           { return errSystem }
func mapRegion(*os.File, int64, int) ([]byte, error) { return nil, errSystem }
func unmapRegion([]byte) error                       { return errSystem }

func madeAt(fs.FileInfo) int64 { return 0 }

// Elsewhere returns the directories of other accounts that a Reader does not read. This system has none.
func Elsewhere() []string { return nil }
