package filelock

import (
	"os"

	"github.com/winperf/winperf/internal/winapi"
)

// Try locks a file until it is closed, without waiting. It returns false if the file is already
// locked. The lock covers bytes far after the file's end, so that others can read it.
func Try(f *os.File) (bool, error) { return winapi.TryLock(f, true) }
