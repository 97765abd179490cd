package filelock

import (
	"os"

	"github.com/winperf/winperf/internal/winapi"
)

// Try locks a file until it is closed, without waiting. It returns false where the file is
// locked already. The lock is on bytes far behind the file's end, so that others can read it.
func Try(f *os.File) (bool, error) { return winapi.TryLock(f, true) }
