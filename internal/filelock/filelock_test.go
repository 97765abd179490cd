package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is locked once, and free when whoever has the lock closes it.
func TestTry(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() }) // some are closed before
		return f
	}
	first, second := open(), open()
	if got, err := Try(first); !got || err != nil {
		t.Fatalf("first: %v, %v", got, err)
	}
	if got, err := Try(second); got || err != nil {
		t.Fatalf("second: %v, %v", got, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Try(second); !got || err != nil {
		t.Fatalf("after the first was closed: %v, %v", got, err)
	}
}
