package wintest

import (
	"os"
	"path/filepath"
	"testing"
)

// Directory is the environment variable with the directory of the libraries.
const Directory = "WINPERF_WINTEST"

// DLL returns the path of the library built from native/name.c. Without libraries it skips the
// test, or fails it under Wine with CI=true. It always fails the test if only this library is
// missing.
func DLL(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv(Directory)
	if dir == "" {
		missing(t, "no native test libraries: scripts/wine/run builds them")
	}
	file := filepath.Join(dir, name+".dll")
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("%s says where the test libraries are, but: %v", Directory, err)
	}
	return file
}

// Provider skips the test if the providers of provider.c are not registered.
func Provider(t testing.TB) { DLL(t, "provider") }
