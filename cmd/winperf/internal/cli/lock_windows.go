package cli

import (
	"os"

	"github.com/winperf/winperf/internal/winapi"
)

// replacesOpen tells whether a file can be replaced that is open.
const replacesOpen = false

// tryLock locks a file until it is closed, unless another has it locked. The
// lock lies far behind its end, so that it can be read.
func tryLock(f *os.File) (bool, error) { return winapi.TryLock(f, true) }
