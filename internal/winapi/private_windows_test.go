package winapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// TestForeignWriter has rights of several accounts to a directory.
func TestForeignWriter(t *testing.T) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	const own = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
	for _, tt := range []struct{ sddl, want string }{
		{own, ""},
		{own + "(A;OICI;FA;;;" + user.User.Sid.String() + ")", ""},
		{own + "(A;OICIIO;GA;;;CO)(A;;FA;;;S-1-3-4)", ""},
		{own + "(A;OICI;0x1200a9;;;BU)", ""}, // read and list
		{own + "(D;;FA;;;WD)", ""},
		{own + "(A;OICI;FA;;;WD)", "can be written by S-1-1-0"},
		{own + "(A;;0x2;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;;0x4;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;;0x40;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;;SD;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;;WD;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;;WO;;;BU)", "can be written by S-1-5-32-545"},
		{own + "(A;OIIO;GW;;;AU)", "can be written by S-1-5-11"},
		{"O:BA", "can be written by every account"},
	} {
		descriptor, err := windows.SecurityDescriptorFromString(tt.sddl)
		if err != nil {
			t.Fatalf("%s: %v", tt.sddl, err)
		}
		if got := foreignWriter(descriptor); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.sddl, got, tt.want)
		}
	}

	empty, err := windows.NewSecurityDescriptor()
	if err == nil {
		err = empty.SetDACL(nil, true, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, want := foreignWriter(empty), "can be written by every account"; got != want {
		t.Errorf("no list of rights: %q, want %q", got, want)
	}
}

// TestMakePrivateDirectory makes a directory that no other account can write, below others that are missing.
func TestMakePrivateDirectory(t *testing.T) {
	base := t.TempDir()
	private, public := filepath.Join(base, "a", "b"), filepath.Join(base, "public")
	for range 2 {
		if err := MakePrivateDirectory(private); err != nil {
			t.Fatal(err)
		}
	}
	makePublic(t, public)

	for path, want := range map[string]string{private: "", public: "can be written by"} {
		dir, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Foreign(dir); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if err := dir.Close(); err != nil {
			t.Error(err)
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
