package winapi

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestOpenShared opens a file and looks at what the system was asked for.
func TestOpenShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ä.winperf")
	if err := os.WriteFile(path, []byte("counters"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := OpenShared(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(path, []byte("Counters"), 0o666); err != nil {
		t.Errorf("others cannot write meanwhile: %v", err)
	}
	if text, err := io.ReadAll(io.NewSectionReader(f, 1, 3)); string(text) != "oun" {
		t.Errorf("%q, error %v", text, err)
	}
	if _, err := OpenShared(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := OpenShared(filepath.Dir(path)); err == nil {
		t.Error("a directory was opened")
	}
}

// TestOpenCarefully has somebody hold an oplock on the file: the kernel's answer is a
// success with a handle on which everything would wait.
func TestOpenCarefully(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.winperf")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var opened windows.Handle
	create := func(handle *windows.Handle, access uint32, object *windows.OBJECT_ATTRIBUTES,
		status *windows.IO_STATUS_BLOCK,
		size *int64, attributes, share, disposition, options uint32, extended uintptr,
		extendedLength uint32) error {
		if q := object.SecurityQoS; q == nil || q.ImpersonationLevel != windows.SecurityIdentification ||
			q.EffectiveOnly == 0 {
			t.Errorf("security quality of service %+v", q)
		}
		const want = windows.FILE_COMPLETE_IF_OPLOCKED | windows.FILE_OPEN_REPARSE_POINT |
			windows.FILE_NON_DIRECTORY_FILE
		if options&want != want || disposition != windows.FILE_OPEN || share != shareAll {
			t.Errorf("options %#x, disposition %d, share %d", options, disposition, share)
		}
		err := windows.NtCreateFile(handle, access, object, status, size, attributes, share, disposition,
			options, extended, extendedLength)
		if err != nil {
			t.Error(err)
		}
		opened = *handle
		return windows.STATUS_OPLOCK_BREAK_IN_PROGRESS
	}
	if f, err := openShared(path, create); f != nil || !errors.Is(err, ERROR_BUSY) {
		t.Errorf("file %v, error %v", f, err)
	}
	if err := windows.CloseHandle(opened); err == nil {
		t.Error("the handle was left open")
	}
}

// TestOpenPipe opens what is no file: reading it would wait for the process at its end.
func TestOpenPipe(t *testing.T) {
	const path = `\\.\pipe\winperf test`
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX, 0, 1, 512, 512, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = windows.CloseHandle(pipe) }()
	if f, err := OpenShared(path); err == nil {
		_ = f.Close()
		t.Error("a pipe was opened")
	}
}

func TestNTPath(t *testing.T) {
	for path, want := range map[string]string{
		`C:\a\b`:       `\??\C:\a\b`,
		`\\?\C:\a`:     `\??\C:\a`,
		`\\.\pipe\a`:   `\??\pipe\a`,
		`\\server\a\b`: `\??\UNC\server\a\b`,
	} {
		if got := ntPath(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestDirectoryFault has directories of several accounts, and files.
func TestDirectoryFault(t *testing.T) {
	const directory, link = windows.FILE_ATTRIBUTE_DIRECTORY, windows.FILE_ATTRIBUTE_REPARSE_POINT
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sddl       string
		attributes uint32
		want       string
	}{
		{"O:SYD:", directory, ""},
		{"O:BAD:", directory, ""},
		{"O:" + user.User.Sid.String() + "D:", directory, ""},
		{"O:BUD:", directory, "belongs to S-1-5-32-545, neither SYSTEM nor the administrators"},
		{"O:S-1-5-21-1-2-3-1001D:", directory,
			"belongs to S-1-5-21-1-2-3-1001, neither SYSTEM nor the administrators"},
		{"D:", directory, "has no owner"},
		{"O:SYD:", directory | link, "is a link to elsewhere"},
		{"O:SYD:", 0, "is not a directory"},
	} {
		descriptor, err := windows.SecurityDescriptorFromString(tt.sddl)
		if err != nil {
			t.Fatal(err)
		}
		if got := directoryFault(tt.attributes, descriptor); got != tt.want {
			t.Errorf("%s, attributes %#x: %q, want %q", tt.sddl, tt.attributes, got, tt.want)
		}
	}
}

func TestMakeDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for range 2 {
		if err := MakeDirectory(path, "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"); err != nil {
			t.Fatal(err)
		}
		if err := CheckDirectory(path); err != nil {
			t.Error(err)
		}
	}
	file := filepath.Join(path, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := CheckDirectory(file); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file: error %v", err)
	}
}

// TestSystemDirectory says in the environment that the directory is elsewhere.
func TestSystemDirectory(t *testing.T) {
	want, err := SystemDirectory()
	if err != nil || !strings.EqualFold(filepath.Base(want), "system32") {
		t.Fatalf("%s, error %v", want, err)
	}
	t.Setenv("SystemRoot", t.TempDir())
	t.Setenv("windir", t.TempDir())
	if got, err := SystemDirectory(); got != want || err != nil {
		t.Errorf("%s, want %s; error %v", got, want, err)
	}
}
