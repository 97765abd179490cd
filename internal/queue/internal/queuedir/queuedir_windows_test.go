package queuedir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// A directory that another account owns or can write is refused, and so is a link.
func TestOpenWindows(t *testing.T) {
	base := t.TempDir()
	own, open, link := filepath.Join(base, "a", "own"), filepath.Join(base, "open"), filepath.Join(base, "link")
	makePublic(t, open)

	paths := map[string]error{own: nil, open: ErrUnsafe}
	_ = os.Symlink(base, link) // takes a right, and under Wine 8.0 the result looks like a directory
	if info, err := os.Lstat(link); err == nil && !info.IsDir() {
		paths[link] = ErrUnsafe
	} else {
		t.Log("not tried: a link")
	}
	for path, want := range paths {
		d, err := Open(path)
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
		if d == nil {
			continue
		}
		if err := errors.Join(d.Replace("state", []byte("x"), true), d.Close()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// makePublic makes a directory that every account can write.
func makePublic(t *testing.T, path string) {
	t.Helper()
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;WD)")
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := descriptor.DACL()
	if err != nil {
		t.Fatal(err)
	}

	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, what, nil, nil, list, nil); err != nil {
		t.Fatal(err)
	}
}
