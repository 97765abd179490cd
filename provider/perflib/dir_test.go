package perflib_test

import (
	"os"
	"runtime"
	"testing"
)

// publishDir is a directory to publish in. On Windows its files stay mapped until
// the publishers are collected, and cannot all be removed.
func publishDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "perflib")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		runtime.GC()
		_ = os.RemoveAll(dir)
	})
	return dir
}
