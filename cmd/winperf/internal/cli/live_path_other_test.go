//go:build !windows

package cli

import (
	"runtime"
	"testing"
)

// livePath is a counter that this machine has.
func livePath(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs a live source")
	}
	return `\Memory\Available MBytes`
}
