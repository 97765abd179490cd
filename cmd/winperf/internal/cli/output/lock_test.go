package output

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplacedFile checks that what is locked is the file that has the name.
func TestReplacedFile(t *testing.T) {
	if !ReplacesOpen {
		t.Skip("a file that is open keeps its name on this system")
	}
	name := filepath.Join(t.TempDir(), "x")
	note := func(err error) { t.Error(err) }
	f, err := Target{Name: name, Note: note}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !isNamed(f.file, name) {
		t.Error("a new file does not have its name")
	}
	if err := os.WriteFile(name+"2", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"2", name); err != nil {
		t.Fatal(err)
	}
	if isNamed(f.file, name) {
		t.Error("a file that was replaced has its name")
	}
	again, err := Target{Name: name, Mode: Append, Note: note}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !isNamed(again.file, name) {
		t.Error("the file that was opened does not have the name")
	}
}
