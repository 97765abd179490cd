package publish

import (
	"os"
	"testing"
)

// holdAll skips the test: here every reader of a file can have the lock that
// stands for its publisher, as docs/publish.md says.
func holdAll(t *testing.T, _ *os.File) {
	t.Skip("skipped: readers can hold a publisher's lock on this system")
}
